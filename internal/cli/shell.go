package cli

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"parley/terminal"
)

// Shell runs the user's own command lines, each in a process group, with limited output. Its
// methods may be called from any goroutine.
type Shell struct {
	service *terminal.Service

	mu   sync.Mutex
	runs map[string]*shellRun // by terminal id
}

// shellRun is a command with a callback for its output.
type shellRun struct {
	known chan struct{} // closed once the others are set
	news  func(ShellOutput)
	left  string // the file with what the line leaves to the next; "" if there is none
}

// ShellOutput is new output of a command, or its end.
type ShellOutput struct {
	Data   []byte // owned by the receiver
	Ended  bool
	Code   *int // set at the end; nil if a signal ended it
	Signal string
	// Dir and Env are the directory and the environment that the line has left, at the end; "" and nil if
	// they are not known.
	Dir string
	Env []string
}

// NewShell returns a Shell, which must be closed. Its commands are the user's, so they get the
// environment and are not sandboxed.
func NewShell() *Shell {
	s := &Shell{runs: map[string]*shellRun{}}
	s.service = terminal.New(terminal.Options{MaxKept: -1, Notify: s.changed})
	return s
}

// ownSession is the one session id for all commands: there is only one user.
const ownSession = "own"

// Run starts a line in the user's shell, with the environment that an earlier line has left (nil: parley's).
// news is called in order; the last call has Ended. stop ends the command and all its child processes.
func (s *Shell) Run(line, dir string, env []string, news func(ShellOutput)) (stop func(), err error) {
	line, left := leaving(line, env)
	c := terminal.Command{Command: line, Shell: true, Dir: dir}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		c.Env = append(c.Env, terminal.EnvVar{Name: name, Value: value})
	}
	id, err := s.service.Create(ownSession, c)
	if err != nil {
		_ = os.Remove(left)
		return nil, fmt.Errorf("run it: %w", err)
	}
	r := s.run(id)
	r.news, r.left = news, left
	close(r.known)
	return func() { _ = s.service.Kill(ownSession, id) }, nil
}

// run returns the shellRun of a terminal. Its first output may arrive before Run knows the id.
func (s *Shell) run(id string) *shellRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.runs[id]
	if r == nil {
		r = &shellRun{known: make(chan struct{})}
		s.runs[id] = r
	}
	return r
}

// changed passes on output and exit, on the terminal's own goroutine.
func (s *Shell) changed(c terminal.Change) {
	r := s.run(c.ID)
	<-r.known
	switch {
	case c.Data != nil:
		r.news(ShellOutput{Data: c.Data})
	case c.Exit != nil:
		dir, env := readLeft(r.left)
		r.news(ShellOutput{Ended: true, Code: c.Exit.Code, Signal: c.Exit.Signal, Dir: dir, Env: env})
	case c.Released: // by Close: until then background processes keep running
		s.mu.Lock()
		delete(s.runs, c.ID)
		s.mu.Unlock()
	}
}

// Close ends all commands. It may be called more than once.
func (s *Shell) Close() { s.service.Close() }
