package mention

import "strings"

// span is a range of bytes.
type span struct{ start, end int }

// codeSpans returns the parts of a text that are code, in order: fenced blocks, and text
// between runs of backticks of the same length. An unclosed fence extends to the end; an
// unmatched run is plain text.
func codeSpans(text string) []span {
	if !strings.ContainsAny(text, "`~") {
		return nil
	}
	var out []span
	paragraph, fence, opened := 0, "", 0
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := text[at:end]
		mark, info := fenceOf(line)
		switch {
		case fence != "":
			if len(mark) >= len(fence) && mark[0] == fence[0] && strings.TrimSpace(info) == "" {
				out = append(out, span{opened, end})
				fence, paragraph = "", end
			}
		case mark != "" && !(mark[0] == '`' && strings.Contains(info, "`")):
			out = inline(out, text, paragraph, at)
			fence, opened = mark, at
		case strings.TrimSpace(line) == "":
			out = inline(out, text, paragraph, at)
			paragraph = end
		}
		at = end
	}
	if fence != "" {
		return append(out, span{opened, len(text)})
	}
	return inline(out, text, paragraph, len(text))
}

// fenceOf returns the run that may open or close a fence at the start of a line, and what
// follows it.
func fenceOf(line string) (mark, info string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || s == "" || s[0] != '`' && s[0] != '~' {
		return "", ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	if n < 3 {
		return "", ""
	}
	return s[:n], s[n:]
}

// inline adds the code between backticks in one paragraph.
func inline(out []span, text string, from, to int) []span {
	var runs []span
	for i := from; i < to; i++ {
		if text[i] != '`' {
			continue
		}
		start := i
		for i < to && text[i] == '`' {
			i++
		}
		runs = append(runs, span{start, i})
	}
	single := map[int]bool{} // lengths that no further run has
	for i := 0; i < len(runs); i++ {
		n := runs[i].end - runs[i].start
		if single[n] {
			continue
		}
		j := i + 1
		for j < len(runs) && runs[j].end-runs[j].start != n {
			j++
		}
		if j == len(runs) {
			single[n] = true
			continue
		}
		out = append(out, span{runs[i].start, runs[j].end})
		i = j
	}
	return out
}
