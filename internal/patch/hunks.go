package patch

import (
	"strconv"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// hunk reads the lines of a hunk, as many as its head announces or as exist. It reports
// false if there are none, or the head is invalid.
func (p *patchReader) hunk(head string) bool {
	at, left, ok := hunkHead(head)
	if !ok {
		return false
	}
	h, f := textdiff.Hunk[string]{LineNoX: at[0], LineNoY: at[1]}, &p.files[p.file]
	for p.pos < len(p.all) && p.lines < MaxLines {
		line := p.peek()
		if strings.HasPrefix(line, `\`) && len(h.Edits) > 0 {
			f.unfinished(h.Edits[len(h.Edits)-1])
		} else if e, ok := hunkLine(line, &at, &left); ok {
			h.Edits = append(h.Edits, e)
			p.lines++
		} else {
			break
		}
		p.pass(line)
	}
	if len(h.Edits) == 0 {
		return false
	}
	p.unclear = p.unclear || left != [2]int{}
	h.EndLineNoX, h.EndLineNoY = at[0], at[1]
	f.Hunks = append(f.Hunks, h)
	if from := p.pos; p.lines >= MaxLines && from < len(p.all) {
		p.pos, p.unclear = len(p.all), true
		p.text(from)
	}
	return true
}

// hunkLine reads a line of a hunk and advances. It reports false if no such line is left.
func hunkLine(line string, at, left *[2]int) (textdiff.Edit[string], bool) {
	e := textdiff.Edit[string]{Op: diff.Match, LineNoX: at[0], LineNoY: at[1]}
	step := [2]int{1, 1}
	switch {
	case line == "": // an empty line that has lost its leading space
	case line[0] == ' ':
		e.Line = line[1:]
	case line[0] == '-':
		e.Op, e.LineNoY, e.Line, step = diff.Delete, -1, line[1:], [2]int{1, 0}
	case line[0] == '+':
		e.Op, e.LineNoX, e.Line, step = diff.Insert, -1, line[1:], [2]int{0, 1}
	default:
		return e, false
	}
	for i := range step {
		if left[i] < step[i] {
			return e, false
		}
	}
	for i := range step {
		at[i], left[i] = at[i]+step[i], left[i]-step[i]
	}
	return e, true
}

// unfinished records that a line has no newline.
func (f *File) unfinished(e textdiff.Edit[string]) {
	if e.Op != diff.Insert {
		f.LastOld = e.LineNoX
	}
	if e.Op != diff.Delete {
		f.LastNew = e.LineNoY
	}
}

// Texts returns the lines of a hunk before the change and after it.
func (f *File) Texts(h textdiff.Hunk[string]) (before, after string) {
	var old, now strings.Builder
	for _, e := range h.Edits {
		if e.Op != diff.Insert {
			line(&old, e.Line, e.LineNoX == f.LastOld)
		}
		if e.Op != diff.Delete {
			line(&now, e.Line, e.LineNoY == f.LastNew)
		}
	}
	return old.String(), now.String()
}

func line(b *strings.Builder, text string, unfinished bool) {
	b.WriteString(text)
	if !unfinished {
		b.WriteByte('\n')
	}
}

// hunkHead parses "@@ -1,5 +1,6 @@ …": the index of the first line of each side, and the
// counts.
func hunkHead(line string) (at, count [2]int, ok bool) {
	spec, _, found := strings.Cut(strings.TrimPrefix(line, "@@ "), " @@")
	before, after, two := strings.Cut(spec, " ")
	if !found || !two {
		return at, count, false
	}
	for i, side := range [...]string{before, after} {
		rest, ok := strings.CutPrefix(side, [...]string{"-", "+"}[i])
		first, lines, counted := strings.Cut(rest, ",")
		if !counted {
			lines = "1"
		}
		n, err := strconv.ParseUint(first, 10, 32)
		m, err2 := strconv.ParseUint(lines, 10, 32)
		if !ok || err != nil || err2 != nil || n > maxLineNumber || m > maxLineNumber {
			return at, count, false
		}
		at[i], count[i] = int(n), int(m)
		if m > 0 { // otherwise it names the line before
			at[i] = max(0, at[i]-1)
		}
	}
	return at, count, true
}
