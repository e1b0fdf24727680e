package linear

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"parley/internal/safetext"
	"parley/internal/words"
)

// printer appends lines to the output. On a terminal it also writes requests for input, after
// which the user types.
type printer struct {
	to       io.Writer
	w        *bufio.Writer
	terminal bool // typed text is echoed after the request for input

	open   bool   // the last line has not ended
	owner  any    // the owner of the open line
	asked  string // the last request for input, if nothing was written since
	serial uint64 // grows with every line
	err    error  // the first write error
}

func newPrinter(w io.Writer, terminal bool) *printer {
	return &printer{to: w, w: bufio.NewWriter(w), terminal: terminal}
}

func (p *printer) put(s string) {
	if _, err := p.w.WriteString(s); p.err == nil {
		p.err = err
	}
}

// fresh ends the open line, if any.
func (p *printer) fresh() {
	if p.open {
		p.put("\n")
	}
	p.open, p.owner = false, nil
	if p.terminal {
		p.asked = ""
	}
}

// line prints a line.
func (p *printer) line(words string) {
	p.fresh()
	p.serial++
	p.put(one(words) + "\n")
}

// lines prints a text indented, so that none of its lines looks like one of parley's.
func (p *printer) lines(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.line("  " + l)
	}
}

// one returns words as they are printed on one line.
func one(words string) string {
	return strings.TrimRight(strings.ReplaceAll(safetext.Clean(words), "\n", " "), " ")
}

// piece begins a line for owner, or continues it.
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

// holds reports whether the open line is owner's.
func (p *printer) holds(owner any) bool { return p.open && p.owner == owner }

// ask writes the request for input, unless it is the last thing written. The user types after
// it.
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

// typed records that the user has ended a line, which the terminal has echoed.
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

// say prints a line of parley's.
func (p *printer) say(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

// labelled prints a text after a label. The lines of a longer text follow below it with their
// numbers, so that its end is unmistakable.
func (p *printer) labelled(label, text string) {
	lines := splitLines(text)
	if len(lines) == 1 {
		p.say("%s: %s", label, lines[0])
		return
	}
	p.say("%s, %s:", label, words.Count(len(lines), "line"))
	for i, l := range lines {
		p.say("  Line %d: %s", i+1, l)
	}
}

// outcome returns a function that prints how a request ended. done is the line for success and
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

// spelled returns a text from others on one line, with every character visible.
func spelled(s string) string {
	return strings.ReplaceAll(safetext.Visible(s), "\n", `<\n>`)
}

// interrupted records that the terminal has echoed ^C.
func (p *printer) interrupted() {
	if p.terminal {
		p.open, p.owner, p.asked = true, nil, ""
	}
}
