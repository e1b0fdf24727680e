package emulator

import (
	"bytes"

	"parley/internal/glyphs"
	"parley/internal/text"
)

// maxLineCells is how long one line of output may grow before it is broken.
const maxLineCells = 16 << 10

// outCell is one cluster of the line being written.
type outCell struct {
	text  string
	width int8
	style uint16 // index in lineScreen.styles
}

// lineScreen shows output that goes down the page line by line: text, styles, carriage returns, backspaces, tabs and
// erasing within the line. That is nearly all output of commands, and needs no grid of cells.
type lineScreen struct {
	cells  []outCell
	col    int // index in cells where the next cluster goes; may be past their end
	pen    text.Pen
	style  uint16
	styles []text.Pen // the styles of the cells; 0 is the plain one
	out    text.RowWriter
	single [128]string
}

func (s *lineScreen) setPen(p text.Pen) {
	if p == s.pen {
		return
	}
	s.pen = p
	for i, q := range s.styles {
		if p == q {
			s.style = uint16(i)
			return
		}
	}
	if len(s.styles) >= 4096 {
		s.style = 0
		return
	}
	s.styles = append(s.styles, p)
	s.style = uint16(len(s.styles) - 1)
}

// write puts text at the column. It returns what did not fit into the line.
func (s *lineScreen) write(b []byte) []byte {
	if s.styles == nil {
		s.init()
	}
	for len(b) > 0 && s.col < maxLineCells {
		if c := b[0]; c < 0x80 && (len(b) == 1 || b[1] < 0x80) {
			s.put(s.single[c], 1)
			b = b[1:]
			continue
		}
		cl, w := glyphs.First(b)
		b = b[len(cl):]
		if len(cl) > 64 { // what is too long for a cell is dropped: its rest would be marks on nothing
			cl = bytes.ToValidUTF8(cl[:64], nil)
		}
		s.put(string(cl), w)
	}
	return b
}

func (s *lineScreen) init() {
	s.styles = []text.Pen{{}}
	for i := range s.single {
		s.single[i] = string(rune(i))
	}
}

// put writes one cluster. A cell is a column: a wide cluster is followed by an empty cell.
func (s *lineScreen) put(text string, width int) {
	if width == 0 {
		s.join(text)
		return
	}
	for len(s.cells) < s.col {
		s.cells = append(s.cells, outCell{text: " ", width: 1})
	}
	s.tear(s.col)
	s.tear(s.col + width)
	for i := range width {
		c := outCell{style: s.style}
		if i == 0 {
			c.text, c.width = text, int8(width)
		}
		if s.col < len(s.cells) {
			s.cells[s.col] = c
		} else {
			s.cells = append(s.cells, c)
		}
		s.col++
	}
}

// join adds a combining mark to the cluster before the column.
func (s *lineScreen) join(text string) {
	for i := min(s.col, len(s.cells)) - 1; i >= 0; i-- {
		if c := &s.cells[i]; c.width > 0 {
			if len(c.text) < 64 {
				c.text += text
			}
			return
		}
	}
}

// tear replaces a wide cluster that has column i inside it by spaces.
func (s *lineScreen) tear(i int) {
	if i <= 0 || i >= len(s.cells) || s.cells[i].width > 0 {
		return
	}
	for j := i; j < len(s.cells) && s.cells[j].width == 0; j++ {
		s.cells[j] = outCell{text: " ", width: 1, style: s.cells[j].style}
	}
	for j := i - 1; j >= 0; j-- {
		wide := s.cells[j].width != 0
		s.cells[j].text, s.cells[j].width = " ", 1
		if wide {
			return
		}
	}
}

// erase clears the cells from one column up to another.
func (s *lineScreen) erase(from, to int) {
	if s.styles == nil {
		s.init()
	}
	if to >= len(s.cells) {
		if from < len(s.cells) {
			s.tear(from)
			s.cells = s.cells[:from]
		}
		return
	}
	s.tear(from)
	s.tear(to)
	for i := from; i < to; i++ {
		s.cells[i] = outCell{text: " ", width: 1}
	}
}

func (s *lineScreen) tab() {
	s.col = min((s.col/8+1)*8, maxLineCells)
}

func (s *lineScreen) backspace() {
	if s.col > 0 {
		s.col--
	}
}

// line returns the line as written so far, without spaces at its end.
func (s *lineScreen) line() string {
	end := len(s.cells)
	for end > 0 {
		c := s.cells[end-1]
		if c.text != " " && c.width > 0 || s.styles[c.style].Bg != "" || s.styles[c.style].Attrs&text.AttrReverse != 0 {
			break
		}
		if c.width == 0 {
			break
		}
		end--
	}
	for _, c := range s.cells[:end] {
		if c.width > 0 {
			s.out.Add(c.text, s.styles[c.style])
		}
	}
	return s.out.Finish()
}

// clear begins a new line in the present style.
func (s *lineScreen) clear() {
	s.cells, s.col = s.cells[:0], 0
	if len(s.styles) > 256 {
		p := s.pen
		s.styles, s.style, s.pen = s.styles[:1], 0, text.Pen{}
		s.setPen(p)
	}
}
