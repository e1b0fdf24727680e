package terminal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// Service holds the terminals of all sessions.
type Service struct {
	o    Options
	runs sync.WaitGroup // one for every terminal's goroutine

	mu       sync.Mutex
	last     uint64 // number of the newest id; only increases
	closed   bool
	sessions map[string]*session
}

// session is the state of one session. After it is closed it is replaced, not reused.
type session struct {
	closed    bool
	running   int // commands that run or are about to
	starting  int // those of running that are not in terminals yet
	terminals map[string]*Process
	exited    []*Process // finished and not released, oldest first
}

// New returns a Service without terminals. It must be closed.
func New(o Options) *Service {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Attended == nil {
		o.Attended = o.Environ
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	if o.MaxPerSession <= 0 {
		o.MaxPerSession = defaultMaxPerSession
	}
	if o.MaxKept == 0 {
		o.MaxKept = defaultMaxKept
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	return &Service{o: o, sessions: make(map[string]*session)}
}

// prepare builds a command and confines it.
func (s *Service) prepare(sessionID string, c Command) (*exec.Cmd, error) {
	cmd, err := s.command(c)
	if err == nil && s.o.Confine != nil {
		if err = s.o.Confine(sessionID, cmd); err != nil {
			err = fmt.Errorf("confine %s: %w", Line(c), err)
		}
	}
	return cmd, err
}

// Create starts a command and returns the id of its terminal at once (terminal/create). Errors are
// ErrRelativeDir, ErrInvalid, ErrTooMany, ErrTooManyKept, ErrClosed, ErrNoPTY, that of
// Options.Confine, or why the command cannot be started: exec.ErrNotFound, fs.ErrNotExist,
// fs.ErrPermission. After an error nothing runs.
func (s *Service) Create(sessionID string, c Command) (string, error) {
	cmd, err := s.prepare(sessionID, c)
	if err != nil {
		return "", err
	}
	home, id, err := s.reserve(sessionID)
	if err != nil {
		return "", err
	}
	p, err := start(s, home, Change{Session: sessionID, ID: id}, c, cmd)
	s.mu.Lock()
	home.starting--
	if err != nil {
		home.running--
		s.mu.Unlock()
		return "", fmt.Errorf("run %s: %w", Line(c), err)
	}
	closed := home.closed
	if !closed {
		home.terminals[id] = p
	}
	s.runs.Add(1)
	s.mu.Unlock()
	go p.run(p.cur)
	if closed { // the session was closed while the command started
		p.release()
		return "", ErrReleased
	}
	return id, nil
}

func (s *Service) reserve(sessionID string) (*session, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, "", ErrClosed
	}
	home := s.sessions[sessionID]
	if home == nil {
		home = &session{terminals: make(map[string]*Process)}
		s.sessions[sessionID] = home
	}
	if err := s.full(home); err != nil {
		return nil, "", err
	}
	home.running++
	home.starting++
	s.last++ // the prefix keeps it apart from ids that agents give their own terminals
	return home, "parley-term-" + strconv.FormatUint(s.last, 10), nil
}

// full returns why a session cannot have another terminal.
func (s *Service) full(home *session) error {
	switch {
	case home.running >= s.o.MaxPerSession:
		return fmt.Errorf("%w: %d at a time are the most of a session; wait for one or kill it", ErrTooMany, s.o.MaxPerSession)
	case s.o.MaxKept >= 0 && len(home.terminals)+home.starting >= s.o.MaxKept:
		return fmt.Errorf("%w: %d are the most of a session; release some", ErrTooManyKept, s.o.MaxKept)
	}
	return nil
}

// CheckLimits returns the error that Create would return for the session now because of its limits,
// ErrTooMany or ErrTooManyKept, so that callers need not ask the user about a command that cannot
// run.
func (s *Service) CheckLimits(sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if home := s.sessions[sessionID]; home != nil {
		return s.full(home)
	}
	return nil
}

// finished updates the counts when a command has ended, and shortens the output of old terminals.
func (s *Service) finished(p *Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.home.running--
	if p.home.terminals[p.id.ID] != p {
		return
	}
	p.home.exited = append(p.home.exited, p)
	if len(p.home.exited) > keepExited {
		old := p.home.exited[0]
		p.home.exited = p.home.exited[1:]
		old.shrink(keepOldOutput)
	}
}

func (s *Service) find(sessionID, id string) (*Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if home := s.sessions[sessionID]; home != nil {
		if p := home.terminals[id]; p != nil {
			return p, nil
		}
	}
	return nil, ErrUnknown
}

// Output returns the output kept so far (terminal/output). While the command runs, an incomplete
// character at the end is held back. The error is ErrUnknown.
func (s *Service) Output(sessionID, id string) (Output, error) {
	p, err := s.find(sessionID, id)
	if err != nil {
		return Output{}, err
	}
	return p.current(), nil
}

// WaitForExit blocks until the command has ended and its output is complete (terminal/wait_for_exit). Errors are
// ErrUnknown, ErrReleased, or the cause of ctx, which leaves the command running.
func (s *Service) WaitForExit(ctx context.Context, sessionID, id string) (ExitStatus, error) {
	p, err := s.find(sessionID, id)
	if err != nil {
		return ExitStatus{}, err
	}
	return p.wait(ctx)
}

// Kill ends the command and its process group (terminal/kill). The terminal stays, and its exit
// status is known when Kill returns. Killing an ended command is no error. The error is ErrUnknown.
func (s *Service) Kill(sessionID, id string) error {
	p, err := s.find(sessionID, id)
	if err != nil {
		return err
	}
	p.kill()
	select {
	case <-p.exited:
	case <-p.released:
	case <-time.After(endWait):
	}
	return nil
}

// Release removes a terminal (terminal/release). Its id is unknown at once, pending waits return
// ErrReleased, and the command and its process group have ended when Release returns. The error is
// ErrUnknown.
func (s *Service) Release(sessionID, id string) error {
	p, err := s.remove(sessionID, id)
	if err != nil {
		return err
	}
	p.release()
	return nil
}

func (s *Service) remove(sessionID, id string) (*Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	home := s.sessions[sessionID]
	if home == nil || home.terminals[id] == nil {
		return nil, ErrUnknown
	}
	p := home.terminals[id]
	delete(home.terminals, id)
	for i, other := range home.exited {
		if other == p {
			home.exited = append(home.exited[:i:i], home.exited[i+1:]...)
			break
		}
	}
	return p, nil
}

// CloseSession releases all terminals of a session, including those being created.
func (s *Service) CloseSession(sessionID string) {
	s.mu.Lock()
	home := s.sessions[sessionID]
	delete(s.sessions, sessionID)
	s.mu.Unlock()
	if home != nil {
		s.releaseAll(home)
	}
}

// Close releases all terminals. When it returns, no command runs and Notify is no longer called,
// unless Notify itself blocks for seconds.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	homes := make([]*session, 0, len(s.sessions))
	for _, home := range s.sessions {
		homes = append(homes, home)
	}
	clear(s.sessions)
	s.mu.Unlock()
	s.releaseAll(homes...)

	quiet := make(chan struct{})
	go func() { s.runs.Wait(); close(quiet) }()
	select {
	case <-quiet:
	case <-time.After(endWait):
	}
}

func (s *Service) releaseAll(homes ...*session) {
	var all []*Process
	s.mu.Lock()
	for _, home := range homes {
		home.closed = true
		for _, p := range home.terminals {
			all = append(all, p)
		}
		clear(home.terminals)
		home.exited = nil
	}
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, p := range all {
		wg.Go(p.release)
	}
	wg.Wait()
}
