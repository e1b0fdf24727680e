package workspace

import (
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/keeper"
	"parley/internal/safetext"
	"parley/permissions"
)

// maxLine bounds a line about what waits or has happened, in runes.
const maxLine = 200

// openRequests are the requests of a session that wait for the user's answer, the oldest first.
type openRequests []openRequest

// openRequest is a question, or with form a form or page.
type openRequest struct {
	form bool
	key  uint64
	line string // what it is about
}

// saw records what an event opens or ends.
func (o *openRequests) saw(e event.Event) {
	switch e := e.(type) {
	case permissions.Asked:
		*o = append(*o, openRequest{key: e.Question.Key, line: questionLine(e.Question)})
	case event.ElicitationAsked:
		*o = append(*o, openRequest{form: true, key: e.Key, line: safetext.Line(e.Message, maxLine)})
	case permissions.Settled:
		o.end(false, e.Key)
	case event.ElicitationEnded:
		o.end(true, e.Key)
	case event.Disconnected:
		*o = nil
	}
}

func (o *openRequests) end(form bool, key uint64) {
	*o = slices.DeleteFunc(*o, func(r openRequest) bool { return r.form == form && r.key == key })
}

// first returns what the oldest one is about, "" if there is none.
func (o openRequests) first() string {
	if len(o) == 0 {
		return ""
	}
	return o[0].line
}

// questionLine returns what a question is about: what is to be done and, of a command, its text.
func questionLine(q permissions.Question) string {
	line := q.Heading
	if i := slices.IndexFunc(q.Body, func(p permissions.Part) bool { return p.Kind == permissions.Command }); i >= 0 {
		line += ": " + q.Body[i].Text
	}
	return safetext.Line(line, maxLine)
}

// Status returns what the workspace is doing, as the session that decides it: one that waits for the user, else one
// that works, the one in front before others.
func (w *Workspace) Status() keeper.Status {
	s, state := w.front, doing(w.front)
	for _, other := range w.sessions {
		if its := doing(other); slices.Index(urgency, its) > slices.Index(urgency, state) {
			s, state = other, its
		}
	}
	if state != w.status.State {
		w.status.State, w.status.Since = state, w.opts.Now().Round(0)
	}
	w.status.Agent, w.status.Dir, w.status.Title, w.status.Waits = s.Agent.Name(), s.Cwd(), heading(s), ""
	if state == keeper.Waiting {
		w.status.Waits = waitsFor(s)
	}
	r := resumable(s)
	if r.Session == "" || w.opts.ResumeArgs == nil {
		w.status.Resume, w.resumes = nil, ""
	} else if key := r.Agent.Name + "\x00" + r.Session + "\x00" + r.Agent.Dir; key != w.resumes {
		w.status.Resume, w.resumes = w.opts.ResumeArgs(r), key
	}
	return w.status
}

// urgency has the states of a session, the one that decides the state of the workspace last.
var urgency = []keeper.State{keeper.Ended, keeper.Idle, keeper.Starting, keeper.Running, keeper.Waiting}

// doing returns what a session is doing. What it runs between turns and the user's own commands count as running.
func doing(s *Session) keeper.State {
	a, t := s.Agent, s.Thread
	_, retrying := a.Retrying()
	switch {
	case waitsFor(s) != "", t.State == thread.Waiting:
		return keeper.Waiting
	case s.Busy(), s.Running(), t.State == thread.Loading, len(t.Background) > 0, t.Shells > 0, s.SideQuestions.Busy(), s.Prompts.sending != nil,
		!s.Prompts.ResumesAt().IsZero(), a.Login.Running() != "":
		return keeper.Running
	case a.dialing, s.Opening(), retrying:
		return keeper.Starting
	case t.State == thread.Ended, a.opening:
		return keeper.Ended
	}
	return keeper.Idle
}

// heading returns the title of a session, else its first prompt, on one line.
func heading(s *Session) string {
	if title := s.Title(); title != "" {
		return safetext.Line(title, maxLine)
	}
	if i := slices.IndexFunc(s.Thread.Items, (*thread.Item).IsPrompt); i >= 0 {
		_, own := carried.Split(string(s.Thread.Items[i].Text))
		return safetext.Line(own, maxLine)
	}
	return ""
}

// waitsFor returns what a session waits for the user's answer about, "" if about nothing that can be named.
func waitsFor(s *Session) string {
	if line := s.requests.first(); line != "" {
		return line
	}
	if a := s.Agent; a.Login.Running() == "" && (a.opening && WantsLogin(a.err) || len(s.Prompts.refused) > 0) {
		return a.Name() + " requires a login"
	}
	return ""
}

// Why is why a user who looks elsewhere is told of something.
type Why string

// The reasons.
const (
	Waits  Why = "waits"  // something waits for the user's answer
	Done   Why = "done"   // a turn has ended
	Failed Why = "failed" // a turn has failed, or an agent did not start
	Lost   Why = "lost"   // the agent has ended, or the connection to it
)

// Notable returns why news is worth telling a user who looks elsewhere, and what it is about in one line; "" if it
// is not.
func Notable(n News) (why Why, line string) {
	switch n := n.(type) {
	case LoginWanted:
		return Waits, n.Agent.Name() + " requires a login"
	case AgentNotStarted:
		return Failed, safetext.Line(n.Err.Error(), maxLine)
	case EventApplied:
		return notable(n.Session, n.Event)
	}
	return "", ""
}

func notable(s *Session, e event.Event) (why Why, line string) {
	switch e := e.(type) {
	case permissions.Asked:
		return Waits, questionLine(e.Question)
	case event.ElicitationAsked:
		return Waits, safetext.Line(e.Message, maxLine)
	case event.TurnEnded:
		switch {
		case e.StopReason == "cancelled" || s.Running() || WantsLogin(e.Err): // the user did it, or there is more to come
		case e.Err != nil:
			return Failed, safetext.Line(e.Err.Error(), maxLine)
		default:
			return Done, safetext.Line(lastSaid(s.Thread), maxLine)
		}
	case event.Disconnected:
		if e.Err != nil && e.Err != event.ErrClosed { // else parley has ended it
			return Lost, safetext.Line(e.Err.Error(), maxLine)
		}
	}
	return "", ""
}

// lastSaid returns the first line of the agent's last message in the turn that has ended.
func lastSaid(t *thread.Thread) string {
	for _, it := range slices.Backward(t.Items) {
		switch {
		case it.Kind == thread.AgentMessage && !it.Blank():
			line, _, _ := strings.Cut(strings.TrimSpace(string(it.Text[:min(len(it.Text), 4*maxLine)])), "\n")
			return line
		case it.IsPrompt():
			return ""
		}
	}
	return ""
}
