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

// typedLine is a line that the user typed. At the end of the input err is set; text may still
// hold a last line.
type typedLine struct {
	text   string
	at     time.Time // when it was read
	secret bool      // it was not echoed
	err    error
}

// input reads a line only when one is wanted. In between nothing is read.
type input struct {
	r     *bufio.Reader
	file  *os.File    // the terminal, nil if the input is none
	saved *term.State // the terminal's original state
	lasts bool        // ctrl+d does not end it
	wants chan struct{}
	lines chan typedLine
	gone  chan struct{} // closed when no more lines are accepted

	// Used only by the goroutine that receives the lines.
	pending bool // a line is being read
	secret  bool // all or part of it was typed without echo
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

// terminal reports whether the input is a terminal.
func (in *input) terminal() bool { return in.file != nil }

// hide turns the echo off and marks the line being typed as secret. It is called before the
// question is written, so that nothing typed in answer is visible.
func (in *input) hide() {
	if in.saved != nil {
		term.SetState(in.file.Fd(), unseen(*in.saved))
		in.secret = true
	}
}

// show turns the echo on. A line typed without echo stays secret.
func (in *input) show() {
	if in.saved != nil {
		term.SetState(in.file.Fd(), in.saved)
	}
}

// want requests the next line, unless one is being read.
func (in *input) want() {
	if !in.pending {
		in.pending = true
		in.wants <- struct{}{}
	}
}

// take completes a line that was received.
func (in *input) take(l typedLine) typedLine {
	l.secret = in.secret
	in.restore()
	in.pending = false
	return l
}

// restore turns the echo on and clears secret. Nothing typed without echo may be pending;
// ctrl+c drops it.
func (in *input) restore() {
	in.show()
	in.secret = false
}

// close abandons the line being read. Its goroutine ends with the input or the process.
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
		if l.err != nil && !in.continues(l) {
			return
		}
	}
}

// continues reports whether more may come after a line that has ended the input.
func (in *input) continues(l typedLine) bool {
	return in.lasts && in.terminal() && errors.Is(l.err, io.EOF)
}

// read reads one line. A terminal delivers one line at a time, so the buffer holds nothing
// that was typed before the line was wanted.
func (in *input) read() typedLine {
	text, err := in.r.ReadString('\n')
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	return typedLine{text: strings.ToValidUTF8(text, "\uFFFD"), at: time.Now(), err: err}
}
