// Package markdown shows a growing markdown message on a terminal without ever
// looking at the same text twice.
//
// A Stream cuts the message into blocks as it arrives. Only the last block, the
// tail, is open; a closed block never changes again. A Renderer draws one block:
// goldmark parses it, words and containers are laid out here, chroma colours the
// code and glamour draws the grid of a table. An open block is drawn the same way,
// but for the grid and the colours.
//
// The contract: neither type is safe for concurrent use, nothing here blocks
// and nothing an agent writes makes it panic. A block holds at most 4096 bytes,
// so the cost of a row never depends on the length of the message. Which blocks
// come out depends on the text alone, never on how it was cut into chunks.
// Text is expected to be clean already (see safetext); rows are cleaned again.
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

// Block is a part of a message that stands for itself. Blocks are comparable;
// equal closed blocks have equal rows.
type Block struct {
	Kind   Kind
	Source string // markdown, with the blank lines around it
	Lang   string // of a Fence: the first word after the marker, at most 32 bytes
	Open   bool   // the tail: more may come
	// Continued says that the block was cut off the one before it for its
	// length: no blank row between them.
	Continued bool

	from, to int    // of a Fence: where in Source the code is, without the markers
	indent   int    // columns of the list item that this piece was cut out of
	strip    int    // columns that the lines of a Fence are indented by
	head     string // of a continued Table: its header and delimiter rows
}

// code returns the lines of a Fence.
func (b Block) code() string { return b.Source[b.from:b.to] }
