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

// journals know what changed in the sessions of a connection. The looks at the
// disk happen on a goroutine of each session, one after the other; only Changes
// and what follows it wait for them. Safe for use by several goroutines.
type journals struct {
	dir  string
	log  *event.Log
	warn func(*event.Log, string)

	life   context.Context // of the looks at the disk
	end    context.CancelFunc
	ending sync.WaitGroup // of sessions

	mu     sync.Mutex
	of     map[string]*journal
	warned bool // that copies are not kept
}

// journal is that of one session.
type journal struct {
	*undo.Journal
	turn    int // the last that began; with mu of journals
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
	j := &journals{life: life, end: end, dir: filepath.Join(dir, "undo"), log: log, warn: warn, of: map[string]*journal{}}
	go undo.Sweep(j.dir, time.Now()) // what parleys left that were killed
	return j
}

// open begins a session, or goes on with it in other directories.
func (j *journals) open(session string, roots []string) {
	made, err := undo.New(undo.Options{Dir: j.dir, Roots: roots})
	if err != nil {
		j.fails("changes are not tracked and cannot be restored", err)
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

// closeAll gives up what is looked at, and returns when no copy is left, not of the
// sessions either that were closed before.
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

// fails says what cannot be kept: the first time to the user.
func (j *journals) fails(what string, err error) {
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

// turn notes that a turn begins, or that it is over, and returns its number; 0 where
// it is not watched. It returns at once.
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
		look := s.After
		if begins {
			look = s.Before
		}
		for _, n := range look(j.life, number) {
			line := "changes in " + n.Root + ": " + n.Text
			switch {
			case j.life.Err() != nil:
				continue
			case atomicfile.Full(n.Err):
				j.fails(line, n.Err)
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

// work does what waits for a session.
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

// wrote notes what parley has written for the agent.
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
		j.fails("no copy of "+filepath.Base(w.Path)+" is kept for undo", err)
	}
}

// looked is the journal of a session when all that was to be looked at is; nil
// where there is none.
func (j *journals) looked(session string) *journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.of[session]
	for s != nil && s.working {
		s.idle.Wait()
	}
	return s
}

// Turn notes that a turn of a session begins or is over: what changes on the disk
// in between may be the agent's. The number is that of the turn in its Changes, 0
// where it is not watched. It returns at once.
func (c *Connection) Turn(session string, begins bool) int {
	if c.journals == nil {
		return 0
	}
	return c.journals.turn(session, begins)
}

// Changes are those of a session, turn by turn and together: a file that several
// turns have changed is there once. It waits for the disk.
func (c *Connection) Changes(session string) (turns, together []undo.Change) {
	if c.journals == nil {
		return nil, nil
	}
	s := c.journals.looked(session)
	if s == nil {
		return nil, nil
	}
	c.journals.mu.Lock()
	last := s.turn
	c.journals.mu.Unlock()
	for n := range last {
		turns = append(turns, s.Changes(n+1)...)
	}
	return turns, s.Changes(undo.All)
}

// ChangeTexts is what a file held before a change and after it, where that is
// known. It waits for the disk.
func (c *Connection) ChangeTexts(session string, change undo.Change) (before, after string, ok bool) {
	if c.journals == nil {
		return "", "", false
	}
	if s := c.journals.looked(session); s != nil {
		return s.Texts(change)
	}
	return "", "", false
}

// PutBack undoes changes of a session, or with try says only what would come of
// it. What was changed since is left alone. It waits for the disk.
func (c *Connection) PutBack(ctx context.Context, session string, changes []undo.Change, try bool) []undo.Result {
	if c.journals == nil {
		return nil
	}
	s := c.journals.looked(session)
	switch {
	case s == nil:
		return nil
	case try:
		return s.Preview(ctx, changes)
	}
	return s.Undo(ctx, changes)
}

// DoAgain does changes of a session again that were put back. What was changed since
// is left alone. It waits for the disk.
func (c *Connection) DoAgain(ctx context.Context, session string, changes []undo.Change) []undo.Result {
	if c.journals == nil {
		return nil
	}
	s := c.journals.looked(session)
	if s == nil {
		return nil
	}
	return s.Redo(ctx, changes)
}
