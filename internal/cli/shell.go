package cli

import (
	"fmt"
	"sync"

	"parley/terminal"
)

// Shell runs command lines of the user's own, each with all it starts in a process
// group, its output bounded. Its methods may be called from any goroutine.
type Shell struct {
	service *terminal.Service

	mu   sync.Mutex
	runs map[string]*shellRun // by the id of the terminal
}

// shellRun is a command whose news somebody takes.
type shellRun struct {
	known chan struct{} // closed once news is set
	news  func(ShellNews)
}

// ShellNews is new output of a command, or its end.
type ShellNews struct {
	Data   []byte // owned by the receiver
	Ended  bool
	Code   *int // of the end; nil where a signal ended it
	Signal string
}

// NewShell returns a Shell. Its commands get the environment. They are the user's:
// no sandbox binds them. It must be closed.
func NewShell() *Shell {
	s := &Shell{runs: map[string]*shellRun{}}
	s.service = terminal.New(terminal.Options{MaxKept: -1, Notify: s.changed})
	return s
}

// ownSession is the session of all of them: there is one user.
const ownSession = "own"

// Run starts a line in the user's shell. news is called in order, the last time
// with Ended. stop ends the command and everything it has started.
func (s *Shell) Run(line, dir string, news func(ShellNews)) (stop func(), err error) {
	id, err := s.service.Create(ownSession, terminal.Command{Command: line, Shell: true, Dir: dir})
	if err != nil {
		return nil, fmt.Errorf("run it: %w", err)
	}
	r := s.run(id)
	r.news = news
	close(r.known)
	return func() { _ = s.service.Kill(ownSession, id) }, nil
}

// run is the command of a terminal. Its first news may come before Run knows its
// id.
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

// changed passes on what became of a terminal, on the terminal's own goroutine.
func (s *Shell) changed(c terminal.Change) {
	r := s.run(c.ID)
	<-r.known
	switch {
	case c.Data != nil:
		r.news(ShellNews{Data: c.Data})
	case c.Exit != nil:
		r.news(ShellNews{Ended: true, Code: c.Exit.Code, Signal: c.Exit.Signal})
	case c.Released: // by Close: until then what it left in the background goes on
		s.mu.Lock()
		delete(s.runs, c.ID)
		s.mu.Unlock()
	}
}

// Close ends all commands. It may be called more than once.
func (s *Shell) Close() { s.service.Close() }
