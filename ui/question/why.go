package question

import (
	"strings"

	"parley/internal/notes"
	"parley/internal/safetext"
	"parley/permissions"
)

// request returns what a question asks for in a few words and, if it is a command or changes files,
// the command or the changes.
func (q *Question) request(cur permissions.Question) (what, quote string, isDiff bool) {
	var diffs strings.Builder
	for i, p := range cur.Body {
		switch p.Kind {
		case permissions.Command:
			return cur.Heading, notes.Bound(p.Text), false
		case permissions.Diff:
			if diffs.Len() > 0 {
				diffs.WriteString(p.Path + "\n")
			}
			diffs.WriteString(q.diffs.part(cur.Key, i, p).lines.Unified())
		case permissions.Patch:
			diffs.WriteString(p.Text + "\n")
		}
	}
	what = cur.Heading
	if subject := safetext.Line(cur.Subject(), 300); subject != "" && !strings.Contains(what, subject) {
		what += ": " + subject
	}
	return what, notes.Bound(diffs.String()), true
}
