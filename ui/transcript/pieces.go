package transcript

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/acpclient/thread"
	"parley/internal/text"
)

// Plain text that may be long, and grow, is cut into pieces, as messages are cut
// into blocks: only those in sight are laid out, and what is added changes the
// last one. A piece ends with a line, or inside one that is very long.
const (
	pieceLines = 64
	pieceBytes = 4096 // a piece ends with the line that reaches that
	maxWhole   = 8192 // bytes of a line that is not cut
)

// pieces holds where a text is cut. That depends on the text alone, not on the
// chunks in which it arrived.
type pieces struct {
	starts []int // of each piece; the first at 0
	lines  int   // whole lines in the last one
	line   int   // where the unfinished line begins
	seen   int   // bytes that were cut so far
	end    int   // how much of the text is shown: without spaces at its end
}

// grow cuts the new part of a text. It returns the first piece whose rows have
// changed.
func (p *pieces) grow(text []byte, end int) (from int) {
	if p.starts == nil {
		p.starts = []int{0}
	}
	for from = len(p.starts) - 1; from > 0 && p.starts[from] >= p.end; {
		from--
	}
	p.cut(text, len(text))
	p.end = end
	return from
}

// cut finds the ends of pieces, at most so many.
func (p *pieces) cut(text []byte, most int) {
	for len(p.starts) <= most {
		limit := min(len(text), p.line+maxWhole)
		i := bytes.IndexByte(text[p.seen:limit], '\n')
		switch {
		case i >= 0:
			p.seen += i + 1
			p.line = p.seen
			if p.lines++; p.lines >= pieceLines || p.line-p.starts[len(p.starts)-1] >= pieceBytes {
				p.starts, p.lines = append(p.starts, p.line), 0
			}
		case limit-p.line == maxWhole:
			p.line += wholeWords(text[p.line:limit])
			p.seen = p.line
			p.starts, p.lines = append(p.starts, p.line), 0
		default:
			p.seen = limit
			return
		}
	}
}

// wholeWords returns where to cut a line, after a space if possible. It is never the
// end, so that something is left for the next row.
func wholeWords[T string | []byte](line T) int {
	for i := len(line) - 2; i > len(line)/2; i-- {
		if line[i] == ' ' {
			return i + 1
		}
	}
	at := len(line) - 1
	for back := 1; back < utf8.UTFMax && !utf8.RuneStart(line[at]); back++ {
		at--
	}
	return at
}

// span returns where the k-th piece is in the text.
func (p *pieces) span(k int) (start, end int) {
	if k+1 < len(p.starts) {
		return p.starts[k], p.starts[k+1]
	}
	return p.starts[k], p.seen
}

// text returns what the k-th piece shows; false if only white space is left.
func (p *pieces) text(text []byte, k int) (string, bool) {
	start, end := p.span(k)
	if k > 0 && start >= p.end {
		return "", false
	}
	if end > p.end {
		return string(text[min(start, p.end):p.end]), true
	}
	return strings.TrimSuffix(string(text[start:end]), "\n"), true
}

// firstPiece returns the size of the first piece of a text, in bytes.
func firstPiece(text []byte) int {
	p := pieces{starts: []int{0}}
	p.cut(text, 1)
	if len(p.starts) > 1 {
		return p.starts[1]
	}
	return len(text)
}

// pieced reports whether an item is shown in pieces: an opened prompt or thought.
func pieced(it *thread.Item, shown extent) bool {
	return (it.Kind == thread.UserMessage || it.Kind == thread.ThoughtMessage) && shown.open()
}

// cutPieces cuts the item's text and marks the pieces that have changed to be drawn
// again.
func (e *entry) cutPieces() {
	it := e.item
	if e.plain == nil || e.generation != it.Generation || len(it.Text) < e.plain.seen {
		e.plain, e.generation, e.segs = &pieces{}, it.Generation, nil
	}
	end := len(bytes.TrimRight(it.Text, "\n"))
	if it.Kind == thread.ThoughtMessage {
		end = len(bytes.TrimRightFunc(it.Text, unicode.IsSpace))
	}
	from := e.plain.grow(it.Text, end)
	for k := from; k < len(e.segs); k++ {
		e.segs[k].undraw()
	}
	e.resize(len(e.plain.starts))
}

// piece draws the k-th piece of the item.
func (p *pen) piece(cut *pieces, k int) (rows []string) {
	s, ok := cut.text(p.it.Text, k)
	if p.it.Kind == thread.UserMessage {
		if ok {
			rows = p.promptRows(text.Wrap(s, p.promptWidth()), k == 0)
		}
		if k == len(cut.starts)-1 {
			rows = append(rows, p.belowPrompt(nil)...)
		}
		return rows
	}
	if k == 0 {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		rows = append(rows, p.thoughtHead())
	}
	if ok {
		for _, r := range text.Wrap(s, max(1, min(p.width-len(indent)-2, maxProse))) {
			rows = append(rows, indent+"  "+p.th.Faint.Paint(r))
		}
	}
	return rows
}
