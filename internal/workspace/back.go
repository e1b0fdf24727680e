package workspace

import (
	"context"
	"errors"
	"slices"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/safetext"
	"parley/permissions"
)

// AtRest returns why the session cannot be forked, and its files not be restored, at the moment.
func (s *Session) AtRest() error {
	switch {
	case s.ReadOnly:
		return errors.New(readOnlyLine)
	case !s.Agent.Live():
		return errors.New(goneLine)
	case s.acp == nil:
		return ErrNotOpen
	case s.Thread.State == thread.Waiting:
		return errors.New("a question is open: answer it first")
	case s.inTurn():
		return errors.New("a turn is running: wait for its end, or stop it")
	case s.Thread.State != thread.Idle:
		return errors.New("the conversation is still being loaded")
	}
	return nil
}

// turnOf returns the turn of the thread that an item belongs to. A prompt that an agent accepts
// between two turns begins the next one.
func turnOf(items []*thread.Item, item int) int {
	turn := items[item].Turn
	for i := item - 1; i >= 0 && items[i].Turn == turn; i-- {
		if items[i].Kind == thread.TurnEnd {
			return turn + 1
		}
	}
	return turn
}

// Fork opens a session that continues the conversation after the turn of a prompt, and shows it. An
// agent that can copies the session (session/fork), but only with all of its turns. Else it is a new
// session, and the conversation up to there goes with its next prompt. A notice in the new session says
// which, below a copy of the conversation; title is that of this one. The new session gets the settings of this one and
// its approval mode, unless that allows everything. Fork returns why there can be none now.
func (s *Session) Fork(prompt int, title string) error {
	if err := s.AtRest(); err != nil {
		return err
	}
	a, id := s.Agent, s.acp.ID()
	if a.pending != nil {
		return errors.New(openingLine)
	}
	conn, n := a.conn, beside(s)
	copies, end := conn.Client.Agent().Fork, endOf(s.Thread.Items, prompt)
	f := newSession(s.w, a)
	f.Dir, f.inherited, f.unnamed = s.Dir, s.Settings(), true
	f.approval = approvalAfter(s)
	f.Thread, f.spans = s.Thread.Fork(end), slices.Clone(s.spans)
	open := func(ctx context.Context) (*acpclient.Session, error) { return conn.Client.NewSession(ctx, n) }
	switch {
	case copies && end == len(s.Thread.Items):
		f.forking = true
		open = func(ctx context.Context) (*acpclient.Session, error) { return conn.Client.ForkSession(ctx, id, n) }
	default:
		f.forgotten = end
		told := carried.Conversation(s.Thread.Items[:end])
		if told != "" {
			f.Prompts.Carried.Add(told)
		}
		f.Thread.AddNotice("Forked by copying: your next prompt includes the conversation so far. Both sessions share these files.", told)
	}
	f.Thread.Title, f.began = safetext.Line(title, maxName)+" (fork)", len(f.Thread.Items)
	a.openAnother(f, open)
	return nil
}

// beside returns the parameters of another session in the directory of an open one.
func beside(s *Session) acpclient.NewSession {
	n := s.Agent.conn.Template
	if cwd := s.acp.Cwd(); cwd != n.Cwd {
		n.Cwd, n.Roots = cwd, nil
	}
	return n
}

// approvalAfter returns the approval mode of a session that continues another: its own, unless that allows
// everything, which was confirmed for that one only.
func approvalAfter(s *Session) permissions.Mode {
	if m := s.Approval(); m != permissions.AllMode {
		return m
	}
	return permissions.AskMode
}

// Retell returns the conversation before the end of a prompt's turn, or all of it if that is -1, as another agent
// would be told it, and how many prompts it has.
func (s *Session) Retell(prompt int) (text string, prompts int) {
	return carried.Retell(s.Thread.Items[:endOf(s.Thread.Items, prompt)])
}

// HandOver starts an agent in a session that continues the conversation after the turn of a prompt, or after all
// of it if that is -1, below a copy of it, and shows that session. told, the conversation in words, goes with its
// next prompt. The approval mode stays, unless it allows everything.
func (s *Session) HandOver(prompt int, spec Spec, told string, prompts int) {
	a := newAgent(s.w)
	if a.Spec = spec; s.Dir != "" {
		a.Spec.Dir, a.Spec.Branch = s.Dir, s.Agent.Spec.Branch
	}
	f := newSession(s.w, a)
	f.approval = approvalAfter(s)
	end := endOf(s.Thread.Items, prompt)
	f.Thread, f.spans, f.unnamed, f.forgotten = s.Thread.Fork(end), slices.Clone(s.spans), true, end
	f.Thread.Title = s.Title()
	if told := carried.Told(told, prompts); told != "" {
		f.Prompts.Carried.Add(told)
		f.Thread.AddNotice("The conversation above was with "+s.Agent.Name()+". Your next prompt includes it. Both sessions share these files.", told)
	}
	s.w.addSession(f)
	a.Restart()
}

// repeated reports whether an event repeats the conversation that a fork begins with: some agents replay
// it before they answer.
func (s *Session) repeated(e event.Event) bool {
	if !s.forking {
		return false
	}
	switch e.(type) {
	case event.TextArrived, event.ContentArrived, event.MessageReplaced, event.ToolChanged,
		event.TerminalStarted, event.TerminalOutput, event.TerminalExited, event.TerminalChanged, event.TerminalReplaced:
		return true
	}
	return false
}

// endOf returns where the turn of a prompt ends: the index of the next turn's first prompt, or how many
// items there are, as for -1.
func endOf(items []*thread.Item, prompt int) int {
	if prompt < 0 {
		return len(items)
	}
	for _, it := range items[prompt+1:] {
		if it.IsPrompt() && turnOf(items, it.Index) != turnOf(items, prompt) {
			return it.Index
		}
	}
	return len(items)
}
