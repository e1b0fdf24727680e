package workspace

import (
	"context"
	"slices"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/permissions"
)

// Session is one that is open, or is being opened, or whose agent is gone: what is
// known of it and what waits to be sent. A front end reads the fields; it changes
// Queued and Paused where its user does.
type Session struct {
	Agent  *Agent
	ACP    *acpclient.Session // nil until it is open
	Thread *thread.Thread

	Queued  []string // prompts that wait for the turn to end, the oldest first
	Paused  bool     // they wait for the user: a turn was stopped or has failed before them
	Offers  Offers   // prompts that may not have arrived: the user may send them again
	Carried []string // output of the user's commands that goes with the next prompt

	ReadOnly bool   // shown from a log: no agent has it open
	Why      string // why that is so
	Dir      string // where it was opened in another directory than Options.Cwd

	Lost lostSession // what is kept over a lost connection

	w         *Workspace
	from      *Session           // the one it was opened from
	giveUp    context.CancelFunc // of opening it; nil for the connection's first
	spans     []connectionSpan   // whose messages the items are made of
	began     int                // items there were when the connection began
	sending   *sending           // the prompt whose files are being read
	refused   []unsent           // prompts that the agent wanted a login for
	deferred  []unsent           // the first of Queued: those that the agent did not take in a turn
	last      string             // the prompt that went out last
	dropped   map[uint64]bool    // held prompts that are to be dropped when they come back
	stopAsked time.Time          // when the turn was cancelled
	counted   changedLines
	edit      edit // of the queue
}

func newSession(w *Workspace, a *Agent) *Session {
	return &Session{w: w, Agent: a, Thread: thread.New(""), dropped: map[uint64]bool{}}
}

// connectionSpan is what one connection has put into a thread: what there is from an
// item on.
type connectionSpan struct {
	from     int
	messages Lookup
}

// Lookup finds the messages that made an item; nil: no log is kept.
type Lookup func(ctx context.Context, spans []event.Span, request int64) ([]Message, error)

// LookupOf is where to look up the messages that made an item.
func (s *Session) LookupOf(item int) (messages Lookup) {
	for _, c := range s.spans {
		if item >= c.from {
			messages = c.messages
		}
	}
	return messages
}

// Blank tells whether nothing was ever said in it and it is not open: why an agent did
// not start is no conversation.
func (s *Session) Blank() bool {
	return s.ACP == nil && !slices.ContainsFunc(s.Thread.Items, func(it *thread.Item) bool { return it.Kind != thread.TurnEnd && it.Kind != thread.Notice })
}

// Busy tells whether a turn is under way, as the thread has it.
func (s *Session) Busy() bool {
	switch s.Thread.State {
	case thread.Running, thread.Waiting, thread.Cancelling:
		return true
	}
	return false
}

// HasPrompt tells whether the user has said something in it.
func (s *Session) HasPrompt() bool {
	return slices.ContainsFunc(s.Thread.Items, func(it *thread.Item) bool { return it.Kind == thread.UserMessage && !it.Blank() })
}

// Resumable tells whether there is a conversation that the agent can open again.
func (s *Session) Resumable() bool {
	if s.ACP == nil || s.Agent.conn == nil || !s.HasPrompt() {
		return false
	}
	return reopenMethodOf(s.Agent.conn.Client.Agent()) != reopenNone
}

// Roots are the directories of the session; Options.Cwd while it is not open.
func (s *Session) Roots() []string {
	if s.ACP == nil || s.Agent.conn == nil {
		return []string{s.w.opts.Cwd}
	}
	roots := []string{s.ACP.Cwd()}
	if t := s.Agent.conn.Template; t.Cwd == s.ACP.Cwd() {
		roots = append(roots, t.Roots...)
	}
	return roots
}

// LocalDir is where commands run and paths are looked up on this machine: the session's
// directory, where that is here.
func (s *Session) LocalDir() string {
	if s.ACP != nil && !s.Agent.Spec.Remote {
		return s.ACP.Cwd()
	}
	return s.w.opts.Cwd
}

// DropCarried keeps the newest command from going with the next prompt; false where
// there is none.
func (s *Session) DropCarried() bool {
	n := len(s.Carried)
	if n == 0 {
		return false
	}
	s.Carried = s.Carried[:n-1]
	return true
}

// attach takes the opened session over. What it said of itself has been applied.
func (s *Session) attach(open *acpclient.Session) {
	s.ACP, s.giveUp = open, nil
	s.Thread.Session = open.ID()
	c := connectionSpan{from: s.began}
	if messages := s.Agent.conn.Messages; messages != nil {
		id := open.ID()
		c.messages = func(ctx context.Context, spans []event.Span, request int64) ([]Message, error) {
			return messages(ctx, id, spans, request)
		}
	}
	s.spans = append(s.spans, c)
}

// fresh makes it ready for another connection: the thread and the queue stay.
func (s *Session) resetConnection() {
	s.requeue()
	s.offerHeld()
	s.abandon()
	s.ACP, s.Lost, s.counted, s.stopAsked = nil, lostSession{}, changedLines{}, time.Time{}
	s.Thread.Attach("")
	s.began = len(s.Thread.Items)
	s.spans = append(s.spans, connectionSpan{from: s.began})
	s.remarked()
}

// remarked tells that the thread says something else about the connection.
func (s *Session) remarked() {
	items := []int{0}
	if n := len(s.Thread.Items); n > 1 {
		items = append(items, n-1)
	}
	s.w.tell(Remarked{s, items})
}

// Apply takes one event of the session.
func (s *Session) Apply(e event.Event) {
	if s.Lost.Coming != nil && s.takeHistory(e) {
		return
	}
	turn := 0
	switch e := e.(type) {
	case event.TurnStarted:
		s.watch(true)
		if !e.Told {
			s.Lost.Cut = Cut{}
		}
	case event.PromptHeld:
		s.Lost.Cut = Cut{}
	case event.TurnEnded:
		turn = s.watch(false)
	}
	s.w.tell(Applied{s, e, slices.Clone(s.Thread.Apply(e))})
	switch e := e.(type) {
	case event.PromptFailed:
		s.promptFailed(e)
	case event.TurnEnded:
		s.cutOff(e.Err)
		s.lookUnannounced(turn)
		s.CountLines()
		s.turnEnded(e)
	}
}

// takeHistory takes an event for the history that is being loaded; false for what is no
// part of it.
func (s *Session) takeHistory(e event.Event) bool {
	switch e.(type) {
	case permissions.Asked, permissions.Settled, event.ElicitationAsked, event.ElicitationEnded, event.ElicitationCompleted:
		return false
	case event.NoticeArrived: // the thread that is shown goes
		s.Lost.Coming.Apply(e)
		return false
	case event.Disconnected:
		s.Lost.Coming = nil
		return false
	}
	s.Lost.Coming.Apply(e)
	return true
}

// watch tells when a turn begins and ends, so that what changes meanwhile can be shown
// and put back. The number is that of the turn, 0 where it is not watched.
func (s *Session) watch(begins bool) int {
	if conn := s.Agent.conn; s.ACP != nil && conn != nil && conn.Turn != nil {
		return conn.Turn(s.ACP.ID(), begins)
	}
	return 0
}

// KillAfter is how long an agent may take to end a cancelled turn before ending the
// agent itself is offered.
const KillAfter = 5 * time.Second

// Stop cancels the running turn. When the agent does not react, a second Stop after a
// few seconds ends the agent: killed.
func (s *Session) Stop() (killed bool) {
	switch {
	case s.Thread.State == thread.Cancelling && s.Killable():
		s.Agent.Kill()
		return true
	case s.ACP == nil:
		return false
	}
	if s.stopAsked.IsZero() && s.ACP.Running() {
		s.stopAsked = s.w.opts.Now()
		s.w.begin(func() Result { return pause(s.w, KillAfter) })
	}
	s.ACP.Cancel()
	return false
}

// Killable tells whether another Stop ends the agent.
func (s *Session) Killable() bool {
	return !s.stopAsked.IsZero() && s.w.opts.Now().Sub(s.stopAsked) >= KillAfter
}

// pause waits, or until the workspace is closed. What depends on the time may have
// changed then.
func pause(w *Workspace, d time.Duration) Result {
	select {
	case <-time.After(d):
	case <-w.conns.ctx.Done():
	}
	return after(func() {})
}

// abandon gives up what is opening it, where the answer will be ignored.
func (s *Session) abandon() {
	if s.giveUp != nil {
		s.giveUp()
		s.giveUp = nil
	}
}

// GiveUp gives up opening it; false where nothing is under way.
func (s *Session) GiveUp() bool {
	if s.ACP != nil || s.giveUp == nil {
		return false
	}
	s.giveUp()
	return true
}
