package linear

import (
	"bufio"
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
	wants chan struct{}
	lines chan typedLine
	gone  chan struct{} // closed when lines are no longer taken

	// Of the taker's goroutine.
	pending bool // a line is being read
	secret  bool // it was typed unseen, or a part of it
}

func newInput(r io.Reader) *input {
	in := &input{r: bufio.NewReader(r), wants: make(chan struct{}), lines: make(chan typedLine), gone: make(chan struct{})}
	if f, ok := r.(*os.File); ok && term.IsTerminal(f.Fd()) {
		in.file = f
		in.saved, _ = term.GetState(f.Fd())
	}
	go in.run()
	return in
}

// terminal tells whether somebody sits there.
func (in *input) terminal() bool { return in.file != nil }

// hide has the terminal not show what is typed, and the line that is typed now be
// a secret. It comes before the question is written: who types as soon as it can
// be read is not seen.
func (in *input) hide() {
	if in.saved != nil {
		term.SetState(in.file.Fd(), unseen(*in.saved))
		in.secret = true
	}
}

// show has the terminal show what is typed. What was typed unseen stays a secret.
func (in *input) show() {
	if in.saved != nil {
		term.SetState(in.file.Fd(), in.saved)
	}
}

// want has the next line read, if none is being read.
func (in *input) want() {
	if !in.pending {
		in.pending = true
		in.wants <- struct{}{}
	}
}

// take takes a line over.
func (in *input) take(l typedLine) typedLine {
	l.secret = in.secret
	in.restore()
	in.pending = false
	return l
}

// restore makes the terminal what it was, where nothing typed unseen is left:
// ctrl+c drops it.
func (in *input) restore() {
	in.show()
	in.secret = false
}

// close gives up the line that is being read. The goroutine that reads it ends
// with the input, or the process.
func (in *input) close() {
	in.restore()
	close(in.gone)
	close(in.wants)
}

func (in *input) run() {
	for range in.wants {
		l := in.read()
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
func (in *input) read() typedLine {
	text, err := in.r.ReadString('\n')
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	return typedLine{text: strings.ToValidUTF8(text, "\uFFFD"), at: time.Now(), err: err}
}
