package markdown

// closed is a block that no longer changes. It is small, since a long message has
// tens of thousands of them. It ends where the next one starts.
type closed struct {
	start int   // in the message
	more  int32 // its index in Stream.more plus one; 0: it has no detail
	kind  Kind
	cont  bool
}

// detail holds what only some blocks have.
type detail struct {
	lang          string
	headAt        int // of a continued table: where its header rows are in the message
	head          int32
	from, to      int32 // of a fence: its code, counted from the start of the block
	indent, strip int32
}

// header is the header and delimiter rows of a table that was cut.
type header struct {
	at   int // in the message
	text string
}

// add adds a closed block.
func (s *Stream) add(b span) {
	c := closed{start: s.base + b.start, kind: b.kind, cont: b.cont}
	d := detail{lang: b.lang, indent: int32(b.indent)}
	if b.kind == Fence {
		d.from, d.to, d.strip = int32(b.from-b.start), int32(b.to-b.start), int32(b.strip)
	}
	if b.kind == Table && b.cont {
		d.headAt, d.head = b.again.at, int32(len(b.again.text))
	}
	if d != (detail{}) {
		if n := len(s.more); n > 0 && s.more[n-1].lang == d.lang {
			d.lang = s.more[n-1].lang // one string for all
		}
		s.more = append(s.more, d)
		c.more = int32(len(s.more))
	}
	s.blocks = append(s.blocks, c)
}

// Span returns where closed block i is in the message. Block i+1 starts where it
// ends; block 0 starts at 0.
func (s *Stream) Span(i int) (start, end int) {
	if i+1 < len(s.blocks) {
		return s.blocks[i].start, s.blocks[i+1].start
	}
	return s.blocks[i].start, s.base + s.open.start
}

// Block returns closed block i, 0 <= i < Len(), of the message, which begins with
// all that was appended. The block has a copy of its text.
func (s *Stream) Block(i int, message []byte) Block {
	c := s.blocks[i]
	start, end := s.Span(i)
	b := Block{Kind: c.kind, Source: string(message[start:end]), Continued: c.cont}
	if c.more > 0 {
		d := s.more[c.more-1]
		b.Lang, b.head = d.lang, string(message[d.headAt:d.headAt+int(d.head)])
		b.from, b.to, b.indent, b.strip = int(d.from), int(d.to), int(d.indent), int(d.strip)
	}
	return b
}
