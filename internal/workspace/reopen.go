package workspace

import (
	"slices"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/words"
)

// reopen opens the session on a new connection. Its thread is unchanged until the agent
// has replayed the conversation. No prompt is sent again.
func (s *Session) reopen() {
	if s.acp != nil {
		s.Lost.previous, s.acp = s.acp, nil
	}
	switch {
	case s.Lost.State == StateGone, s.Lost.State == StateStartingOver:
		if s.Agent.pending == s {
			s.Agent.pending = nil
		}
		s.abandon()
		s.Lost.State = StateGone
		s.Thread.Revive("")
		s.remarked()
		return
	case s.Lost.previous == nil:
		return
	}
	method, open := s.Lost.prepareReopen(s.Agent.conn.Client, s.Agent.conn.Template, s.Thread)
	switch method {
	case reopenNone:
		s.markGone(nil)
		return
	case reopenByResuming:
		s.began = len(s.Thread.Items)
	}
	s.w.tell(Reconnecting{OfSession{s}})
	ctx := s.w.conns.ctx
	var opened *acpclient.Session
	var err error
	s.Agent.ask(func() { opened, err = open(ctx) }, func() { s.reopened(opened, err) })
}

// reopened attaches the reopened session, or reports why reopening failed.
func (s *Session) reopened(opened *acpclient.Session, err error) {
	if s.Lost.State != StateReopening {
		return
	}
	if !s.w.has(s) {
		s.Agent.dismiss(opened)
		return
	}
	coming := s.Lost.incoming
	s.Lost.incoming = nil
	if lost := s.Agent.conn.Client.Err(); lost != nil { // lost before the task reported
		err = lost
	}
	switch outcomeOf(err) {
	case outcomeOpened:
		s.Lost.previous, s.Lost.State = nil, StateLive
		if coming != nil {
			s.showLoaded(coming)
		} else {
			s.Thread.Revive(s.Lost.Interrupted.Resumed())
			s.remarked()
		}
		s.attach(opened)
		s.w.tell(Reconnected{OfSession{s}, coming != nil})
	case outcomeGone:
		s.markGone(err)
	case outcomeLost: // an event reports it
		s.Lost.State = StateLive
	case outcomeLogin:
		s.notReopened(err)
		s.Prompts.wantLogin(err)
	default:
		s.notReopened(err)
	}
}

// showLoaded replaces the thread by the conversation that the agent replayed, and marks
// in it what only parley knows.
func (s *Session) showLoaded(coming *thread.Thread) {
	coming.CarryShells(s.Thread)
	s.Lost.Interrupted.Mark(coming, &s.Prompts.Unconfirmed)
	s.Thread = coming
	s.Changes.counted.writtenAdded, s.Changes.counted.writtenRemoved = 0, 0
	s.began, s.forgotten, s.spans = 0, 0, nil
}

func (s *Session) notReopened(err error) {
	s.Lost.State = StateUnopened
	s.Thread.Revive("Reconnected, but cannot open the session: " + err.Error())
	s.remarked()
	s.w.tell(NotReopened{OfSession{s}, err})
}

// markGone records that the agent no longer has the session.
func (s *Session) markGone(err error) {
	s.Lost.State, s.Lost.previous = StateGone, nil
	s.Prompts.Queue.hold()
	s.Thread.Revive(whyGone(err))
	s.remarked()
	s.w.tell(SessionGone{OfSession{s}})
}

// Continue brings back a session that is not open: it redials, restarts the agent,
// reopens the session or opens a new one to replace it. It returns false if the session
// needs none of that.
func (s *Session) Continue() bool {
	a := s.Agent
	_, retrying := a.Retrying()
	ended := s.Thread.State == thread.Ended
	switch {
	case retrying:
		a.Redial()
	case s.Lost.State == StateReopening && a.conn != nil:
		return false
	case ended && a.Spec.Remote && a.w.opts.Redial != nil && (s.acp != nil || s.Lost.previous != nil || s.Lost.State == StateGone):
		a.Redial()
	case ended:
		a.Restart()
	case s.Lost.State == StateGone:
		s.startOver()
	case s.Lost.State == StateUnopened:
		s.reopen()
	default:
		return false
	}
	return true
}

// startOver opens a new session to replace one that is gone. Queued prompts stay queued;
// none is sent automatically.
func (s *Session) startOver() {
	a := s.Agent
	if a.pending != nil {
		s.Say(words.Sentence(openingLine))
		return
	}
	cut := s.Lost.Interrupted
	s.Prompts.Queue.hold()
	s.resetConnection()
	s.Lost.State, s.Lost.Interrupted = StateStartingOver, cut
	a.pending = s
	s.open(a.conn.newSession, s.startedOver)
}

// startedOver attaches the new session, or leaves the old one unchanged on an error.
func (s *Session) startedOver(opened *acpclient.Session, err error) {
	if s.Agent.pending == s {
		s.Agent.pending = nil
	}
	if s.Lost.State != StateStartingOver {
		return
	}
	if !s.w.has(s) {
		s.Agent.dismiss(opened)
		return
	}
	s.abandon()
	if err != nil {
		s.Lost.State = StateGone
		s.w.tell(StartedOver{OfSession{s}, err})
		if outcomeOf(err) == outcomeLogin {
			s.Prompts.wantLogin(err)
		}
		return
	}
	s.Lost.State = StateLive
	s.attach(opened)
	s.w.tell(StartedOver{OfSession{s}, nil})
	s.Prompts.sendQueued()
}

// cutOff records what is known of a turn that a lost connection interrupted.
func (s *Session) cutOff(err error) {
	if event.InterruptedByNetwork(err) {
		prompt, _ := s.Prompts.turnPrompt()
		s.Lost.Interrupted.AddTurn(s.Thread, prompt)
		s.Prompts.Unconfirmed.Add(&s.Lost.Interrupted)
	}
}

// Say reports a line about an action of the user on the session, as Said.
func (s *Session) Say(line string) { s.w.tell(Said{OfSession{s}, line}) }

// sayOnce reports a line about the agent the first time it is called with it.
func (s *Session) sayOnce(line string) {
	if a := s.Agent; !slices.Contains(a.reported, line) {
		a.reported = append(a.reported, line)
		s.Say(line)
	}
}
