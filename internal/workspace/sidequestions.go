package workspace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/safetext"
	"parley/permissions"
)

// SideQuestions is a conversation beside a session: questions of the user that neither wait for its turn nor become part
// of it. A copy of the session answers them, or a new session that is told the conversation if the agent cannot
// copy one. It may neither write nor run anything, and what it asks is rejected. It is deleted with the session.
type SideQuestions struct {
	Thread *thread.Thread // nil before the first question

	s       *Session
	acp     *acpclient.Session // nil until it is open
	opening bool
	waiting []string // questions that are not sent yet
	told    string   // the conversation, to be sent with the first question; "" for a copy
}

// Refuses returns why no question can be asked now.
func (a *SideQuestions) Refuses() error {
	switch s := a.s; {
	case s.ReadOnly:
		return errors.New(readOnlyLine)
	case !s.Agent.Live() && !s.Agent.opening:
		return errors.New(goneLine)
	case s.acp == nil:
		return ErrNotOpen
	case a.acp == nil && !a.opening && s.Agent.pending != nil:
		return errors.New(openingLine)
	}
	return nil
}

// Ask asks a question. SideQuestionsChanged tells what comes of it.
func (a *SideQuestions) Ask(question string) error {
	if err := a.Refuses(); err != nil {
		return err
	}
	if a.Thread == nil {
		a.Thread = thread.New("")
	}
	a.waiting = append(a.waiting, question)
	if a.acp == nil && !a.opening {
		a.open()
	}
	a.next()
	return nil
}

// Waiting returns the questions that are not sent yet.
func (a *SideQuestions) Waiting() []string { return a.waiting }

// Busy reports whether an answer is on its way.
func (a *SideQuestions) Busy() bool {
	return a.opening || len(a.waiting) > 0 || a.acp != nil && a.acp.Running()
}

// open opens the session that answers.
func (a *SideQuestions) open() {
	s, conn := a.s, a.s.Agent.conn
	id, n := s.acp.ID(), beside(s)
	text, prompts := s.Retell(-1)
	a.opening = true
	replayed := newSession(s.w, s.Agent) // events of an unknown id are of the copy: some agents replay it first
	s.Agent.pending = replayed
	var opened *acpclient.Session
	copied := false
	s.Agent.request(func(ctx context.Context) (err error) {
		if conn.Client.Agent().Fork {
			opened, err = conn.Client.ForkSession(ctx, id, n)
			copied = err == nil
		}
		if !copied {
			opened, err = conn.Client.NewSession(ctx, n)
		}
		if err == nil {
			conn.sideSessions.add(opened)
			conn.HideLog(opened.ID())
		}
		return err
	}, func(err error) {
		a.opening = false
		if s.Agent.pending == replayed {
			s.Agent.pending = nil
		}
		switch {
		case !s.w.has(s):
			if opened != nil {
				s.w.begin(func() Result { conn.sideSessions.drop(conn.Client, opened); return nil })
			}
			return
		case err != nil:
			a.drop(err)
			a.changed()
			return
		}
		conn.Broker.SetMode(opened.ID(), permissions.SideMode)
		if a.acp, a.Thread.Session = opened, opened.ID(); !copied {
			a.told = carried.Told(text, prompts)
		}
		a.next()
	})
}

// next sends the next question, if none is being answered.
func (a *SideQuestions) next() {
	if a.acp == nil || a.acp.Running() || len(a.waiting) == 0 {
		a.changed()
		return
	}
	question := a.waiting[0]
	blocks := []event.Block{{Text: question}}
	if a.told != "" {
		blocks = append([]event.Block{{Text: a.told}}, blocks...)
	}
	if err := a.acp.Prompt(blocks...); err != nil {
		a.drop(err)
	} else {
		a.told, a.waiting = "", a.waiting[1:]
	}
	a.changed()
}

// drop gives up the questions that wait.
func (a *SideQuestions) drop(why error) {
	for _, question := range a.waiting {
		a.Thread.AddNotice("Not asked: "+safetext.Line(question, maxName)+" ("+why.Error()+")", "")
	}
	a.waiting = nil
}

// concerns reports whether the id is that of the session that answers, or of a sub-agent of it.
func (a *SideQuestions) concerns(id string) bool {
	return a.acp != nil && (a.acp.ID() == id || a.Thread.Subagent(id) != nil)
}

// apply applies an event of the session that answers.
func (a *SideQuestions) apply(e event.Event) {
	switch e := e.(type) {
	case permissions.Asked: // the mode has settled the others
		e.Broker.Reject(e.Question.Key)
		return
	case event.ElicitationAsked:
		e.Answer(event.ElicitationAnswer{Action: "decline"})
		return
	}
	a.Thread.Apply(e)
	if _, ended := e.(event.TurnEnded); ended {
		a.next()
		return
	}
	a.changed()
}

func (a *SideQuestions) changed() { a.s.w.tell(SideQuestionsChanged{OfSession{a.s}}) }

// disconnected ends the answer with the connection. The next question opens another session.
func (a *SideQuestions) disconnected(err error) {
	a.drop(cmp.Or(err, errors.New(goneLine)))
	if a.acp, a.opening = nil, false; a.Thread == nil {
		return
	}
	if a.Thread.State != thread.Idle {
		a.Thread.Apply(event.TurnEnded{For: event.For{Session: a.Thread.Session}, Err: err})
	}
	a.changed()
}

// close deletes the session that answers.
func (a *SideQuestions) close() {
	if conn, open := a.s.Agent.conn, a.acp; open != nil && conn != nil {
		a.s.w.begin(func() Result { conn.sideSessions.drop(conn.Client, open); return nil })
	}
	a.acp, a.waiting, a.opening = nil, nil, false
}

// sideSessions are the sessions of a connection that answer side questions. The agent is to forget them.
type sideSessions struct {
	mu   sync.Mutex
	open []*acpclient.Session
}

func (a *sideSessions) add(s *acpclient.Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = append(a.open, s)
}

// has reports whether a session of the agent's list is one of them.
func (a *sideSessions) has(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.open, func(s *acpclient.Session) bool { return s.ID() == id })
}

// sidePatience bounds the time that deleting them may take. afterClose is how long claude takes to write a session
// once more after it has closed it: what is deleted before that is there again.
const (
	sidePatience = time.Second
	afterClose   = 250 * time.Millisecond
)

// drop closes and deletes one of them, or all for nil, where the agent can. It blocks.
func (a *sideSessions) drop(c *acpclient.Client, one *acpclient.Session) {
	var open []*acpclient.Session
	a.mu.Lock()
	a.open = slices.DeleteFunc(a.open, func(s *acpclient.Session) bool {
		if one != nil && s != one {
			return false
		}
		open = append(open, s)
		return true
	})
	a.mu.Unlock()
	if len(open) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sidePatience)
	defer cancel()
	for _, s := range open {
		c.CloseSession(ctx, s)
	}
	if !c.Agent().Delete {
		return
	}
	time.Sleep(afterClose)
	for _, s := range open {
		c.DeleteSession(ctx, s.ID())
	}
}
