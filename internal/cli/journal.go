package cli

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"parley/acpclient/event"
	"parley/fsops"
	"parley/internal/atomicfile"
	"parley/internal/record"
	"parley/internal/undo"
)

// journals track the file changes of a connection's sessions. Each session scans the disk on one
// goroutine, in order. Only Changes and the methods after it wait for the scans. Safe for use by
// several goroutines.
type journals struct {
	dir  string
	log  *event.Log
	warn func(*event.Log, string)

	scanCtx context.Context // ends the scans
	end     context.CancelFunc
	ending  sync.WaitGroup // sessions that are being closed

	mu     sync.Mutex
	of     map[string]*journal
	warned bool // the user knows that copies are not kept
}

// journal tracks the changes of one session.
type journal struct {
	*undo.Journal
	turn    int // the latest; guarded by mu of journals
	waiting []func()
	working bool
	idle    *sync.Cond
}

func newJournals(log *event.Log, warn func(*event.Log, string)) *journals {
	dir, err := record.StateDir()
	if err != nil {
		return nil
	}
	life, end := context.WithCancel(context.Background())
	j := &journals{scanCtx: life, end: end, dir: filepath.Join(dir, "undo"), log: log, warn: warn, of: map[string]*journal{}}
	go undo.Sweep(j.dir, time.Now()) // leftovers of killed parleys
	return j
}

// open begins to track a session. If it is open already, it starts over with the new directories.
func (j *journals) open(session string, roots []string) {
	made, err := undo.New(undo.Options{Dir: j.dir, Roots: roots})
	if err != nil {
		j.warnOnce("changes are not tracked and cannot be restored", err)
		return
	}
	j.mu.Lock()
	old := j.of[session]
	j.of[session] = &journal{Journal: made, idle: sync.NewCond(&j.mu)}
	j.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

func (j *journals) close(session string) {
	j.mu.Lock()
	old := j.of[session]
	delete(j.of, session)
	j.mu.Unlock()
	if old != nil {
		j.ending.Go(func() { old.Close() })
	}
}

// closeAll cancels all scans. It returns when no copy is left, including those of sessions that
// were closed before.
func (j *journals) closeAll() {
	j.end()
	j.mu.Lock()
	all := j.of
	j.of = map[string]*journal{}
	j.mu.Unlock()
	for _, s := range all {
		j.ending.Go(func() { s.Close() })
	}
	j.ending.Wait()
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
	number := s.turn
	s.waiting = append(s.waiting, func() {
		look := s.EndTurn
		if begins {
			look = s.BeginTurn
		}
		for _, n := range look(j.scanCtx, number) {
			line := "changes in " + n.Root + ": " + n.Text
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
	c.journals.mu.Lock()
	last := s.turn
	c.journals.mu.Unlock()
	for n := range last {
		turns = append(turns, s.Changes(n+1)...)
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
