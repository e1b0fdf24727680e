package widget

import (
	"fmt"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/ui/theme"
)

// gutterWidth is the narrowest diff that shows line numbers.
const gutterWidth = 60

// Rows draws the diff: unified, three lines of context, hunks divided by a dim "⋯", signs at every changed line so that
// it reads without colour. Long lines are wrapped. At most maxLines rows are drawn (0: all of them), and more counts
// the lines of the diff that are not fully shown. The cost is that of the rows drawn.
func (c *Computed) Rows(width, maxLines int, th *theme.Theme) (rows []string, more int) {
	r := diffRenderer{c: c, th: th, width: max(width, 8), limit: maxLines}
	if width >= gutterWidth {
		r.gutter = max(c.lineNumber, 3) + 1
	}
	if note := c.note(); note != "" {
		return []string{th.Dim.Paint(Truncate(note, r.width, "…"))}, 0
	}
	for i, h := range c.hunks {
		if i > 0 && !r.full() {
			r.rows = append(r.rows, th.DiffHunk.Paint(strings.Repeat(" ", r.gutter)+"⋯"))
		}
		r.hunk(h)
	}
	return r.rows, r.more
}

// Lines returns how many lines the diff has, context included: what Rows would leave out of none.
func (c *Computed) Lines() int {
	n := 0
	for _, h := range c.hunks {
		n += len(h.Edits)
	}
	return n
}

// note returns what stands in place of a diff that has nothing to show.
func (c *Computed) note() string {
	switch {
	case c.TooLarge:
		return fmt.Sprintf("too large to compare: %s before, %s now, at most +%d −%d lines",
			byteCount(c.oldSize), byteCount(c.newSize), c.Added, c.Removed)
	case len(c.hunks) > 0:
		return ""
	case c.oldMissing && c.newSize == 0:
		return "new empty file"
	case c.oldMissing:
		return "new file"
	}
	return "no changes"
}

type diffRenderer struct {
	c             *Computed
	th            *theme.Theme
	width, gutter int
	limit         int
	rows          []string
	more          int
}

func (r *diffRenderer) full() bool { return r.limit > 0 && len(r.rows) >= r.limit }

type lineEdit = textdiff.Edit[string]

// hunk draws the edits of a hunk. Deleted lines and the inserted ones that follow are paired for marks on words.
func (r *diffRenderer) hunk(h textdiff.Hunk[string]) {
	for i := 0; i < len(h.Edits); {
		if r.full() {
			r.more += len(h.Edits) - i
			return
		}
		if h.Edits[i].Op == diff.Match {
			r.line(h.Edits[i], nil)
			i++
			continue
		}
		dels := i
		for i < len(h.Edits) && h.Edits[i].Op == diff.Delete {
			i++
		}
		adds := i
		for i < len(h.Edits) && h.Edits[i].Op == diff.Insert {
			i++
		}
		r.change(h.Edits[dels:adds], h.Edits[adds:i])
	}
}

func (r *diffRenderer) change(dels, adds []lineEdit) {
	pairs := min(len(dels), len(adds))
	addMarks := make([][]span, pairs)
	for i, e := range dels {
		var marks []span
		if i < pairs && !r.full() {
			marks, addMarks[i] = wordMarks(e.Line, adds[i].Line)
		}
		r.line(e, marks)
	}
	for i, e := range adds {
		var marks []span
		if i < pairs {
			marks = addMarks[i]
		}
		r.line(e, marks)
	}
}

// line draws one line of the diff.
func (r *diffRenderer) line(e lineEdit, marks []span) {
	if r.full() {
		r.more++
		return
	}
	sign, number, ink, word, unfinished := r.look(e)
	text := strings.TrimSuffix(e.Line, "\n")
	if !r.c.showCR || e.Op == diff.Match {
		text = strings.TrimSuffix(text, "\r")
	}
	head := ""
	if r.gutter > 0 {
		head = r.th.DiffLineNumber.Paint(fmt.Sprintf("%*d ", r.gutter-1, number+1))
	}
	room := r.width - r.gutter - 2
	limit := 0
	if r.limit > 0 {
		limit = r.limit - len(r.rows)
	}
	body, left := r.body(text, marks, room, limit, ink, word)
	for i, row := range body {
		lead := "  "
		if i == 0 {
			lead = sign + " "
		} else if r.gutter > 0 {
			head = strings.Repeat(" ", r.gutter)
		}
		if on := ink.On(); on != "" && strings.HasPrefix(row, on) {
			r.rows = append(r.rows, head+on+lead+row[len(on):])
		} else {
			r.rows = append(r.rows, head+ink.Paint(lead)+row)
		}
	}
	if left {
		r.more++
		return
	}
	if unfinished && !r.full() {
		note := Truncate(strings.Repeat(" ", r.gutter)+`\ no newline at end of file`, r.width, "…")
		r.rows = append(r.rows, r.th.DiffHunk.Paint(note))
	}
}

// look returns how an edit looks. The end of a text without a newline is noted where the texts differ in it.
func (r *diffRenderer) look(e lineEdit) (sign string, number int, ink, word theme.Ink, unfinished bool) {
	th := r.th
	switch e.Op {
	case diff.Insert:
		return "+", e.LineNoY, th.DiffAdd, th.DiffAddWord, e.LineNoY == r.c.lastNew
	case diff.Delete:
		return "-", e.LineNoX, th.DiffDel, th.DiffDelWord, e.LineNoX == r.c.lastOld
	}
	return " ", e.LineNoY, th.DiffContext, th.DiffContext, false
}

// body wraps the text of a line into painted rows of at most room cells, at most limit of them (0: all).
func (r *diffRenderer) body(text string, marks []span, room, limit int, ink, word theme.Ink) ([]string, bool) {
	if len(marks) == 0 {
		rows, more := hardWrap(visible(text), room, limit)
		for i, row := range rows {
			rows[i] = ink.Paint(row)
		}
		return rows, more
	}
	return r.markedBody(text, marks, room, limit, ink, word)
}

// markedBody is body for a line with marks, span by span so that they survive wrapping.
func (r *diffRenderer) markedBody(text string, marks []span, room, limit int, ink, word theme.Ink) ([]string, bool) {
	var rows []string
	var row []byte
	cells := 0
	put := func(s string, with theme.Ink) bool {
		s = visible(s)
		start := 0
		for sc := (scanner{s: s}); ; {
			cluster, w, at := sc.next()
			if cluster == "" {
				row = with.Append(row, s[start:])
				return true
			}
			if cells+w > room {
				row = with.Append(row, s[start:at])
				rows, row, start, cells = append(rows, string(row)), row[:0], at, 0
				if limit > 0 && len(rows) == limit {
					return false
				}
			}
			cells += w
		}
	}
	at := 0
	for _, m := range marks {
		if !put(text[at:m.from], ink) || !put(text[m.from:min(m.to, len(text))], word) {
			return rows, true
		}
		at = min(m.to, len(text))
	}
	if !put(text[at:], ink) {
		return rows, true
	}
	return append(rows, string(row)), false
}
