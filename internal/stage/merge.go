package stage

import (
	"cmp"
	"fmt"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// entry is what the index holds of a file; its mode is "" if that is nothing.
type entry struct{ mode, content string }

// with returns the entry with a change. It is the same if it has the change already.
func (e entry) with(f File) (entry, error) {
	switch {
	case f.Deleted && e.mode == "":
		return e, nil
	case f.Deleted && sameLines(e.content, f.Before):
		return entry{}, nil
	case f.Deleted:
		return e, ErrConflict
	case !f.Created && e.mode == "":
		return e, ErrUntracked
	case f.Created && e.mode == "":
		return entry{cmp.Or(f.AfterMode, fileMode), f.After}, nil
	}
	to := e
	if f.AfterMode != "" && f.AfterMode != f.BeforeMode && !f.Created {
		to.mode = f.AfterMode
	}
	if f.Before == f.After && !f.Created {
		return to, nil
	}
	before, after := f.Before, f.After
	if strings.Contains(before+after, "\r\n") && !strings.Contains(e.content, "\r\n") { // git converts the ends of lines
		before, after = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	}
	switch merged, ok := merge(before, e.content, after); {
	case e.content == after:
	case !ok || f.Created:
		return e, ErrConflict
	default:
		to.content = merged
	}
	return to, nil
}

func sameLines(indexed, onDisk string) bool {
	return indexed == onDisk || indexed == strings.ReplaceAll(onDisk, "\r\n", "\n")
}

// merge applies the change from base to theirs to ours. It reports false where both changed the
// same lines, or lines that touch, in different ways.
func merge(base, ours, theirs string) (string, bool) {
	if base == ours {
		return theirs, true
	}
	was, a, b := lines(base), edits(base, ours), edits(base, theirs)
	var out strings.Builder
	at := 0
	take := func(e edit) {
		for ; at < e.from; at++ {
			out.WriteString(was[at])
		}
		out.WriteString(e.text)
		at = e.to
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].to < b[0].from:
			take(a[0])
			a = a[1:]
		case len(a) == 0 || b[0].to < a[0].from:
			take(b[0])
			b = b[1:]
		case a[0] == b[0]:
			take(a[0])
			a, b = a[1:], b[1:]
		default:
			return "", false
		}
	}
	take(edit{from: len(was), to: len(was)})
	return out.String(), true
}

// edit replaces lines of the base.
type edit struct {
	from, to int
	text     string
}

func edits(base, text string) (all []edit) {
	for _, h := range textdiff.Hunks(base, text, diff.Context(0)) {
		e := edit{from: h.LineNoX, to: h.EndLineNoX}
		for _, line := range h.Edits {
			if line.Op == diff.Insert {
				e.text += line.Line
			}
		}
		all = append(all, e)
	}
	return all
}

func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// write writes a patch that replaces an entry as a whole, so that git applies it only if the index
// still holds what was read.
func write(b *strings.Builder, name string, is, to entry) {
	before, after := quoted("a/"+name), quoted("b/"+name)
	fmt.Fprintf(b, "diff --git %s %s\n", before, after)
	switch {
	case is.mode == "":
		before = "/dev/null"
		fmt.Fprintf(b, "new file mode %s\n", to.mode)
	case to.mode == "":
		after = "/dev/null"
		fmt.Fprintf(b, "deleted file mode %s\n", is.mode)
	case is.mode != to.mode:
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", is.mode, to.mode)
	}
	if is.content == to.content {
		return
	}
	old, now := lines(is.content), lines(to.content)
	fmt.Fprintf(b, "--- %s\n+++ %s\n@@ -%s +%s @@\n", before, after, span(old), span(now))
	side(b, '-', old)
	side(b, '+', now)
}

func span(lines []string) string {
	return fmt.Sprintf("%d,%d", min(1, len(lines)), len(lines))
}

func side(b *strings.Builder, sign byte, lines []string) {
	for _, l := range lines {
		b.WriteByte(sign)
		b.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// quoted quotes a name as git does, so that it can hold any byte.
func quoted(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
