package markdown

import "strings"

// wrapper breaks pieces into rows.
type wrapper struct {
	limit int
	rows  []line
	row   line
	used  int // cells of row

	word      []piece // must not be broken
	wordWidth int
	spaces    []piece // between row and word: shown only if the word fits the row
	blankSize int
}

// wrapWords breaks between words, and beside wide characters, so that no row is
// wider than limit. A wider word is broken at the limit.
func wrapWords(pieces []piece, limit int) []line {
	w := wrapper{limit: max(limit, 2)}
	for _, p := range pieces {
		text := p.text
		for text != "" {
			n := plainWord(text)
			if n > 0 {
				w.add(text[:n], n, p.style)
				text = text[n:]
				continue
			}
			size, width := cluster(text)
			switch {
			case text[0] == '\n':
				w.flushWord()
				w.newRow()
			case text[:size] == " ":
				w.flushWord()
				w.spaces = appendPiece(w.spaces, " ", p.style)
				w.blankSize++
			case width > 1:
				w.flushWord()
				w.add(text[:size], width, p.style)
				w.flushWord()
			default:
				w.add(text[:size], width, p.style)
			}
			text = text[size:]
		}
	}
	w.flushWord()
	if len(w.row) > 0 {
		w.newRow()
	}
	return w.rows
}

// plainWord returns the length of the prefix of s that takes one cell per byte and
// has no spaces.
func plainWord(s string) int {
	n := 0
	for n < len(s) && s[n] > 0x20 && s[n] < 0x7f {
		n++
	}
	if n > 0 && n < len(s) && s[n] >= 0x80 {
		n-- // may be the base of a combining mark
	}
	return n
}

// add adds text of one style to the word.
func (w *wrapper) add(text string, width int, st style) {
	w.word = appendPiece(w.word, text, st)
	w.wordWidth += width
}

// flushWord moves the word into the row, or into the next one.
func (w *wrapper) flushWord() {
	if len(w.word) == 0 {
		return
	}
	if w.used > 0 && w.used+w.blankSize+w.wordWidth > w.limit {
		w.newRow()
	}
	if w.used > 0 {
		for _, p := range w.spaces {
			w.row = appendPiece(w.row, p.text, p.style)
		}
		w.used += w.blankSize
	}
	w.spaces, w.blankSize = w.spaces[:0], 0
	if w.used+w.wordWidth <= w.limit {
		for _, p := range w.word {
			w.row = appendPiece(w.row, p.text, p.style)
		}
		w.used += w.wordWidth
	} else {
		rows := wrapHard(w.word, w.limit)
		w.rows = append(w.rows, rows[:len(rows)-1]...)
		w.row = rows[len(rows)-1]
		w.used = w.row.width()
	}
	w.word, w.wordWidth = w.word[:0], 0
}

func (w *wrapper) newRow() {
	w.rows = append(w.rows, w.row)
	w.row, w.used = nil, 0
	w.spaces, w.blankSize = w.spaces[:0], 0
}

// wrapHard breaks at the limit, even inside words, and keeps all spaces. It returns at
// least one row.
func wrapHard(pieces []piece, limit int) []line {
	var rows []line
	var row line
	limit = max(limit, 2)
	used := 0
	for _, p := range pieces {
		for text := p.text; text != ""; {
			n, width := fitting(text, limit-used)
			if n == 0 {
				rows, row, used = append(rows, row), nil, 0
				if text[0] == '\n' {
					text = text[1:]
				}
				continue
			}
			row = appendPiece(row, text[:n], p.style)
			used += width
			text = text[n:]
		}
	}
	return append(rows, row)
}

// fitting returns how many bytes of s, up to a newline, fit into room cells.
func fitting(s string, room int) (n, width int) {
	for n < len(s) && s[n] != '\n' {
		size, w := cluster(s[n:])
		if width+w > room {
			break
		}
		n += size
		width += w
	}
	return n, width
}

// expandTabs replaces tabs by spaces to the next multiple of four columns.
func expandTabs(s string, column int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '\t')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		column += textWidth(s[:i])
		n := 4 - column%4
		b.WriteString("    "[:n])
		column += n
		s = s[i+1:]
	}
	return b.String()
}
