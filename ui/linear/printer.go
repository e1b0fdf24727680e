package linear

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"parley/internal/safetext"
	"parley/ui/linear/plain"
)

// printer writes lines, one below the other: nothing that was written is touched
// again. On a terminal it also asks: words after which the user types.
type printer struct {
	to       io.Writer
	w        *bufio.Writer // on to
	terminal bool          // what is typed is echoed after what was asked

	open   bool   // the last line has not ended
	owner  any    // whose it is
	asked  string // what was asked last, below everything else
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

// piece begins a line of the owner's, or continues it.
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
// typed comes after it.
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

// say writes a line of parley's own.
func (p *printer) say(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

// labelled writes a text after a label; one of several lines below it, each with its
// number, so that its end is where it is said to be.
func (p *printer) labelled(label, text string) {
	lines := splitLines(text)
	if len(lines) == 1 {
		p.say("%s: %s", label, lines[0])
		return
	}
	p.say("%s, %s:", label, plain.Count(len(lines), "line"))
	for i, l := range lines {
		p.say("  Line %d: %s", i+1, l)
	}
}

// outcome returns what says how a request ended; done is for one that has worked, and
// may be "".
func (p *printer) outcome(done string) func(error) {
	return func(err error) {
		switch {
		case err != nil:
			p.say("Failed: %s.", err)
		case done != "":
			p.say("%s", done)
		}
	}
}

// spelled is a text of somebody else with everything in it visible, on one line.
func spelled(s string) string {
	return strings.ReplaceAll(safetext.Visible(s), "\n", `<\n>`)
}

// interrupted says that the terminal has echoed ^C.
func (p *printer) interrupted() {
	if p.terminal {
		p.open, p.owner, p.asked = true, nil, ""
	}
}
