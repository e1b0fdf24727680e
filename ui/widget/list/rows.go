package list

import (
	"cmp"
	"strconv"
	"strings"

	"parley/internal/text"
	"parley/ui/theme"
)

// listLine is one drawn line of a list: an item, or the heading above one.
type listLine struct {
	heading string
	bad     bool // of a heading
	hit     int
}

// Rows calls Shown and Draw.
func (l *List) Rows(width, height int, th *theme.Theme) []string {
	l.Shown(height)
	return l.Draw(width, height, th)
}

// Shown notes that a frame has drawn the list in height rows. Scrolling continues from there, a page is as many rows.
func (l *List) Shown(height int) {
	lines, at := l.layout()
	l.page, l.Top = height, l.first(lines, at, height)
}

// first returns the first line to draw in height rows, so that the selection is among them.
func (l *List) first(lines []listLine, at, height int) int {
	top := max(min(l.Top, len(lines)-height), 0)
	if at < top {
		top = at
		if at > 0 && lines[at-1].heading != "" {
			top-- // the heading of the first item stays with it
		}
	}
	if at >= top+height {
		top = at - height + 1
	}
	return top
}

// More says how many items are above and below what Draw shows in height rows, as in
// "↑ 2 ↓ 14 more". It is "" where all items are shown.
func (l *List) More(height int) string {
	lines, at := l.layout()
	top := l.first(lines, at, height)
	items := func(of []listLine) (n int) {
		for _, ln := range of {
			if ln.heading == "" {
				n++
			}
		}
		return n
	}
	more := ""
	if n := items(lines[:top]); n > 0 {
		more += "↑ " + strconv.Itoa(n) + " "
	}
	if n := items(lines[min(top+height, len(lines)):]); n > 0 {
		more += "↓ " + strconv.Itoa(n) + " "
	}
	if more == "" {
		return ""
	}
	return more + "more"
}

// Draw draws the part of the list around the selection: at most height rows of at most width cells. The selected row is
// padded to the width. Without a match it is one dim row that says so. Draw changes nothing.
func (l *List) Draw(width, height int, th *theme.Theme) []string {
	if height <= 0 || width <= 0 {
		return nil
	}
	if len(l.shown) == 0 {
		return []string{th.Dim.Paint(text.Truncate("  No match", width, "…"))}
	}
	lines, at := l.layout()
	top := l.first(lines, at, height)
	rows := make([]string, 0, height)
	cols := l.columns(width)
	for _, ln := range lines[top:min(top+height, len(lines))] {
		if ln.heading != "" {
			ink := th.Faint
			if ln.bad {
				ink = th.Bad
			}
			rows = append(rows, ink.Paint(text.Truncate(text.OneLine(ln.heading), width, "…")))
			continue
		}
		rows = append(rows, l.row(ln.hit, width, cols, th))
	}
	return rows
}

// Row returns which of the rows that Draw draws in height rows is the selected one.
func (l *List) Row(height int) int {
	lines, at := l.layout()
	return at - l.first(lines, at, height)
}

// layout lists the lines of the list and where the selected one is.
func (l *List) layout() (lines []listLine, at int) {
	lines = make([]listLine, 0, len(l.shown)+8)
	section := ""
	for i, h := range l.shown {
		if s := l.items[h.item].Section; l.filter == "" && s != section {
			if s != "" {
				lines = append(lines, listLine{heading: s, bad: l.items[h.item].Bad})
			}
			section = s
		}
		if i == l.Cursor {
			at = len(lines)
		}
		lines = append(lines, listLine{hit: i})
	}
	return lines, at
}

// columns are the widths of the titles and of the details of a list.
type columns struct{ title, detail int }

// mostAligned is how many items are measured for the columns of a list.
const mostAligned = 500

// columns returns the widths to which the titles are padded that a detail follows, and the details that
// more follows. Longer ones stick out.
func (l *List) columns(width int) (c columns) {
	for _, h := range l.shown[:min(len(l.shown), mostAligned)] {
		it := l.items[h.item]
		if w := text.Width(text.OneLine(it.Title)); (it.Detail != "" || it.More != "") && w <= width*3/5 {
			c.title = max(c.title, w)
		}
		if w := text.Width(text.OneLine(it.Detail)); it.More != "" && w <= width*2/5 {
			c.detail = max(c.detail, w)
		}
	}
	return c
}

// row draws "› title  detail  more      hint" in columns. If there is no room it drops the hint, then cuts
// what follows the title, then the title.
func (l *List) row(i, width int, cols columns, th *theme.Theme) string {
	h := l.shown[i]
	it := l.items[h.item]
	title, hint := text.OneLine(it.Title), text.OneLine(it.Hint)
	if hint == "" && l.filter != "" {
		hint = text.OneLine(it.Section) // there are no headings
	}
	room := max(width-2, 1)
	tw, hw := text.Width(title), text.Width(hint)
	if hint == "" || tw+hw+2 > room {
		hint, hw = "", 0
	} else {
		room -= hw + 2
	}
	marks := l.marksOf(h)
	if it.Path && title == it.Title {
		title, marks = cutFront(title, marks, room)
		it.Title, tw = title, text.Width(title)
	}
	marked := title == it.Title && tw <= room
	title = text.Truncate(title, room, "…")
	used := text.Width(title)
	column := func(s string, at int) string {
		gap := max(at-used, 0) + 2
		if s == "" || room-used-gap < 4 {
			return ""
		}
		s = strings.Repeat(" ", gap) + text.Truncate(text.OneLine(s), room-used-gap, "…")
		used += text.Width(s)
		return s
	}
	detail := column(cmp.Or(h.around, it.Detail), cols.title)
	at := cols.title
	if cols.detail > 0 {
		at += 2 + cols.detail
	}
	more := column(it.More, at)
	gap := ""
	if hint != "" {
		gap = strings.Repeat(" ", max(room-used+2, 0))
	}
	if i == l.Cursor {
		row := "› " + title + detail + more + gap + hint
		return th.Selected.Paint(text.Pad(row, width))
	}
	if marked {
		title = paintMarks(title, marks, th)
	} else {
		title = th.Text.Paint(title)
	}
	return "  " + title + th.Dim.Paint(detail) + th.Faint.Paint(more) + gap + th.Faint.Paint(hint)
}

// paintMarks paints the runes at marks as matched, the others as text.
func paintMarks(s string, marks []int, th *theme.Theme) string {
	if len(marks) == 0 {
		return th.Text.Paint(s)
	}
	var b []byte
	k, run, start := 0, false, 0
	paint := func(end int) {
		if run {
			b = th.Match.Append(b, s[start:end])
		} else {
			b = th.Text.Append(b, s[start:end])
		}
		start = end
	}
	i := 0
	for pos := range s {
		hit := k < len(marks) && marks[k] == i
		if hit {
			k++
		}
		if hit != run {
			paint(pos)
			run = hit
		}
		i++
	}
	paint(len(s))
	return string(b)
}

// cutFront cuts the beginning of a path that is too long, because its end says more.
func cutFront(path string, marks []int, room int) (string, []int) {
	over := text.Width(path) - room
	if over <= 0 {
		return path, marks
	}
	runes := []rune(path)
	n, cells := 0, 0
	for ; n < len(runes) && cells < over+1; n++ {
		cells += text.Width(string(runes[n]))
	}
	shown := []int(nil)
	for _, at := range marks {
		if at >= n {
			shown = append(shown, at-n+1)
		}
	}
	return "…" + string(runes[n:]), shown
}
