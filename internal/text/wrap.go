package text

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Wrap breaks text into rows of at most width cells, at spaces where it can and inside words that are longer than a row.
// The text may be styled; each row carries its own styles. Spaces at a break and at row ends are dropped, those at the
// start of a line are kept. Newlines begin a new row; an empty text is one empty row. A width below 1 counts as 1, and a
// wide character that cannot fit becomes a '?'.
func Wrap(s string, width int) []string { return (&wrapper{width: max(width, 1)}).wrap(s) }

// WrapLinked wraps a text that may have links, which must be safe for a terminal.
func WrapLinked(s string, width int) []string {
	return (&wrapper{width: max(width, 1), links: true}).wrap(s)
}

func (w *wrapper) wrap(s string) []string {
	width := w.width
	if len(s) <= width && PlainASCII(s) {
		return []string{strings.TrimRight(s, " ")}
	}
	var rows []string
	for line := range strings.SplitSeq(expandTabs(s), "\n") {
		if w.pen.zero() && PlainASCII(line) {
			rows = wrapASCII(rows, line, width)
			continue
		}
		rows = w.line(rows, line)
	}
	return rows
}

// wrapASCII is Wrap for a line in which bytes are cells; the rows share the memory of the line.
func wrapASCII(rows []string, line string, width int) []string {
	for first := true; ; first = false {
		if !first {
			line = strings.TrimLeft(line, " ")
			if line == "" {
				return rows
			}
		}
		if len(line) <= width {
			return append(rows, strings.TrimRight(line, " "))
		}
		cut := width
		if line[width] != ' ' {
			if i := strings.LastIndexByte(line[:width], ' '); i >= 0 && strings.TrimLeft(line[:i], " ") != "" {
				cut = i
			}
		}
		rows = append(rows, strings.TrimRight(line[:cut], " "))
		line = line[cut:]
	}
}

// piece is a cluster on its way into a row.
type piece struct {
	text  string
	width int
	pen   int // its index in wrapper.pens
}

func (p piece) blank() bool { return p.text == " " }

// wrapper wraps one line at a time and carries the style from line to line.
type wrapper struct {
	width int
	links bool // they are kept
	pen   Pen
	pens  []Pen   // of the line
	row   []piece // the row being filled
	cells int
	out   RowWriter
}

func (w *wrapper) line(rows []string, line string) []string {
	w.row, w.cells = slices.Grow(w.row[:0], min(w.width, len(line))+1), 0
	sc := Scanner{S: line, Pen: w.pen, links: w.links}
	w.pens = append(w.pens[:0], w.pen)
	first := true
	for {
		last := sc.pos
		cluster, cw, start := sc.Next()
		if cluster == "" {
			break
		}
		if cw > w.width {
			cluster, cw = "?", 1
		}
		if start > last && w.pens[len(w.pens)-1] != sc.Pen { // a sequence came before it
			w.pens = append(w.pens, sc.Pen)
		}
		p := piece{cluster, cw, len(w.pens) - 1}
		for w.cells+cw > w.width && cw > 0 {
			if p.blank() {
				break
			}
			rows = w.breakRow(rows, cw > 1)
			first = false
		}
		if p.blank() && (w.cells+cw > w.width || !first && w.cells == 0) {
			// A space that would exceed the width marks the break; the next word starts a row.
			if w.cells >= w.width {
				rows, first = w.flush(rows, len(w.row)), false
			}
			continue
		}
		w.row = append(w.row, p)
		w.cells += cw
	}
	w.pen = sc.Pen
	if first || len(w.row) > 0 {
		rows = w.flush(rows, len(w.row))
	}
	return rows
}

// breakRow writes the row up to the last place where it may break, or all of it, and keeps the rest for the next. That
// place is after a space or beside a wide character, for scripts without spaces; wide means that one comes next.
func (w *wrapper) breakRow(rows []string, wide bool) []string {
	at := len(w.row)
	for at > 0 && !wide && !w.row[at-1].blank() {
		wide = w.row[at-1].width > 1
		if wide && at < len(w.row) {
			break
		}
		at--
	}
	text := at
	for text > 0 && w.row[text-1].blank() {
		text--
	}
	if text == 0 {
		at = len(w.row)
	}
	return w.flush(rows, at)
}

func (w *wrapper) flush(rows []string, n int) []string {
	end := n
	for end > 0 && w.row[end-1].blank() && w.pens[w.row[end-1].pen].Bg == "" {
		end--
	}
	for i, p := range w.row[:end] {
		if i == 0 || p.pen != w.row[i-1].pen {
			w.out.Add(p.text, w.pens[p.pen])
		} else {
			w.out.buf = append(w.out.buf, p.text...)
		}
	}
	rows = append(rows, w.out.Finish())
	kept := copy(w.row, w.row[n:])
	w.row, w.cells = w.row[:kept], 0
	for _, p := range w.row {
		w.cells += p.width
	}
	return rows
}

// HardWrap breaks one line into rows of at most width cells, anywhere, and keeps all spaces. It stops
// after limit rows (0: none) and reports whether text was left.
func HardWrap(s string, width, limit int) (rows []string, more bool) {
	width = max(width, 1)
	if PlainASCII(s) {
		for len(s) > width {
			if limit > 0 && len(rows) == limit {
				return rows, true
			}
			rows, s = append(rows, s[:width]), s[width:]
		}
		if limit > 0 && len(rows) == limit {
			return rows, true
		}
		return append(rows, s), false
	}
	var out RowWriter
	cells := 0
	sc := Scanner{S: expandTabs(s)}
	for {
		cluster, cw, _ := sc.Next()
		if cluster == "" {
			return append(rows, out.Finish()), false
		}
		if cw > width {
			cluster, cw = "?", 1
		}
		if cells+cw > width {
			rows, cells = append(rows, out.Finish()), 0
			if limit > 0 && len(rows) == limit {
				return rows, true
			}
		}
		out.Add(cluster, sc.Pen)
		cells += cw
	}
}

// Truncate cuts s, which may be styled, to width cells. What was cut is marked by tail, which counts towards the width.
func Truncate(s string, width int, tail string) string {
	if width <= 0 {
		return ""
	}
	if len(s) <= width && PlainASCII(s) {
		return s
	}
	s = expandTabs(s)
	if Width(s) <= width {
		return Cut(s, 0, width)
	}
	tw := Width(tail)
	if tw > width {
		tail, tw = "", 0
	}
	var out RowWriter
	sc := Scanner{S: s}
	for cells := 0; ; {
		cluster, cw, _ := sc.Next()
		if cluster == "" || cells+cw > width-tw {
			for ts := (Scanner{S: tail, Pen: out.pen}); ; {
				t, _, _ := ts.Next()
				if t == "" {
					return out.Finish()
				}
				out.Add(t, ts.Pen)
			}
		}
		out.Add(cluster, sc.Pen)
		cells += cw
	}
}

// FitHints fits hints, joined by " · ", into width cells. It drops the last ones, which matter least, and cuts only the first.
func FitHints(hints string, width int) string {
	for hints = OneLine(hints); Width(hints) > width; {
		last := strings.LastIndex(hints, " · ")
		if last < 0 {
			return Truncate(hints, width, "…")
		}
		hints = hints[:last]
	}
	return hints
}

// Cut returns the cells from left up to right of a styled row. Halves of wide characters at the edges become spaces.
func Cut(s string, left, right int) string {
	var out RowWriter
	cutInto(&out, s, left, right)
	return out.Finish()
}

// cutInto appends the cells from left up to right of s to out and returns how many there were.
func cutInto(out *RowWriter, s string, left, right int) int {
	cells, written := 0, 0
	for sc := (Scanner{S: s}); cells < right; {
		cluster, cw, _ := sc.Next()
		if cluster == "" {
			break
		}
		end := cells + cw
		switch {
		case cells >= left && end <= right:
			if cw > 0 || cells > left || left == 0 {
				out.Add(cluster, sc.Pen)
			}
			written += cw
		case end > left:
			n := min(end, right) - max(cells, left)
			out.Spaces(n, sc.Pen)
			written += n
		}
		cells = end
	}
	return written
}

// Seconds formats a duration in few digits, none below a second.
func Seconds(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
