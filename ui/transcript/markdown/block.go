// Package markdown draws a growing Markdown message without parsing the same text
// twice.
//
// A Stream cuts the message into blocks as it arrives. Only the last block, the
// tail, is open; a closed block never changes again. A Renderer draws one block:
// goldmark parses it, words and containers are laid out here, chroma colours the
// code and glamour draws the grid of a table. An open block is drawn the same way,
// without the grid and the colours.
//
// Neither type is safe for concurrent use. Nothing here blocks, and no text makes it
// panic. A block holds at most 4096 bytes, so the cost of a row does not depend on
// the length of the message. The blocks depend on the text alone, not on its chunks.
// Text should be clean already (see safetext); rows are cleaned again.
package markdown

// Kind is what a block is.
type Kind uint8

// The kinds. The zero Kind is no block at all.
const (
	Paragraph Kind = iota + 1
	Heading
	List
	Quote
	Fence // a fenced code block, or a piece of one
	Code  // an indented code block
	Table
	Rule
	HTML
	Reference // link reference definitions
)

var kindNames = [...]string{"", "Paragraph", "Heading", "List", "Quote", "Fence", "Code", "Table", "Rule", "HTML", "Reference"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind?"
}

// Block is a part of a message that can be drawn on its own. Blocks are comparable;
// equal closed blocks have equal rows.
type Block struct {
	Kind   Kind
	Source string // markdown, with the blank lines around it
	Lang   string // of a Fence: the first word after the marker, at most 32 bytes
	Open   bool   // the tail: more may come
	// Continued means that the block before was too long and was cut here: no
	// blank row comes between them.
	Continued bool

	from, to int    // of a Fence: where in Source the code is, without the markers
	indent   int    // columns of the list item that this piece was cut out of
	strip    int    // columns that the lines of a Fence are indented by
	head     string // of a continued Table: its header and delimiter rows
}

// code returns the lines of a Fence.
func (b Block) code() string { return b.Source[b.from:b.to] }
