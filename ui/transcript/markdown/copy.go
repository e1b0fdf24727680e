package markdown

import (
	"strings"

	"parley/internal/safetext"
)

// Lines returns the lines of a Fence's piece as they were written, tabs and all,
// without its markers and without the indent that the fence has as a whole.
func (b Block) Lines() []string {
	if b.Kind != Fence {
		return nil
	}
	code := safetext.Clean(b.code())
	if b.strip > 0 {
		code = unindent(code, b.strip)
	}
	return strings.Split(strings.TrimSuffix(code, "\n"), "\n")
}

// Piece is a fenced code block of a message.
type Piece struct {
	Lang string // the first word after the marker
	Text string // without the markers and the fence's indent
}

// Fences returns the fenced code blocks of a whole message, in order, also those
// in lists and quotes. It takes time linear in the text and keeps none of it
// apart from the code.
func Fences(text string) []Piece {
	var out []Piece
	var r fenceReader
	for line := range strings.SplitSeq(text, "\n") {
		if p, done := r.line(line); done {
			out = append(out, p)
		}
	}
	if r.open {
		out = append(out, r.finish())
	}
	return out
}

// fenceReader finds fences line by line.
type fenceReader struct {
	open   bool
	mark   string // what opened it: at least three of one character
	quote  int    // number of > before its lines
	indent int    // columns before its marker
	item   int    // of these, columns of the list item around it: a line with fewer ends the fence
	lang   string
	code   []string
}

func (r *fenceReader) finish() Piece {
	p := Piece{Lang: r.lang, Text: strings.Join(r.code, "\n")}
	if len(r.code) > 0 {
		p.Text += "\n"
	}
	*r = fenceReader{}
	return p
}

// line reads the next line; done means that it has ended a fence.
func (r *fenceReader) line(line string) (p Piece, done bool) {
	if r.open {
		text, quotes := unquote(line, r.quote)
		blank := strings.TrimSpace(text) == ""
		columns, _ := indentOf(text)
		switch {
		case quotes < r.quote, r.item > 0 && !blank && columns < r.item:
			p, done = r.finish(), true // its container has ended; the line may begin another one
			r.begin(line)
			return p, done
		case r.closes(text):
			return r.finish(), true
		}
		r.code = append(r.code, dedent(text, r.indent))
		return p, false
	}
	r.begin(line)
	return p, false
}

func (r *fenceReader) closes(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) >= len(r.mark) && strings.Trim(text, r.mark[:1]) == ""
}

// begin opens a fence where the line does.
func (r *fenceReader) begin(line string) {
	text, quotes := unquote(line, maxQuotes)
	column, item := 0, 0
	for range maxNested {
		n, blanks := indentOf(text)
		column, text = column+n, text[blanks:]
		if n := listMark(text); n > 0 {
			text, column = text[n:], column+n
			rest, blanks := indentOf(text)
			if rest == 0 {
				return
			}
			if rest > 4 {
				rest, blanks = 1, 1
			}
			text, column = text[blanks:], column+rest
			item = column
			continue
		}
		break
	}
	n := len(text) - len(strings.TrimLeft(text, "`"))
	if n == 0 {
		n = len(text) - len(strings.TrimLeft(text, "~"))
	}
	if n < 3 || text[0] == '`' && strings.Contains(text[n:], "`") || item == 0 && quotes == 0 && column > 3+maxNested {
		return
	}
	lang, _, _ := strings.Cut(strings.TrimSpace(text[n:]), " ")
	*r = fenceReader{open: true, mark: text[:n], quote: quotes, indent: column, item: min(item, column), lang: lang}
}

const (
	maxQuotes = 16 // of quotes in quotes
	maxNested = 16 // of lists in lists
)

// unquote removes up to so many quote markers from a line.
func unquote(line string, most int) (rest string, n int) {
	for n < most {
		trimmed := strings.TrimLeft(line, " ")
		if len(line)-len(trimmed) > 3 || !strings.HasPrefix(trimmed, ">") {
			break
		}
		line = strings.TrimPrefix(trimmed[1:], " ")
		n++
	}
	return line, n
}

// listMark is the length of a list's marker at the beginning of a text, 0 for none.
func listMark(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch {
	case digits == 0 && text != "" && strings.IndexByte("-+*", text[0]) >= 0:
		return 1
	case digits > 0 && digits < 10 && len(text) > digits && (text[digits] == '.' || text[digits] == ')'):
		return digits + 1
	}
	return 0
}
