package notes

import (
	"strings"

	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/permissions"
)

// Request returns what a question asks for in a few words and, if it is a command or changes files, the
// command or the changes; see [Rejected].
func Request(q permissions.Question) (what, quote string, diff bool) {
	var diffs strings.Builder
	for _, p := range q.Body {
		switch p.Kind {
		case permissions.Command:
			return q.Heading, Bound(p.Text), false
		case permissions.Diff:
			if diffs.Len() > 0 {
				diffs.WriteString(p.Path + "\n")
			}
			diffs.WriteString(linediff.Compare(p.Texts()).Unified())
		case permissions.Patch:
			diffs.WriteString(p.Text + "\n")
		}
	}
	what = q.Heading
	if subject := safetext.Line(q.Subject(), 300); subject != "" && !strings.Contains(what, subject) {
		what += ": " + subject
	}
	return what, Bound(diffs.String()), true
}
