package cli

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/acpclient/event"
	"parley/fsops"
	"parley/internal/atomicfile"
	"parley/internal/host"
	"parley/internal/memory"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/undo"
)

// journals track the file changes of a connection's sessions. Each session scans the disk on one
// goroutine, in order. Only Changes and the methods after it wait for the scans. Safe for use by
// several goroutines.
type journals struct {
	dir   string
	agent string // its name
	keep  bool   // what is recorded, for later
	log   *event.Log
	warn  func(*event.Log, string)

	scanCtx context.Context // ends the scans
	end     context.CancelFunc
	ending  sync.WaitGroup // sessions that are being closed

	mu      sync.Mutex
	of      map[string]*journal
	closing map[string]*journal // the last one of a session
	warned  bool                // the user knows that copies are not kept
}

// journal tracks the changes of one session.
type journal struct {
	*undo.Journal
	turn    int  // the latest; guarded by mu of journals, as are those below
	running bool // the turn
	waiting []func()
	working bool
	idle    *sync.Cond
	closed  chan struct{}
}

// lastLook bounds how long the scans may take that are to find what an agent had changed when it was
// ended.
const lastLook = 2 * time.Second

// keepsChanges reports whether changes are kept after parley has ended.
func (s *Setup) keepsChanges() bool {
	c := s.Config
	return (c.Record == nil || *c.Record) && (c.KeepChanges == nil || *c.KeepChanges)
}

// newJournals tracks an agent's sessions. It is nil if there is nowhere to store copies.
func newJournals(agent string, keep bool, log *event.Log, warn func(*event.Log, string)) *journals {
	dir, err := changesDir()
	if err != nil {
		return nil
	}
	life, end := context.WithCancel(context.Background())
	j := &journals{scanCtx: life, end: end, dir: dir, agent: agent, keep: keep, log: log, warn: warn, of: map[string]*journal{}, closing: map[string]*journal{}}
	go undo.Sweep(dir, time.Now()) // leftovers of killed parleys, and what is too old
	return j
}

// changesDir returns the directory of copies and kept changes.
func changesDir() (string, error) {
	dir, err := record.StateDir()
	return filepath.Join(dir, "undo"), err
}

// watch returns the functions that are to be called for the sessions of a host.
func (j *journals) watch() host.Watch {
	if j == nil {
		return host.Watch{}
	}
	return host.Watch{OnOpen: j.open, OnClose: j.close, OnWrite: j.wrote}
}

// open begins to track a session. A resumed one continues what was kept of it. If it is open already,
// it starts over with the new directories.
func (j *journals) open(session string, roots []string, resumed bool) {
	j.close(session)
	j.mu.Lock()
	old := j.closing[session]
	j.mu.Unlock()
	if old != nil {
		select {
		case <-old.closed:
		case <-time.After(lastLook): // in a large directory; then it is in use
		}
	}
	opts := undo.Options{Dir: j.dir, Roots: roots}
	if j.keep {
		var err error
		opts.Keep, err = undo.Keep(j.dir, undo.Session{Agent: j.agent, ID: session, Project: memory.Project(roots[0])}, resumed)
		switch {
		case errors.Is(err, undo.ErrInUse):
			j.note("earlier changes of session " + safetext.Line(session, 80) + " are not shown, and later ones not kept: " + err.Error())
		case err != nil:
			j.note("session " + safetext.Line(session, 80) + ": " + err.Error())
		}
	}
	made, err := undo.New(opts)
	if err != nil {
		if opts.Keep != nil {
			opts.Keep.Close()
		}
		j.warnOnce("changes are not tracked and cannot be restored", err)
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.of[session] = &journal{Journal: made, turn: made.LastTurn(), idle: sync.NewCond(&j.mu), closed: make(chan struct{})}
}

// close ends the tracking of a session, on another goroutine.
func (j *journals) close(session string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.of[session]
	if s == nil {
		return
	}
	delete(j.of, session)
	j.closing[session] = s
	if s.running && j.keep { // what the agent has changed until now
		j.scan(s, false)
	}
	j.ending.Go(func() { j.finish(session, s) })
}

// finish waits for the scans of a session and closes its journal.
func (j *journals) finish(session string, s *journal) {
	j.mu.Lock()
	for s.working && j.keep {
		s.idle.Wait()
	}
	j.mu.Unlock()
	if err := s.Close(); err != nil {
		j.note("session " + safetext.Line(session, 80) + ": " + err.Error())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closing[session] == s {
		delete(j.closing, session)
	}
	close(s.closed)
}

// closeAll ends the tracking of all sessions. It returns when no copy is left, including those of
// sessions that were closed before, except what is kept.
func (j *journals) closeAll() {
	if j == nil {
		return
	}
	if !j.keep {
		j.end()
	}
	patience := time.AfterFunc(lastLook, j.end)
	j.mu.Lock()
	sessions := slices.Collect(maps.Keys(j.of))
	j.mu.Unlock()
	for _, s := range sessions {
		j.close(s)
	}
	j.ending.Wait()
	patience.Stop()
	j.end()
}

func (j *journals) note(line string) {
	if j.log != nil {
		j.log.Add(event.LogClient, line)
	}
}

// warnOnce reports that changes or copies could not be kept: to the user the first time, then to the
// log.
func (j *journals) warnOnce(what string, err error) {
	j.mu.Lock()
	first := !j.warned
	j.warned = true
	j.mu.Unlock()
	line := notKept(what, err)
	if first && j.warn != nil {
		j.warn(j.log, line)
		return
	}
	j.note(line)
}

// turn notes the start or end of a turn and returns its number, 0 if the session is not tracked. It
// does not wait.
func (j *journals) turn(session string, begins bool) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.of[session]
	if s == nil || !begins && s.turn == 0 {
		return 0
	}
	if begins {
		s.turn++
	}
	return j.scan(s, begins)
}

// scan queues the scan before or after a turn, and returns its number. The caller holds mu.
func (j *journals) scan(s *journal, begins bool) int {
	number := s.turn
	s.running = begins
	s.waiting = append(s.waiting, func() {
		look := s.EndTurn
		if begins {
			look = s.BeginTurn
		}
		for _, n := range look(j.scanCtx, number) {
			line := "changes in " + n.Root + ": " + n.Text
			if n.Root == "" {
				line = "changes of the session: " + n.Text
			}
			switch {
			case j.scanCtx.Err() != nil:
				continue
			case atomicfile.IsDiskFull(n.Err):
				j.warnOnce(line, n.Err)
				continue
			case n.Err != nil:
				line += ": " + n.Err.Error()
			}
			j.note(line)
		}
	})
	if !s.working {
		s.working = true
		go j.work(s)
	}
	return number
}

// work runs the queued scans of a session.
func (j *journals) work(s *journal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		j.mu.Unlock()
		next()
		j.mu.Lock()
	}
	s.working = false
	s.idle.Broadcast()
}

// wrote records a file that parley wrote for the agent.
func (j *journals) wrote(session string, w fsops.Written, text string) {
	j.mu.Lock()
	s := j.of[session]
	number := 0
	if s != nil {
		number = max(1, s.turn)
	}
	j.mu.Unlock()
	if s == nil {
		return
	}
	if err := s.Written(number, undo.Write{Path: w.Path, Existed: !w.Created, Before: w.Old, Known: w.OldKnown, After: text}); err != nil {
		j.warnOnce("no copy of "+filepath.Base(w.Path)+" is kept for undo", err)
	}
}

// waitIdle waits for the queued scans of a session and returns its journal, nil if there is none.
func (j *journals) waitIdle(session string) *journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.of[session]
	for s != nil && s.working {
		s.idle.Wait()
	}
	return s
}

// Turn notes the start or end of a turn of a session: the agent may have made any change on disk in
// between. It returns the turn's number in Changes, 0 if the session is not tracked. It does not
// wait.
func (c *Connection) Turn(session string, begins bool) int {
	if c.journals == nil {
		return 0
	}
	return c.journals.turn(session, begins)
}

// Changes returns the changes of a session, turn by turn. It waits for the disk.
func (c *Connection) Changes(session string) (turns []undo.Change) {
	s := c.journal(session)
	if s == nil {
		return nil
	}
	for _, n := range s.Turns() {
		turns = append(turns, s.Changes(n)...)
	}
	return turns
}

// journal waits for the queued scans of a session and returns its journal, nil if there is none.
func (c *Connection) journal(session string) *journal {
	if c.journals == nil {
		return nil
	}
	return c.journals.waitIdle(session)
}
