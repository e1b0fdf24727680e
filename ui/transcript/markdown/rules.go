package markdown

import "strings"

// endLine handles a whole line; end is after its newline. It decides where blocks
// begin and end.
func (s *Stream) endLine(all string, end int) {
	line := strings.TrimSuffix(all[s.line:end], "\n")
	if s.midway {
		s.endRest(all, line, end)
	} else if s.open.kind == 0 || !s.continueBlock(all, line, end) {
		s.start(all, line, end)
	}
	s.midway = false
	at := s.line
	s.line = end
	s.cutRows(all, at)
}

// cutRows closes a table or a list that has many lines, however short, since they are
// slow to draw. The line that has just ended began at `at`.
func (s *Stream) cutRows(all string, at int) {
	switch s.open.kind {
	case Table:
		if s.lines++; s.lines >= maxLines {
			s.cut(all, s.line)
		}
	case List:
		if s.lines++; s.lines > maxItems && s.item == at && at > s.open.start {
			s.cut(all, at)
			s.lines = 1
		}
	}
}

// endRest handles the rest of a line that was cut, which never begins a block.
func (s *Stream) endRest(all, line string, end int) {
	s.inked = s.inked || !isBlank(line)
	switch s.open.kind {
	case Fence:
		s.inked = true
		s.codeLine(all, end)
	case HTML:
		if s.htmlEnd != "" && strings.Contains(strings.ToLower(line), s.htmlEnd) {
			s.close(end)
		}
	}
}

// start begins a block with line, which belongs to no block that is open.
func (s *Stream) start(all, line string, end int) {
	if isBlank(line) {
		return
	}
	s.open.kind = s.begin(line, s.line)
	s.inked = true
	switch s.open.kind {
	case Fence:
		s.open.from, s.open.to, s.open.strip = end, -1, s.fence.indent
	case Heading, Rule:
		s.close(end)
	case HTML:
		s.goesOnHTML(all, line, end)
	case List:
		s.nestedFence(line)
	case Paragraph:
		s.prev = s.line
	}
}

// begin returns the kind of the block that line, at offset at, begins, and notes what
// is needed to continue it.
func (s *Stream) begin(line string, at int) Kind {
	if mark, lang := openingFence(line); mark.char != 0 {
		s.fence, s.open.lang = mark, lang
		return Fence
	}
	if indent, _ := indentOf(line); indent > 3 {
		return Code
	}
	if end, ok := htmlEnd(line); ok {
		s.htmlEnd = end
		return HTML
	}
	offset, _, _ := listItem(line)
	switch {
	case isHeading(line):
		return Heading
	case isRule(line):
		return Rule
	case isQuote(line):
		return Quote
	case offset > 0:
		s.item, s.offset = at, offset
		return List
	case isReference(line):
		return Reference
	}
	return Paragraph
}

// interrupts reports whether line begins a block even right after the text of
// another.
func interrupts(line string) bool {
	if indent, _ := indentOf(line); indent > 3 {
		return false
	}
	if mark, _ := openingFence(line); mark.char != 0 {
		return true
	}
	if _, ok := htmlEnd(line); ok {
		return true
	}
	offset, number, empty := listItem(line)
	return isHeading(line) || isRule(line) || isQuote(line) || offset > 0 && !empty && (number == -1 || number == 1)
}

// continueBlock adds line to the open block, or closes the block before it and returns
// false.
func (s *Stream) continueBlock(all, line string, end int) bool {
	switch s.open.kind {
	case Fence:
		return s.goesOnFence(all, line, end)
	case List:
		return s.continueList(all, line)
	case HTML:
		return s.goesOnHTML(all, line, end)
	}
	if isBlank(line) {
		s.close(end)
		return true
	}
	more := false
	switch s.open.kind {
	case Paragraph:
		if s.continueParagraph(all, line, end) {
			return true
		}
	case Quote:
		more = isQuote(line) || !interrupts(line)
	case Table:
		more = !interrupts(line)
	case Code:
		indent, _ := indentOf(line)
		more = indent > 3
	case Reference:
		more = isReference(line)
	}
	if !more {
		s.close(s.line)
		return false
	}
	s.inked = true
	return true
}

// continueParagraph also turns the paragraph into a heading or a table.
func (s *Stream) continueParagraph(all, line string, end int) bool {
	if s.inked && !s.open.cont && isUnderline(line) {
		s.open.kind = Heading
		s.close(end)
		return true
	}
	if s.prev >= s.open.start && isDelimiter(line) && cells(all[s.prev:s.line]) == cells(line) {
		if prev := s.prev; prev > s.open.start && !isBlank(all[s.open.start:prev]) {
			s.close(prev)
		}
		s.open.kind, s.open.cont, s.inked = Table, false, true
		s.open.headAt = s.open.start
		if n := end - s.open.start; n <= maxBlock/4 {
			s.open.head = n
		}
		return true
	}
	if interrupts(line) {
		return false
	}
	s.prev, s.inked = s.line, true
	return true
}

func (s *Stream) goesOnHTML(all, line string, end int) bool {
	if s.htmlEnd == "" && isBlank(line) {
		s.close(end)
		return true
	}
	s.inked = s.inked || !isBlank(line)
	if s.htmlEnd != "" && strings.Contains(strings.ToLower(line), s.htmlEnd) {
		s.close(end)
	}
	return true
}

func (s *Stream) goesOnFence(all, line string, end int) bool {
	if indent, _ := indentOf(line); s.inList && indent < s.offset && !isBlank(line) {
		s.leaveFence(all, s.line)
		return s.continueList(all, line)
	}
	s.inked = true
	if !s.fence.closes(line) {
		s.codeLine(all, end)
		return true
	}
	s.open.to = s.line
	if s.inList {
		s.leaveFence(all, end)
	} else {
		s.close(end)
	}
	return true
}

// leaveFence closes a fence that was cut out of a list item at `at` and returns
// to the item.
func (s *Stream) leaveFence(all string, at int) {
	offset := s.offset
	s.close(at)
	s.open.kind, s.open.cont, s.open.indent = List, true, offset
	s.item = -1
}

// codeLine counts a line of code, and cuts the fence at every 64th.
func (s *Stream) codeLine(all string, end int) {
	if s.lines++; s.lines == maxLines {
		s.cut(all, end)
	}
}

// continueList adds a line to a list: items, indented lines, blank lines, and
// text right after text.
func (s *Stream) continueList(all, line string) bool {
	if isBlank(line) {
		s.loose = true
		return true
	}
	loose := s.loose
	s.loose = false
	indent, _ := indentOf(line)
	offset, _, _ := listItem(line)
	if indent > 3 && indent < s.offset {
		offset = 0 // too deep for an item of the outermost level, too shallow for its content
	}
	switch {
	case offset > 0 && indent < s.offset && !isRule(line):
		if s.open.indent > 0 { // a piece from inside an item ends here
			s.close(s.line)
			s.open.kind, s.open.cont = List, true
		}
		s.item, s.offset, s.fence = s.line, offset, fenceMark{}
		s.nestedFence(line)
	case indent >= s.offset:
		s.nestedFence(line)
	case indent == 0 && loose, interrupts(line):
		s.close(s.line)
		return false
	default:
		s.fence = fenceMark{}
	}
	s.inked = true
	return true
}

// nestedFence notes the fences that a line of a list item opens and closes.
func (s *Stream) nestedFence(line string) {
	if s.fence.char != 0 {
		if s.fence.closes(line) {
			s.fence = fenceMark{}
		}
		return
	}
	base := 0
	for range 8 { // the markers of items, as in "- - ```"
		offset, _, _ := listItem(line)
		if offset == 0 || isRule(line) {
			break
		}
		_, at := indentOf(line)
		at += strings.IndexAny(line[at:]+" ", " \t")
		base, line = base+offset, strings.TrimLeft(line[at:], " \t")
	}
	indent, at := indentOf(line)
	if mark, lang := openingFence(line[at:]); mark.char != 0 {
		mark.indent = base + indent
		s.fence, s.open.lang = mark, lang
	}
}
