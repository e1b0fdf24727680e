// Package plain turns Markdown into plain words, line by line, for screen readers. Headings,
// items, code and tables are announced in words, links are spelled out, and no markup is left.
package plain

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/words"
)

// Lines receives what a Writer says.
type Lines interface {
	// Say begins a line with words, or continues it.
	Say(words string)
	// Verbatim writes a whole line unchanged.
	Verbatim(line string)
	// End ends the line, if one was begun.
	End()
}

// maxHeld bounds how much of an unfinished block is held back, in bytes.
const maxHeld = 4 << 10

// Writer turns a growing message from Markdown into plain words. It says each sentence, item,
// row and line of code once, as soon as it is complete. The result depends only on the text,
// not on how it was split into writes.
type Writer struct {
	to Lines

	line    []byte // the unfinished line, or the part of it that is not in block
	midline bool   // the beginning of the line is in block

	block string // Markdown of the unfinished paragraph or item that was not said yet
	label string // said before the block
	said  bool   // part of the paragraph or item was said
	tried int    // length of the block when it last could not be said
	lists []int  // columns of the markers of the enclosing list items

	fence    string // the fence that closes the code; "" outside of code
	strip    int    // columns before the opening fence
	indented bool   // the code is indented, not fenced

	columns []string // headings of the table; nil outside of one
	quote   *Writer  // writes the current quotation; nil outside of one
	depth   int      // number of enclosing quotations
}

// NewWriter returns a Writer that says a message to lines.
func NewWriter(to Lines) *Writer { return &Writer{to: to} }

// Write adds text to the message.
func (s *Writer) Write(text string) {
	for text != "" {
		n := len(text)
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			n = i
		}
		s.grow(text[:n])
		if n == len(text) {
			return
		}
		s.endLine()
		text = text[n+1:]
	}
}

// End ends the message and says what is held back. A later Write begins another message.
func (s *Writer) End() {
	if len(s.line) > 0 || s.midline {
		s.endLine()
	}
	s.endBlock()
	s.endQuote()
	s.endTable()
	if s.fence != "" || s.indented {
		s.fence, s.indented = "", false
		s.whole("End of code.")
	}
	s.lists = nil
}

// grow adds to the line byte by byte, so that the result does not depend on how the text was
// split.
func (s *Writer) grow(text string) {
	if s.fence != "" || s.indented || s.quote != nil || s.columns != nil {
		s.line = append(s.line, text...)
		if len(s.line) > maxHeld && s.fence != "" {
			s.longCode()
		}
		return
	}
	for i := range len(text) {
		switch last := text[i]; {
		case len(s.line) >= maxHeld && utf8.RuneStart(last):
			s.cut()
			s.line = append(s.line, last)
		case last == ' ' && sentenceEnds(s.line):
			s.line = append(s.line, last)
			s.cut()
		default:
			s.line = append(s.line, last)
		}
	}
}

// sentenceEnds reports whether a sentence ends at the end of the line.
func sentenceEnds(line []byte) bool {
	n := len(line)
	for n > 0 && strings.IndexByte("\"')]*_`", line[n-1]) >= 0 {
		n--
	}
	return n > 0 && strings.IndexByte(".!?", line[n-1]) >= 0
}

// cut says the complete sentences of the paragraph or item, if possible. Text that could still
// become markup is tried again when it has doubled.
func (s *Writer) cut() {
	head, long := string(s.line), len(s.line) >= maxHeld
	if !s.midline {
		if !long && (strings.Contains(head, "|") || !s.begins(head)) {
			return
		}
		s.begin(head)
	} else {
		s.join(head)
	}
	s.line, s.midline = s.line[:0], true
	if !long && len(s.block) < 2*s.tried {
		return
	}
	if words := Inline(s.block); long || settled(words) {
		s.sayBlock(words)
	} else {
		s.tried = len(s.block)
	}
}

// longCode says the start of a very long line of code.
func (s *Writer) longCode() {
	for len(s.line) > maxHeld {
		n := maxHeld
		for n > 0 && !utf8.RuneStart(s.line[n]) {
			n--
		}
		if n == 0 {
			n = maxHeld
		}
		s.to.Say(codeLine(string(s.line[:n])))
		s.line = append(s.line[:0:0], s.line[n:]...)
		s.midline = true
	}
}

// begins reports whether a line begins or continues a paragraph or an item.
func (s *Writer) begins(line string) bool {
	indent, rest := indentOf(line)
	if _, _, ok := marker(rest); ok && !rule(rest) {
		return true
	}
	return rest != "" && (indent < 4 || s.block != "" || s.said || len(s.lists) > 0) && !strings.HasPrefix(rest, ">") && !fenceOpens(rest) && heading(rest) == 0
}

// begin adds a line, or the start of one, to a block.
func (s *Writer) begin(line string) {
	indent, rest := indentOf(line)
	if mark, content, ok := marker(rest); ok && !rule(rest) {
		s.endBlock()
		s.label, s.block = s.item(indent, mark, &content), content
		return
	}
	if indent == 0 && s.block == "" && !s.said {
		s.lists = nil
	}
	s.join(rest)
}

func (s *Writer) join(text string) {
	if s.block != "" && !s.midline {
		s.block += " "
	}
	s.block += text
	if len(s.block) >= maxHeld {
		s.sayBlock(Inline(s.block))
	}
}

// item opens a list item and returns its label.
func (s *Writer) item(column int, mark string, content *string) string {
	for len(s.lists) > 0 && s.lists[len(s.lists)-1] > column {
		s.lists = s.lists[:len(s.lists)-1]
	}
	if n := len(s.lists); n == 0 || column > s.lists[n-1]+1 {
		s.lists = append(s.lists, column)
	}
	label, level := "Item", len(s.lists)
	if number := strings.TrimRight(mark, ".)"); number != mark {
		label = number + "."
		if level > 1 {
			return fmt.Sprintf("Level %d, %s ", level, label)
		}
		return label + " "
	}
	if level > 1 {
		label += fmt.Sprintf(", level %d", level)
	}
	for box, word := range map[string]string{"[ ] ": ", open", "[x] ": ", done", "[X] ": ", done"} {
		if rest, ok := strings.CutPrefix(*content, box); ok {
			*content, label = rest, label+word
		}
	}
	return label + ": "
}

// sayBlock says the block so far. The paragraph or item may continue.
func (s *Writer) sayBlock(words string) {
	if words != "" {
		s.to.Say(s.label + words)
		s.said, s.label = true, ""
	}
	s.block, s.tried = "", 0
}

// endBlock ends the paragraph or item.
func (s *Writer) endBlock() {
	s.sayBlock(Inline(s.block))
	if s.said {
		s.to.End()
	}
	s.said, s.label = false, ""
}

// whole says words on a separate line.
func (s *Writer) whole(words string) {
	s.to.Say(words)
	s.to.End()
}

// endLine handles the line, which is complete.
func (s *Writer) endLine() {
	line, midline := string(s.line), s.midline
	s.line, s.midline = s.line[:0], false
	switch {
	case s.fence != "" && midline:
		s.to.Say(codeLine(line))
		s.to.End()
	case s.fence != "":
		s.code(line)
	case midline:
		s.midline = true
		s.join(line)
		s.midline = false
	case s.indented && s.moreIndented(line), s.columns != nil && s.row(line), s.quoted(line):
	default:
		s.opens(line)
	}
}

// opens handles a line that may begin a block.
func (s *Writer) opens(line string) {
	indent, rest := indentOf(line)
	level := heading(rest)
	switch {
	case rest == "":
		s.endBlock()
	case fenceOpens(rest) && indent < 4+s.column():
		s.endBlock()
		s.fence, s.strip = rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))], indent
		s.whole("Code" + codeName(strings.TrimLeft(rest, rest[:1])) + ":")
	case level > 0 && indent < 4:
		s.endBlock()
		s.lists = nil
		s.label = fmt.Sprintf("Heading %d: ", level)
		s.block = strings.TrimRight(strings.TrimRight(strings.TrimSpace(rest[level:]), "#"), " ")
		s.endBlock()
	case s.underlines(rest):
	case rule(rest):
		s.endBlock()
		s.lists = nil
		s.whole("Divider.")
	case s.heads(rest):
	case indent >= 4 && s.block == "" && !s.said && len(s.lists) == 0:
		s.whole("Code:")
		s.indented = true
		s.to.Verbatim(codeLine(unindented(line, 4)))
	default:
		s.begin(line)
	}
}

func (s *Writer) column() int {
	if len(s.lists) == 0 {
		return 0
	}
	return s.lists[len(s.lists)-1] + 4
}

// underlines reports whether the line turns the paragraph before it into a heading.
func (s *Writer) underlines(rest string) bool {
	level := 0
	switch trimmed := strings.TrimRight(rest, " \t"); {
	case s.block == "" || s.label != "":
		return false
	case trimmed == strings.Repeat("=", len(trimmed)):
		level = 1
	case trimmed == strings.Repeat("-", len(trimmed)):
		level = 2
	default:
		return false
	}
	if !s.said {
		s.label = fmt.Sprintf("Heading %d: ", level)
	}
	s.endBlock()
	return true
}

// code handles a line of code or the closing fence.
func (s *Writer) code(line string) {
	_, rest := indentOf(line)
	if closes := strings.TrimRight(rest, " \t\r"); len(closes) >= len(s.fence) && closes == strings.Repeat(s.fence[:1], len(closes)) {
		s.fence = ""
		s.whole("End of code.")
		return
	}
	s.to.Verbatim(codeLine(unindented(line, s.strip)))
}

func (s *Writer) moreIndented(line string) bool {
	indent, rest := indentOf(line)
	if rest == "" || indent >= 4 {
		s.to.Verbatim(codeLine(unindented(line, 4)))
		return true
	}
	s.indented = false
	s.whole("End of code.")
	return false
}

// quoted passes a line to the Writer of the quotation. It returns false if the line is not
// part of it.
func (s *Writer) quoted(line string) bool {
	indent, rest := indentOf(line)
	text, ok := strings.CutPrefix(rest, ">")
	if !ok || indent > 3 {
		s.endQuote()
		return false
	}
	const deepest = 4
	if s.depth >= deepest {
		s.endBlock()
		s.begin(strings.TrimLeft(text, "> "))
		return true
	}
	if s.quote == nil {
		s.endBlock()
		s.quote = &Writer{to: &quoting{to: s.to}, depth: s.depth + 1}
	}
	s.quote.line = append(s.quote.line, strings.TrimPrefix(text, " ")...)
	s.quote.endLine()
	return true
}

func (s *Writer) endQuote() {
	if s.quote != nil {
		s.quote.End()
		s.quote = nil
	}
}

// quoting announces lines as a quotation.
type quoting struct {
	to   Lines
	open bool
}

func (q *quoting) Say(words string) {
	if !q.open {
		words = "Quote: " + words
	}
	q.open = true
	q.to.Say(words)
}

func (q *quoting) Verbatim(line string) { q.to.Verbatim(line) }

func (q *quoting) End() {
	q.open = false
	q.to.End()
}

// heads reports whether the line makes the one before it the header of a table.
func (s *Writer) heads(line string) bool {
	if s.said || s.label != "" || !strings.Contains(s.block, "|") || strings.Trim(line, "|:- \t\r") != "" || !strings.Contains(line, "-") {
		return false
	}
	columns := cells(s.block)
	if len(columns) != len(cells(line)) {
		return false
	}
	s.block = ""
	for i := range columns {
		columns[i] = Inline(columns[i])
	}
	s.columns = columns
	s.whole(fmt.Sprintf("Table, %s.", words.Count(len(columns), "column")))
	return true
}

// row says a row of the table with the names of the columns. It returns false if the line is
// none.
func (s *Writer) row(line string) bool {
	if !strings.Contains(line, "|") {
		s.endTable()
		return false
	}
	var parts []string
	for i, cell := range cells(line) {
		words := Inline(cell)
		switch {
		case i >= len(s.columns):
		case s.columns[i] != "":
			parts = append(parts, s.columns[i]+": "+words)
		case words != "":
			parts = append(parts, words)
		}
	}
	if len(parts) > 0 {
		s.whole(strings.Join(parts, ", "))
	}
	return true
}

func (s *Writer) endTable() {
	if s.columns != nil {
		s.columns = nil
		s.whole("End of table.")
	}
}

// cells splits a row into its cells. A bar after a backslash does not separate.
func cells(row string) []string {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(row, "|")
	var out []string
	from := 0
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			out = append(out, row[from:i])
			from = i + 1
		}
	}
	if last := row[min(from, len(row)):]; strings.TrimSpace(last) != "" || len(out) == 0 {
		out = append(out, last)
	}
	for i := range out {
		out[i] = strings.ReplaceAll(strings.TrimSpace(out[i]), `\|`, "|")
	}
	return slices.Clip(out)
}
