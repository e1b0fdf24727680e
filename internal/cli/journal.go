package cli

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
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
	end     context.CancelCauseFunc
	ending  sync.WaitGroup // sessions that are being closed
	last    time.Duration  // see lastLook

	mu      sync.Mutex
	of      map[string]*journal
	failed  map[string]string   // why sessions have none
	closing map[string]*journal // the last one of a session
	warned  bool                // the user knows that copies are not kept
}

// journal tracks the changes of one session.
type journal struct {
	*undo.Journal
	roots   int
	turn    int  // the latest; guarded by mu of journals, as are those below
	running bool // the turn
	sent    bool // it began with a prompt, and the front end has not heard of it yet
	waiting []func()
	working bool
	idle    *sync.Cond
	closed  chan struct{}
}

// lastLook bounds how long the scans may take that are to find what an agent had changed when it was
// ended, while a user waits for that.
const lastLook = 2 * time.Second

var errEnded = errors.New("parley ended before it had looked at all files")

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
	life, end := context.WithCancelCause(context.Background())
	j := &journals{scanCtx: life, end: end, dir: dir, agent: agent, keep: keep, log: log, warn: warn, last: lastLook,
		of: map[string]*journal{}, failed: map[string]string{}, closing: map[string]*journal{}}
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
	return host.Watch{OnOpen: j.open, OnClose: j.close, OnWrite: j.wrote, OnName: j.named, OnPrompt: j.prompted}
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
		j.warnOnce("changes are not recorded and cannot be undone", err)
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = failed
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.failed[session] = notKept("changes are not recorded", err)
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.failed, session)
	j.of[session] = &journal{Journal: made, roots: len(roots), turn: made.LastTurn(), idle: sync.NewCond(&j.mu), closed: make(chan struct{})}
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
		j.end(nil)
	}
	patience := time.AfterFunc(j.last, func() { j.end(errEnded) })
	j.mu.Lock()
	sessions := slices.Collect(maps.Keys(j.of))
	j.mu.Unlock()
	for _, s := range sessions {
		j.close(s)
	}
	j.ending.Wait()
	patience.Stop()
	j.end(nil)
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
	switch {
	case begins && s.sent: // it was begun
		s.sent = false
		return s.turn
	case begins:
		s.turn++
	}
	j.scan(s, begins)
	return s.turn
}

// prompted begins a turn before its prompt is sent. ready is closed when the files have been looked at.
func (j *journals) prompted(session string) (ready <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.of[session]
	if s == nil || s.running && !s.sent {
		return nil
	}
	if !s.sent {
		s.turn++
	}
	s.sent = true
	began, number := time.Now(), s.turn
	j.scan(s, true)
	done := make(chan struct{})
	j.queue(s, func() {
		close(done)
		if late := time.Since(began) - acpclient.PromptDelay; late > 0 {
			s.Late(number, late)
		}
	})
	return done
}

// scan queues the scan before or after a turn. The caller holds mu.
func (j *journals) scan(s *journal, begins bool) {
	number := s.turn
	s.running = begins
	j.queue(s, func() {
		look := s.EndTurn
		if begins {
			look = s.BeginTurn
		}
		for _, n := range look(j.scanCtx, number) {
			switch line := noteLine(n, true); {
			case context.Cause(j.scanCtx) == errEnded:
				j.warnOnce(n.Text, errEnded)
			case j.scanCtx.Err() != nil:
			case atomicfile.IsDiskFull(n.Err):
				j.warnOnce(n.Text, n.Err)
			default:
				j.note(line)
			}
		}
	})
}

// queue runs a function that looks at the files of a session after those queued before. The caller
// holds mu.
func (j *journals) queue(s *journal, look func()) {
	s.waiting = append(s.waiting, look)
	if !s.working {
		s.working = true
		go j.work(s)
	}
}

// work runs the queued functions of a session.
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

// named looks at files that the agent has named, before it may write them. looked is closed then.
func (j *journals) named(session string, paths func() []string) (looked <-chan struct{}) {
	done := make(chan struct{})
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.of[session]
	if s == nil {
		close(done)
		return done
	}
	j.queue(s, func() {
		defer close(done)
		if err := s.Name(paths()...); err != nil {
			j.warnOnce("no copies of named files are kept for undo", err)
		}
	})
	return done
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

// noteLine returns a note as a sentence without its full stop, safe to show.
func noteLine(n undo.Note, withRoot bool) string {
	line := n.String()
	if n.Root != "" && withRoot {
		line = "in " + n.Root + ": " + line
	}
	line = safetext.Line(line, 500)
	return strings.ToUpper(line[:1]) + line[1:]
}

// why says why the changes of a session are not recorded, if they are not.
func (j *journals) why(session string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if why := j.failed[session]; why != "" {
		return []string{noteLine(undo.Note{Text: why}, false)}
	}
	return nil
}
