package notes

import (
	"strings"

	"parley/internal/safetext"
	"parley/permissions"
)

// Request returns what a question asks for in a few words and, if it is a command or changes files, the
// command or the changes; see [Rejected]. unified returns the i-th part of the question, a change, as a
// unified diff.
func Request(q permissions.Question, unified func(i int, p permissions.Part) string) (what, quote string, diff bool) {
	var diffs strings.Builder
	for i, p := range q.Body {
		switch p.Kind {
		case permissions.Command:
			return q.Heading, Bound(p.Text), false
		case permissions.Diff:
			if diffs.Len() > 0 {
				diffs.WriteString(p.Path + "\n")
			}
			diffs.WriteString(unified(i, p))
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
