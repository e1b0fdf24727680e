package linear

import (
	"bufio"
	"io"
	"strings"

	"parley/internal/safetext"
)

// printer writes lines, one below the other: nothing that was written is touched
// again. On a terminal it also asks: words after which the user's line stands.
type printer struct {
	to       io.Writer
	w        *bufio.Writer // on to
	terminal bool          // what is typed is echoed behind what was asked

	open   bool   // the last line has not ended
	owner  any    // whose it is
	asked  string // what was asked last and stands below everything else
	serial uint64 // grows with every line
	err    error  // of writing, the first
}

func newPrinter(w io.Writer, terminal bool) *printer {
	return &printer{to: w, w: bufio.NewWriter(w), terminal: terminal}
}

func (p *printer) put(s string) {
	if _, err := p.w.WriteString(s); p.err == nil {
		p.err = err
	}
}

// fresh ends a line that is open.
func (p *printer) fresh() {
	if p.open {
		p.put("\n")
	}
	p.open, p.owner = false, nil
	if p.terminal {
		p.asked = ""
	}
}

// line writes a line.
func (p *printer) line(words string) {
	p.fresh()
	p.serial++
	p.put(one(words) + "\n")
}

// lines writes a text, each of its lines below a label of parley's own: so that
// none of them looks like one.
func (p *printer) lines(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.line("  " + l)
	}
}

// one is what is written of a line, whatever it holds.
func one(words string) string {
	return strings.TrimRight(strings.ReplaceAll(safetext.Clean(words), "\n", " "), " ")
}

// piece begins a line of the owner's, or goes on with it.
func (p *printer) piece(owner any, words string) {
	if p.open && p.owner == owner {
		p.put(one(" " + words))
		return
	}
	p.fresh()
	p.serial++
	p.put(one(words))
	p.open, p.owner = true, owner
}

// holds tells whether the open line is the owner's.
func (p *printer) holds(owner any) bool { return p.open && p.owner == owner }

// ask says what is wanted next, once, until something else was written. What is
// typed comes behind it.
func (p *printer) ask(words string) {
	if words == p.asked {
		return
	}
	if p.asked = words; words == "" {
		return
	}
	p.fresh()
	p.asked = words
	p.serial++
	p.put(one(words))
	if p.terminal {
		p.put(" ")
		p.open = true
		return
	}
	p.put("\n")
}

// typed says that the user has ended a line: the terminal has echoed it.
func (p *printer) typed() {
	p.asked = ""
	if p.terminal {
		p.open, p.owner = false, nil
		p.serial++
	}
}

func (p *printer) flush() {
	if err := p.w.Flush(); p.err == nil {
		p.err = err
	}
}
