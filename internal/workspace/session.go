package workspace

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/notes"
	"parley/permissions"
)

// Session is a session that is open, is being opened, or has lost its agent: its conversation and
// its life. Prompts, Changes and Tree have their own state and methods. Front ends read the other
// fields; methods change them.
type Session struct {
	Agent  *Agent
	Thread *thread.Thread

	Prompts       Prompts
	Changes       Changes
	Tree          OwnTree
	SideQuestions SideQuestions

	notes []notes.Note // what the user has to say about the work, not sent yet; replaced as a whole, never changed

	ReadOnly       bool   // shown from a log; no agent has it open
	ReadOnlyReason string // why it is read-only
	Dir            string // its directory, if that is not Options.Cwd

	Lost lostSession // its state while the connection is lost

	w         *Workspace
	acp       *acpclient.Session  // nil until it is open
	broker    *permissions.Broker // takes the answers to open questions; nil before the first
	from      *Session            // the session it was opened from
	giveUp    context.CancelFunc  // cancels opening it; nil for the connection's first session
	spans     []connectionSpan    // which connection each item came from
	began     int                 // number of items when the connection started
	forgotten int                 // number of items that are of an earlier session, which this one replaced
	stopAsked time.Time           // when the turn was cancelled

	comparison *comparison // nil: it is not compared

	requests openRequests // what waits for the user's answer

	forking   bool             // it is being opened as a fork: its thread has the conversation already
	inherited []Setting        // what a fork takes over once it is open: the settings
	approval  permissions.Mode // and the approval mode
	unnamed   bool             // a fork, which its first prompt gives its name
}

func newSession(w *Workspace, a *Agent) *Session {
	s := &Session{w: w, Agent: a, Dir: a.Spec.Dir, Thread: thread.New("")}
	s.Prompts = Prompts{s: s, dropped: map[uint64]bool{}}
	s.Changes, s.Tree, s.SideQuestions = Changes{s: s}, OwnTree{s: s}, SideQuestions{s: s}
	return s
}

// connectionSpan is the part of a thread that came over one connection: the items from
// index from on.
type connectionSpan struct {
	from     int
	messages Lookup
}

// Lookup finds the messages that made an item; nil: no log is kept. session is that of a sub-agent, or "".
type Lookup func(ctx context.Context, session string, spans []event.Span, request int64) ([]Message, error)

// LookupOf returns the lookup for the connection that an item came from.
func (s *Session) LookupOf(item int) (messages Lookup) {
	for _, c := range s.spans {
		if item >= c.from {
			messages = c.messages
		}
	}
	return messages
}

// Blank reports whether the session is not open and nothing was ever said in it. Notices
// about an agent that did not start do not count.
func (s *Session) Blank() bool {
	return s.acp == nil && !slices.ContainsFunc(s.Thread.Items, func(it *thread.Item) bool { return it.Kind != thread.TurnEnd && it.Kind != thread.Notice })
}

// IsOpen reports whether the agent has the session open.
func (s *Session) IsOpen() bool { return s.acp != nil }

// Running reports whether a turn is running, according to the engine. Busy may not know it yet.
func (s *Session) Running() bool { return s.acp != nil && s.acp.Running() }

// Busy reports whether a turn is running, according to the thread.
func (s *Session) Busy() bool {
	switch s.Thread.State {
	case thread.Running, thread.Waiting, thread.Cancelling:
		return true
	}
	return false
}

// HasPrompt reports whether the conversation that the agent knows has a prompt.
func (s *Session) HasPrompt() bool {
	return slices.ContainsFunc(s.Thread.Items[s.forgotten:], (*thread.Item).IsPrompt)
}

// Resumable reports whether the agent can reopen the conversation.
func (s *Session) Resumable() bool {
	if s.acp == nil || s.Agent.conn == nil || !s.HasPrompt() {
		return false
	}
	return reopenMethodOf(s.Agent.conn.Client.Agent()) != reopenNone
}

// ResumableSession is the session in front when the front end ended, if it has a conversation that the
// agent can open again.
type ResumableSession struct {
	Agent   Spec
	Session string // the agent's id, verbatim; "" if there is nothing to resume
}

// Resumable returns the session in front for another run.
func (w *Workspace) Resumable() (r ResumableSession) {
	return resumable(w.front)
}

func resumable(s *Session) (r ResumableSession) {
	if s.Resumable() {
		r = ResumableSession{s.Agent.Spec, s.Thread.Session}
	}
	return r
}

// Cwd returns the directory in which the agent works, LocalDir while the session is not open.
func (s *Session) Cwd() string {
	if s.acp == nil {
		return s.LocalDir()
	}
	return s.acp.Cwd()
}

// Roots returns the directories on this machine whose files prompts may mention: LocalDir and, if the
// session works there, those that the user added.
func (s *Session) Roots() []string {
	roots := []string{s.LocalDir()}
	if conn := s.Agent.conn; conn != nil && conn.Template.Cwd == roots[0] {
		roots = append(roots, conn.Template.Roots...)
	}
	return roots
}

// LocalDir returns the directory on this machine in which commands run and paths are
// looked up: the session's, if that is local.
func (s *Session) LocalDir() string {
	if s.acp != nil && !s.Agent.Spec.Remote {
		return s.acp.Cwd()
	}
	return cmp.Or(s.Dir, s.w.opts.Cwd)
}

// attach connects s to the opened session, whose events so far have been applied.
func (s *Session) attach(open *acpclient.Session) {
	s.acp, s.giveUp, s.forking = open, nil, false
	s.Changes.turns = map[int]int{} // which turns of a replayed conversation were recorded is not known
	s.Thread.Session = open.ID()
	conn, id := s.Agent.conn, open.ID()
	s.spans = append(s.spans, connectionSpan{s.began, func(ctx context.Context, session string, spans []event.Span, request int64) ([]Message, error) {
		return conn.Messages(ctx, cmp.Or(session, id), spans, request)
	}})
	s.Changes.Count(0) // of what was recorded before
}

// resetConnection prepares the session for another connection. Thread and queue stay.
func (s *Session) resetConnection() {
	s.Prompts.requeue()
	s.Prompts.offerHeld()
	s.Prompts.switching = false
	s.Prompts.Queue.prepend(s.Prompts.Steering...) // the answers are dropped with the connection
	s.Prompts.Steering = nil
	s.abandon()
	s.acp, s.Lost, s.Changes.counted, s.stopAsked, s.requests = nil, lostSession{}, changedLines{}, time.Time{}, nil
	s.Thread.Attach("", s.forgotten)
	s.began = len(s.Thread.Items)
	s.forgotten = s.began
	s.spans = append(s.spans, connectionSpan{from: s.began})
	s.remarked()
}

// remarked reports that a notice in the thread about the connection has changed.
func (s *Session) remarked() {
	items := []int{0}
	if n := len(s.Thread.Items); n > 1 {
		items = append(items, n-1)
	}
	s.w.tell(ItemsChanged{OfSession{s}, items})
}

// Apply applies one event of the session.
func (s *Session) Apply(e event.Event) {
	if s.repeated(e) {
		return
	}
	if s.Lost.incoming != nil && s.takeHistory(e) {
		return
	}
	if sub := s.Thread.Subagent(e.EventSession()); sub != nil { // nothing in it concerns the turn or the queue
		items := slices.Clone(s.Thread.Apply(e))
		s.w.tell(EventApplied{OfSession{s}, event.SubagentChanged{For: event.For{Session: s.Thread.Session}, ID: sub.ID}, items})
		return
	}
	s.requests.saw(e)
	turn := 0
	switch e := e.(type) {
	case permissions.Asked:
		s.broker = e.Broker
	case event.TurnStarted:
		turn = s.Changes.turn(true)
		if !e.SeparatePrompts {
			s.Lost.Interrupted = InterruptedTurn{}
		}
	case event.PromptHeld:
		s.Lost.Interrupted = InterruptedTurn{}
	case event.FileWritten:
		s.Changes.counted.wrote(e)
	case event.TurnEnded:
		turn = s.Changes.turn(false)
	}
	s.w.tell(EventApplied{OfSession{s}, e, slices.Clone(s.Thread.Apply(e))})
	switch e := e.(type) {
	case event.TurnStarted:
		if turn > 0 {
			s.Changes.turns[s.Thread.Turn] = turn
		}
	case event.PromptFailed:
		s.Prompts.failed(e)
	case event.TurnEnded:
		s.cutOff(e.Err)
		countTokens(s, e.Usage)
		s.Changes.lookUnannounced(turn)
		s.Changes.Count(turn)
		s.Changes.showRecorded(turn)
		s.Prompts.turnEnded(e)
	}
}

// concerns reports whether the id is that of the session or of a sub-agent of it.
func (s *Session) concerns(id string) bool {
	return s.Thread.Session == id || s.Thread.Subagent(id) != nil || s.Lost.incoming != nil && s.Lost.incoming.Subagent(id) != nil
}

// takeHistory adds an event to the history that is being loaded; false if it is not part
// of that.
func (s *Session) takeHistory(e event.Event) bool {
	switch e.(type) {
	case permissions.Asked, permissions.Settled, event.ElicitationAsked, event.ElicitationEnded, event.ElicitationCompleted:
		return false
	case event.NoticeArrived: // it belongs to the thread that is shown
		s.Lost.incoming.Apply(e)
		return false
	case event.Disconnected:
		s.Lost.incoming = nil
		return false
	}
	s.Lost.incoming.Apply(e)
	return true
}

// KillAfter is how long an agent may take to end a cancelled turn before another Stop
// ends the agent.
const KillAfter = 5 * time.Second

// Stop cancels the running turn. If the agent has not reacted after KillAfter, another
// Stop ends the agent, and killed is true.
func (s *Session) Stop() (killed bool) {
	switch {
	case s.Thread.State == thread.Cancelling && s.Killable():
		s.Agent.Kill()
		return true
	case s.acp == nil:
		return false
	}
	if s.stopAsked.IsZero() && s.acp.Running() {
		s.stopAsked = s.w.opts.Now()
		s.w.begin(func() Result { return pause(s.w, KillAfter, func() {}) })
	}
	s.acp.Cancel()
	return false
}

// Killable reports whether another Stop ends the agent.
func (s *Session) Killable() bool {
	return !s.stopAsked.IsZero() && s.w.opts.Now().Sub(s.stopAsked) >= KillAfter
}

// pause waits, or until the workspace is closed, and then calls then. What depends on the time may have
// changed.
func pause(w *Workspace, d time.Duration, then func()) Result {
	select {
	case <-time.After(d):
	case <-w.conns.ctx.Done():
	}
	return after(then)
}

// abandon cancels opening the session, and ignores the response.
func (s *Session) abandon() {
	if s.giveUp != nil {
		s.giveUp()
		s.giveUp = nil
	}
}

// Opening reports whether the session is being opened, or its log is being read.
func (s *Session) Opening() bool {
	return s.acp == nil && s.giveUp != nil && s.Thread.State != thread.Ended
}

// CancelOpen cancels opening the session; false if it is not being opened.
func (s *Session) CancelOpen() bool {
	if s.acp != nil || s.giveUp == nil {
		return false
	}
	s.giveUp()
	return true
}
