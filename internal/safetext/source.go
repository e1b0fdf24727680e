package safetext

import "strings"

// Source returns the text of a file, safe to show line by line. It has the same lines, and lines that
// differ stay different: one with anything that Clean would change is shown as Visible shows it. So a
// diff of the results has the lines of a diff of the texts. Ends of lines are kept, CR LF included.
func Source(s string) string {
	if !strings.Contains(s, "\r") && plainSource(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.SplitAfterSeq(s, "\n") {
		text, lf := strings.CutSuffix(line, "\n")
		text, cr := strings.CutSuffix(text, "\r")
		if cr && !lf { // a lone CR at the end of the file
			text += "\r"
		}
		if plainSource(text) {
			b.WriteString(text)
		} else {
			b.WriteString(Visible(text))
		}
		if lf {
			if cr {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// plainSource reports whether a text can be shown as it is, and looks like no result of Visible.
func plainSource(s string) bool {
	return !strings.Contains(s, `<\`) && !strings.Contains(s, "<U+") && Clean(s) == s
}
