package markdown

import (
	"strings"
	"unicode/utf8"
)

const (
	maxBlock = 4096 // bytes of a block
	maxLines = 64   // lines of code of a piece of a fence, and rows of a piece of a table
	maxItems = 128  // lines of a list, if an item begins after them
)

// KeptText is about how many bytes of a message a Stream keeps.
const KeptText = 32 << 10

// span is the block that grows: offsets into the text that is kept.
type span struct {
	start, end int
	from, to   int    // the code of a fence
	headAt     int    // of a table that is not continued: where its header rows begin
	head       int    // their length, 0: too long to be repeated
	again      header // of a continued table: those it repeats
	indent     int    // columns of the list item a piece was cut out of
	strip      int    // columns that a fence's lines are indented by
	lang       string
	kind       Kind
	cont       bool
}

// Stream splits one growing message into blocks. It keeps only the text of the open
// block and some before it, so Block needs the message. The zero value is ready to
// use. A Stream must not be copied after its first use.
type Stream struct {
	text   strings.Builder // of the message, from base on
	base   int             // the offsets below count from there
	blocks []closed
	more   []detail

	open   span // the block that is growing; its end is not known yet
	line   int  // start of the line that is growing
	scan   int  // how far newlines were searched for
	inked  bool // the open block has a line that is not blank
	midway bool // the growing line is the rest of one that was cut

	prev int // Paragraph: start of the line before the growing one, negative: none

	fence  fenceMark // Fence: its marker. List: the fence inside an item, if any
	inList bool      // Fence: was cut out of a list item; the list continues after it
	lines  int       // Fence, Table, List: lines in this piece

	item   int  // List: start of the last item of the outermost level, negative: not in this piece
	offset int  // List: column of that item's content
	loose  bool // List: the last line was blank

	htmlEnd string // HTML: what ends it, "" a blank line
}

// Append adds a copy of text to the message. The cost depends on that text alone.
func (s *Stream) Append(text []byte) {
	for len(text) > 0 {
		n := min(len(text), KeptText)
		s.text.Write(text[:n])
		text = text[n:]
		s.split()
		if s.open.start >= KeptText {
			s.forget()
		}
	}
}

// split splits the text that was added.
func (s *Stream) split() {
	all := s.text.String()
	for {
		i := strings.IndexByte(all[s.scan:], '\n')
		if i < 0 {
			s.scan = len(all)
			s.overflow(all, len(all))
			return
		}
		s.scan += i + 1
		s.overflow(all, s.scan)
		s.endLine(all, s.scan)
	}
}

// forget drops the text before the open block. Offsets into it become negative.
func (s *Stream) forget() {
	n := s.open.start
	tail := s.text.String()[n:]
	s.text = strings.Builder{}
	s.text.Grow(KeptText + 2*maxBlock)
	s.text.WriteString(tail)
	s.base += n
	s.open.start, s.open.from, s.open.headAt = 0, s.open.from-n, s.open.headAt-n
	s.line, s.scan, s.prev, s.item = s.line-n, s.scan-n, s.prev-n, s.item-n
}

// Finish ends the message: the tail becomes a closed block. Trailing blank lines join
// the last block. Text that is appended afterwards starts a new block.
func (s *Stream) Finish() {
	all := s.text.String()
	if s.line < len(all) {
		s.endLine(all, len(all))
	}
	s.close(len(all))
	s.leftover(len(all))
	s.scan, s.midway = len(all), false
}

// Reset forgets the message.
func (s *Stream) Reset() { *s = Stream{blocks: s.blocks[:0], more: s.more[:0]} }

// Len returns the number of closed blocks.
func (s *Stream) Len() int { return len(s.blocks) }

// Tail returns the open block, the zero Block if there is none.
func (s *Stream) Tail() Block {
	all := s.text.String()
	sp := s.open
	sp.end = len(all)
	partial := all[s.line:]
	if !s.inked && isBlank(partial) {
		return Block{}
	}
	switch {
	case sp.kind == Fence:
		sp.to = sp.end
		if !s.midway && s.fence.mayClose(partial) {
			sp.to = s.line
		}
	case sp.kind == Paragraph && s.prev >= sp.start && mayDelimit(partial) && strings.IndexByte(all[s.prev:s.line], '|') >= 0:
		sp.end = s.line // the second row of a table, it seems
	case sp.kind == 0:
		probe := Stream{open: sp}
		sp.kind = probe.begin(partial, sp.end)
		sp.lang, sp.from, sp.to = probe.open.lang, sp.end, sp.end
	}
	b := Block{Kind: sp.kind, Source: all[sp.start:sp.end], Lang: sp.lang, Open: true, Continued: sp.cont, indent: sp.indent}
	if sp.kind == Fence {
		b.from, b.to, b.strip = sp.from-sp.start, sp.to-sp.start, sp.strip
	}
	if sp.kind == Table && sp.cont {
		b.head = sp.again.text
	}
	return b
}

// close ends the open block at end. Blank lines alone are no block; they become part
// of the next one.
func (s *Stream) close(end int) {
	if !s.inked {
		s.open = span{start: s.open.start}
	} else {
		s.open.end = end
		if s.open.kind == Fence && s.open.to < 0 {
			s.open.to = end
		}
		s.add(s.open)
		s.open = span{start: end}
	}
	s.inked, s.lines, s.prev = false, 0, -1
	s.fence, s.inList, s.loose = fenceMark{}, false, false
}

// leftover adds the blank lines before end to the block before them.
func (s *Stream) leftover(end int) {
	if end == s.open.start {
		return
	}
	// Where it starts is where the one before ends.
	if n := len(s.blocks); n == 0 || s.base+end-s.blocks[n-1].start > maxBlock {
		s.add(span{kind: Paragraph, cont: true, start: s.open.start, end: end})
	}
	s.open.start, s.line = end, end
}

// cut closes the open block at `at`, since it is too long; the next block continues
// it.
func (s *Stream) cut(all string, at int) {
	was, fence, inList := s.open, s.fence, s.inList
	s.inked = true
	s.close(at)
	s.open.kind, s.open.cont, s.open.lang, s.open.indent = was.kind, true, was.lang, was.indent
	switch was.kind {
	case Fence:
		s.fence, s.inList, s.open.from, s.open.to, s.open.strip = fence, inList, at, -1, was.strip
	case Table:
		if s.open.again = was.again; !was.cont {
			s.open.again = header{s.base + was.headAt, strings.Clone(all[was.headAt : was.headAt+was.head])}
		}
	case List:
		s.cutList(at, fence)
	}
}

// cutList continues a list after a cut: with its next item, inside an item, or inside
// a fence inside an item.
func (s *Stream) cutList(at int, fence fenceMark) {
	if s.item == at {
		s.open.indent, s.fence = 0, fence
		s.inked = s.line > at
		return
	}
	s.open.indent = s.offset
	if fence.char != 0 {
		s.open.kind, s.fence, s.inList = Fence, fence, true
		s.open.from, s.open.to, s.open.strip = at, -1, fence.indent
	}
}

// overflow cuts the open block while it and the text up to end, which may be
// the beginning of a line, are too long. It reads no byte past the limit, so that the
// result does not depend on how much of the text has arrived.
func (s *Stream) overflow(all string, end int) {
	for end-s.open.start > maxBlock {
		switch {
		case s.line > s.open.start && !s.inked: // blank lines only
			s.add(span{kind: Paragraph, cont: true, start: s.open.start, end: s.line})
			s.open.start = s.line
		case s.line > s.open.start && s.open.kind == List && s.item > s.open.start:
			s.cut(all, s.item)
		case s.line > s.open.start:
			s.cut(all, s.line)
		default:
			s.cutLine(all)
		}
	}
}

// cutLine cuts a line that fills a block alone.
func (s *Stream) cutLine(all string) {
	limit := s.open.start + maxBlock
	head := all[s.open.start:limit]
	if s.open.kind == 0 {
		kind := Paragraph
		if !s.midway {
			kind = s.begin(head, limit)
		}
		if kind == Fence || kind == Rule {
			kind = Paragraph
		}
		s.open.kind, s.open.lang, s.fence = kind, "", fenceMark{}
	}
	at := limit
	for back := 1; back < utf8.UTFMax; back++ {
		if utf8.RuneStart(all[limit-back]) {
			if !utf8.FullRuneInString(all[limit-back : limit]) {
				at = limit - back
			}
			break
		}
	}
	if s.open.kind != Fence && s.open.kind != Code {
		at = s.open.start + lastBlank(head[:at-s.open.start])
	}
	s.inked = true
	s.line = at
	if s.open.kind == List && s.item >= s.open.start {
		s.item = -1
	}
	s.cut(all, at)
	switch s.open.kind {
	case Heading, Quote, Table, Reference:
		s.open.kind, s.open.head, s.open.again = Paragraph, 0, header{}
	}
	s.midway, s.line = true, at
}

// lastBlank returns where to cut s: after a space before a letter, else after any
// space, else at its end.
func lastBlank(s string) int {
	any := len(s)
	for i := len(s) - 1; i > 1; i-- {
		if s[i-1] != ' ' && s[i-1] != '\t' {
			continue
		}
		if c := s[i]; c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf {
			return i
		}
		if any == len(s) {
			any = i
		}
	}
	return any
}
