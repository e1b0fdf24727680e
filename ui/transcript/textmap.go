package transcript

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/thread"
	"parley/internal/glyphs"
	"parley/internal/text"
	"parley/ui/widget/diff"
)

// lineKey identifies a line of a segment at any width: the n-th of its source, or the
// sub-th (from 1) after that one that is not part of the source, such as the number
// of hidden lines.
type lineKey struct{ n, sub int }

func (a lineKey) compare(b lineKey) int { return cmp.Or(a.n-b.n, a.sub-b.sub) }

// textMap holds the text of a segment's rows: the lines that were wrapped into them,
// without indents, bars and numbers.
type textMap struct {
	lines []textLine
	rows  []textRow // one for each row
	found *found    // what matches the last query; nil: there was none
}

type textLine struct {
	key    lineKey
	text   string // as shown
	raw    string // as written, where it is something else
	aside  bool   // it says something about the item and is not part of it
	sought bool   // it is searched
}

// textRow is the part of a line that a row shows; line is -1 for a blank row before
// an item.
type textRow struct {
	line     int
	from, to int // bytes of the line's text
	col      int // the cell where that begins
}

// cells returns the cells in which a row shows bytes of its line.
func (r textRow) cells(s string, from, to int) (left, right int) {
	from, to = max(from, r.from), min(to, r.to)
	if from >= to {
		return 0, 0
	}
	left = r.col + text.Width(s[r.from:from])
	return left, left + text.Width(s[from:to])
}

// text returns the map of a segment, which is made again when its rows are.
func (l *layout) text(i, k int) *textMap {
	s := l.ready(i, k, nil)
	if s.text != nil {
		return s.text
	}
	it := l.thread.Items[i]
	prose := it.Kind == thread.UserMessage || it.Kind == thread.ThoughtMessage
	b := mapper{m: &textMap{}, src: l.srcLines(i, k), at: -1, sides: it.Tool != nil && l.width >= diff.SidesWidth, prose: prose}
	skip := 0
	if k == 0 {
		skip = l.gap(i)
	}
	for n, r := range s.rows {
		if n < skip {
			b.m.rows = append(b.m.rows, textRow{line: -1})
			continue
		}
		row := ansi.Strip(r)
		if it.Kind == thread.UserMessage {
			row = l.promptRow(it, row, k == 0 && n == skip)
		}
		b.row(row)
	}
	s.text = b.m
	return s.text
}

// promptRow removes the bar and the time from a row of a prompt.
func (l *look) promptRow(it *thread.Item, row string, first bool) string {
	row = strings.TrimRight(row, " ")
	if first && !it.At.IsZero() {
		if rest, ok := strings.CutSuffix(row, " "+it.At.Format("15:04")); ok && glyphs.Width(row) == l.width-1 {
			row = strings.TrimRight(rest, " ")
		}
	}
	if rest, ok := strings.CutPrefix(row, userBar+" "); ok {
		return "  " + rest
	}
	return row
}

// mapper finds the line that each row is of, from the first to the last.
type mapper struct {
	m    *textMap
	src  []srcLine
	at   int // the line of the last row
	off  int // how much of it was shown
	subs int // rows after it that are not part of the source
	line int // its index in m.lines

	sides bool // rows may be of a diff side by side
	prose bool // only lines of the source are searched
}

func (b *mapper) row(row string) {
	if b.continued(row) {
		return
	}
	blank := strings.TrimSpace(row) == ""
	last := len(b.src)
	if blank {
		last = min(last, b.at+2)
	}
	for c := b.at + 1; c < last; c++ {
		if b.begins(row, c) {
			return
		}
	}
	if b.sides { // without the bar between them
		row = strings.Replace(row, " │ ", "   ", 1)
	}
	text := strings.TrimLeft(row, " ")
	b.subs++
	aside := isAside(text)
	b.m.lines = append(b.m.lines, textLine{key: lineKey{b.at, b.subs}, text: strings.TrimRight(text, " "), aside: aside, sought: !aside && !b.prose})
	b.off = -1
	b.add(len(b.m.lines)-1, 0, len(strings.TrimRight(text, " ")), len(row)-len(text))
}

// continued maps a row that continues the line of the row before, if it does.
func (b *mapper) continued(row string) bool {
	if b.at < 0 || b.off < 0 {
		return false
	}
	line := b.src[b.at]
	rest := line.text[b.off:]
	if strings.TrimSpace(rest) == "" {
		return false
	}
	if text, ok := afterCells(row, line.gutter); ok && text != "" && strings.HasPrefix(rest, strings.TrimRight(text, " ")) && strings.TrimSpace(text) != "" {
		b.addPart(b.off, len(strings.TrimRight(text, " ")), line.gutter)
		return true
	}
	blanks := len(rest) - len(strings.TrimLeft(rest, " "))
	inner, _ := afterCells(row, line.gutter)
	for n, part := range []string{inner, row} { // bars in the gutter, or more room than on a line's first row
		text := strings.TrimSpace(part)
		if text == "" || !strings.HasPrefix(rest[blanks:], text) {
			continue
		}
		col := len(part) - len(strings.TrimLeft(part, " "))
		if n == 0 {
			col += line.gutter
		}
		b.addPart(b.off+blanks, len(text), col)
		return true
	}
	return false
}

// begins maps a row that is the first of a line, if it is.
func (b *mapper) begins(row string, c int) bool {
	line := b.src[c]
	text, ok := afterCells(row, line.gutter)
	text = strings.TrimRight(text, " ")
	if !ok && strings.TrimSpace(row) != "" || !strings.HasPrefix(line.text, text) || text == "" && strings.TrimSpace(line.text) != "" {
		return false
	}
	b.at, b.off, b.subs, b.line = c, 0, 0, len(b.m.lines)
	b.m.lines = append(b.m.lines, textLine{key: lineKey{c, 0}, text: strings.TrimRight(line.text, " "), raw: line.raw, aside: line.aside, sought: !line.aside})
	b.addPart(0, len(text), line.gutter)
	return true
}

func (b *mapper) addPart(from, n, col int) {
	b.off = from + n
	b.add(b.line, from, from+n, col)
}

func (b *mapper) add(line, from, to, col int) {
	to = min(to, len(b.m.lines[line].text))
	b.m.rows = append(b.m.rows, textRow{line, min(from, to), to, col})
}

// isAside reports whether a row says how much is hidden.
func isAside(row string) bool {
	return strings.HasPrefix(row, "▸ ") || strings.HasPrefix(row, "… ")
}

// found holds the matches of a query in rows.
type found struct {
	query query
	marks []mark
	first int // how many are in the first line
	count int
}

// mark is a piece of the n-th match of a segment: cells of a row.
type mark struct{ n, row, left, right int }

// matches returns the matches of a query.
func (m *textMap) matches(q query) *found {
	if m.found != nil && m.found.query == q {
		return m.found
	}
	f := &found{query: q}
	rows := map[int][]int{}
	for n, r := range m.rows {
		if r.line >= 0 {
			rows[r.line] = append(rows[r.line], n)
		}
	}
	for l := range m.lines {
		line := &m.lines[l]
		if !line.sought {
			continue
		}
		q.each(line.text, func(from, to int) bool {
			shown := false
			for _, n := range rows[l] {
				if left, right := m.rows[n].cells(line.text, from, to); right > left {
					f.marks = append(f.marks, mark{f.count, n, left, right})
					shown = true
				}
			}
			if shown {
				f.count++
			}
			return true
		})
		if l == 0 {
			f.first = f.count
		}
	}
	m.found = f
	return f
}

// afterCells returns the text after so many cells of a row; false if the row is
// shorter.
func afterCells(row string, cells int) (string, bool) {
	if len(row) >= cells && isASCII(row[:cells]) {
		return row[cells:], true
	}
	if glyphs.Width(row) < cells {
		return "", false
	}
	return text.Cut(row, cells, text.MaxCells), true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
