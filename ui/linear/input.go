package linear

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
)

// typedLine is a line of the user's. At the end of the input, err says why; there
// may be text before it.
type typedLine struct {
	text   string
	at     time.Time // when it was there
	secret bool      // it was not echoed
	err    error
}

// input reads lines, each when it is wanted: between two of them nobody reads.
type input struct {
	r     *bufio.Reader
	file  *os.File    // the terminal; nil where it is none
	saved *term.State // of it
	wants chan bool   // whether the line is a secret
	lines chan typedLine
	gone  chan struct{} // closed when nobody takes lines any more

	// Of the taker's goroutine.
	pending bool // a line is being read
	plain   bool // it is seen, whatever it was begun as: ctrl+c has dropped what was typed of it
}

func newInput(r io.Reader) *input {
	in := &input{r: bufio.NewReader(r), wants: make(chan bool), lines: make(chan typedLine), gone: make(chan struct{})}
	if f, ok := r.(*os.File); ok && term.IsTerminal(f.Fd()) {
		in.file = f
		in.saved, _ = term.GetState(f.Fd())
	}
	go in.run()
	return in
}

// terminal tells whether somebody sits there.
func (in *input) terminal() bool { return in.file != nil }

// want has the next line read, if none is being read.
func (in *input) want(secret bool) {
	if in.pending {
		return
	}
	in.pending = true
	in.wants <- secret
}

// interrupted says that ctrl+c came: the terminal has dropped what was typed, and
// what follows is seen again.
func (in *input) interrupted() {
	in.restore()
	in.plain = in.pending
}

// take takes a line over.
func (in *input) take(l typedLine) typedLine {
	if in.plain {
		l.secret = false
	}
	in.pending, in.plain = false, false
	return l
}

// restore makes the terminal what it was: what is typed is seen again.
func (in *input) restore() {
	if in.saved != nil {
		term.SetState(in.file.Fd(), in.saved)
	}
}

// close gives up the line that is being read. The goroutine that reads it ends
// with the input, or the process.
func (in *input) close() {
	in.restore()
	close(in.gone)
	close(in.wants)
}

func (in *input) run() {
	for secret := range in.wants {
		l := in.read(secret)
		select {
		case in.lines <- l:
		case <-in.gone:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// read reads one line. What was typed before it was asked for is not waiting in
// the reader where the input is a terminal, which hands over a line at a time.
func (in *input) read(secret bool) typedLine {
	if secret && in.file != nil && in.r.Buffered() == 0 {
		text, err := term.ReadPassword(in.file.Fd())
		if errors.Is(err, io.EOF) && len(text) > 0 {
			err = nil
		}
		return typedLine{text: string(text), at: time.Now(), secret: true, err: err}
	}
	text, err := in.r.ReadString('\n')
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	return typedLine{text: strings.ToValidUTF8(text, "\uFFFD"), at: time.Now(), err: err}
}
