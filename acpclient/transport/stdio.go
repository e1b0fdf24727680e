package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/process"
)

const (
	defaultGrace  = 2 * time.Second
	defaultStderr = 256 << 10
	stderrLag     = 500 * time.Millisecond // longest wait for the rest of stderr after the process has ended
)

// StdioOptions says which program to start and how.
type StdioOptions struct {
	Command    string            // a name looked up in PATH of Env, or a path; a relative path starts at Dir
	Args       []string          // without the command itself
	Env        []string          // "NAME=value", later ones win; nil = os.Environ()
	Dir        string            // working directory; "" = the caller's
	MaxLine    int               // longest message in bytes; 0 = DefaultMaxLine
	Grace      time.Duration     // how long Close waits after closing stdin before it sends signals; 0 = 2 s
	StderrSize int               // bytes of stderr to keep; 0 = 256 KiB
	OnStderr   func(line string) // called for each line of stderr, in order, from one goroutine; may be nil
}

// ExitState says how a process ended.
type ExitState struct {
	Code   int    // exit code; -1 when a signal ended it or it still runs
	Signal string // name of the signal that ended it, such as "SIGKILL"; else ""
	Exited bool   // the process has ended and was reaped
}

// Stdio is a Conn to a program over its standard input and output (PROTOCOL 1.3). The
// program leads its own process group, and Close ends the whole group. Stderr is always
// read, and the end of it is kept.
//
// A Stdio must be closed even after its program has exited: only Close ends the children
// that the program left running.
type Stdio struct {
	group  *process.Group
	stdin  *os.File
	stdout *os.File
	errout *os.File
	stderr *Ring
	grace  time.Duration
	lines  *LineReader

	reading sync.Mutex // held by Recv, and by Close while it empties stdout
	unsent  []byte     // the buffer of Send
	closed  atomic.Bool

	stderrDone chan struct{}
	exit       chan struct{}
	state      ExitState // written before exit is closed
	ending     sync.Once
	ended      error // written in ending
}

// StartStdio starts a program. The error wraps exec.ErrNotFound, fs.ErrNotExist or fs.ErrPermission where one of them
// is the reason.
func StartStdio(o StdioOptions) (*Stdio, error) {
	cmd, err := command(o)
	if err != nil {
		return nil, err
	}
	s := &Stdio{
		stderr:     NewRing(orDefault(o.StderrSize, defaultStderr)),
		grace:      orDefault(o.Grace, defaultGrace),
		stderrDone: make(chan struct{}),
		exit:       make(chan struct{}),
	}
	if err := s.start(cmd); err != nil {
		return nil, err
	}
	s.lines = NewLineReader((*stdoutReader)(s), o.MaxLine)
	go s.drainStderr(o.OnStderr)
	go s.watch()
	return s, nil
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

func command(o StdioOptions) (*exec.Cmd, error) {
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	dir := o.Dir
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", o.Command, err)
		}
		if _, err := os.Stat(abs); err != nil { // otherwise a failed chdir reads as if the program were missing
			return nil, fmt.Errorf("start %s in its folder: %w", o.Command, err)
		}
		dir = abs
	}
	path, err := process.LookPath(o.Command, dir, env)
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{Path: path, Args: append([]string{o.Command}, o.Args...), Env: env, Dir: dir}, nil
}

// start makes the pipes itself: Wait would close those of os/exec while they still hold
// output.
func (s *Stdio) start(cmd *exec.Cmd) error {
	var theirs []*os.File
	err := func() (err error) {
		var in, out, errs *os.File
		if in, s.stdin, err = os.Pipe(); err != nil {
			return err
		}
		theirs = append(theirs, in)
		if s.stdout, out, err = os.Pipe(); err != nil {
			return err
		}
		theirs = append(theirs, out)
		if s.errout, errs, err = os.Pipe(); err != nil {
			return err
		}
		theirs = append(theirs, errs)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
		s.group, err = process.Start(cmd)
		return err
	}()
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		for _, f := range []*os.File{s.stdin, s.stdout, s.errout} {
			f.Close() // closing nil is harmless
		}
	}
	return err
}

// Recv returns the next line of the program's output. It returns io.EOF when the output has
// ended or, once the program has exited, when a child that holds the output open has been
// silent for the grace time.
func (s *Stdio) Recv() ([]byte, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.closed.Load() {
		return nil, ErrClosed
	}
	line, err := s.lines.Next()
	if s.closed.Load() {
		return nil, ErrClosed
	}
	return line, err
}

// Waited reports whether Recv had to wait for the message it returned last. Only the
// goroutine that calls Recv may call it.
func (s *Stdio) Waited() bool { return s.lines.Waited() }

// stdoutReader is the source of the LineReader. It maintains the deadline that ends the
// output of an exited program.
type stdoutReader Stdio

func (s *stdoutReader) Read(p []byte) (int, error) {
	n, err := s.stdout.Read(p)
	if n > 0 && s.group != nil && !s.closed.Load() {
		select {
		case <-s.group.Done():
			s.stdout.SetReadDeadline(time.Now().Add(s.grace))
		default:
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Send writes one message and a newline. Line breaks between the tokens of the JSON become
// spaces, since a message is one line; JSON strings contain none.
func (s *Stdio) Send(m Message) error {
	if s.closed.Load() {
		return ErrClosed
	}
	s.unsent = append(append(s.unsent[:0], m.Data...), '\n')
	body := s.unsent[:len(m.Data)]
	for _, c := range []byte("\n\r") {
		for rest := body; ; { // continue after the last one: a message may contain many
			i := bytes.IndexByte(rest, c)
			if i < 0 {
				break
			}
			rest[i], rest = ' ', rest[i+1:]
		}
	}
	_, err := s.stdin.Write(s.unsent)
	if cap(s.unsent) > keepBuffer {
		s.unsent = nil
	}
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return ErrClosed
	}
	return fmt.Errorf("write to process %d: %w", s.Pid(), err)
}

// watch publishes the end of the process and makes sure that its output ends too.
func (s *Stdio) watch() {
	end := s.group.Wait()
	if !s.closed.Load() {
		s.stdout.SetReadDeadline(time.Now().Add(s.grace))
	}
	lag := time.NewTimer(stderrLag)
	defer lag.Stop()
	select {
	case <-s.stderrDone:
	case <-lag.C:
	}
	s.state = ExitState{Code: end.ExitCode(), Signal: process.SignalName(end), Exited: true}
	close(s.exit)
}

// Exit is closed once the process was reaped and the rest of its stderr was read, or half a
// second later. Recv may still return messages then. Recv does not end while a child holds
// the output open; callers that need to know at once use Exit.
func (s *Stdio) Exit() <-chan struct{} { return s.exit }

// ExitState returns how the process ended; before Exit is closed, only that it still runs.
func (s *Stdio) ExitState() ExitState {
	select {
	case <-s.exit:
		return s.state
	default:
		return ExitState{Code: -1}
	}
}

// Stderr returns the end of the process's stderr.
func (s *Stdio) Stderr() *Ring { return s.stderr }

// Pid returns the process id of the program.
func (s *Stdio) Pid() int { return s.group.Pid() }
