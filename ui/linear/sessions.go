package linear

import (
	"cmp"
	"slices"
	"strconv"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/transcript"
)

// sessions lists the open sessions and those that the agent stores, and switches to one.
type sessions struct {
	w        *workspace.Workspace
	out      *printer
	dialogs  *dialogs
	tasks    *tasks
	narrator func(*workspace.Session) *narrator
	home     string
	logged   bool // logs are available
}

// maxListed bounds how many sessions are listed.
const maxListed = 50

// entry is a session in the list.
type entry struct {
	open *workspace.Session
	kept event.StoredSession
}

// add opens another session with the agent in front. The current one stays open.
func (l *sessions) add() {
	s := l.w.Front()
	if s.Agent.Conn() == nil || s.ACP != nil && s.Thread.State == thread.Ended {
		l.out.say("The agent has ended. Press enter to restart it.")
		return
	}
	l.out.say("Opening a new session.")
	s.Agent.NewSession()
}

// rename renames the session in front; without a name it has the agent's title again.
func (l *sessions) rename(name string) {
	s := l.w.Front()
	if err := s.Rename(name); err != nil {
		l.out.say("%s.", sentence(err.Error()))
		return
	}
	l.out.say("This session is called: %s.", title(s))
}

// list lists the sessions; with a number it opens that one.
func (l *sessions) list(arg string) {
	n := 0
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			l.out.say("Usage: /sessions, or /sessions and a number.")
			return
		}
	}
	a := l.w.Front().Agent
	if info := a.Info(); info != nil && !info.List && n == 0 {
		says := " does not list sessions."
		if (info.LoadSession || info.Resume) && l.logged {
			says = " does not list sessions; these are from parley's logs:"
		}
		l.out.line(called(a) + says)
	}
	a.ListSessions(func(kept []event.StoredSession, err error) {
		if err != nil {
			l.out.say("The list is incomplete: %s.", err)
		}
		switch entries := l.entries(kept); {
		case n > len(entries):
			l.out.say("No session %d.", n)
		case n > 0:
			l.goTo(entries[n-1])
		case len(entries) == 0:
			l.out.say("No sessions.")
		default:
			l.write(entries)
		}
	})
}

// entries returns the open sessions, then those that the agent stores and that are not open.
func (l *sessions) entries(kept []event.StoredSession) (out []entry) {
	for _, s := range l.w.Sessions() {
		if s.ACP != nil {
			out = append(out, entry{open: s})
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(k event.StoredSession) bool { return k.ID == s.Thread.Session })
	}
	for _, k := range kept {
		out = append(out, entry{kept: k})
	}
	return out
}

func (l *sessions) write(entries []entry) {
	l.out.say("Sessions:")
	for i, e := range entries[:min(len(entries), maxListed)] {
		l.out.say("%d. %s", i+1, l.words(e))
	}
	if more := len(entries) - maxListed; more > 0 {
		l.out.say("And %d more.", more)
	}
	l.out.say("To open one, type /sessions and its number.")
}

func (l *sessions) words(e entry) string {
	if e.open != nil {
		words := title(e.open) + ", open, " + e.open.Thread.State.String()
		switch n := l.narrator(e.open); {
		case n.front:
			words += ", this one"
		case n.done:
			words += ", with news"
		}
		return words
	}
	words := cmp.Or(l.w.TitleOf(l.w.Front().Agent.Spec.Name, e.kept.ID, e.kept.Title), "untitled") + ", in " + safetext.Line(transcript.ShortenHome(e.kept.Cwd, l.home), 200)
	if !e.kept.Updated.IsZero() {
		words += ", " + e.kept.Updated.Local().Format("2006-01-02 15:04")
	}
	return words
}

// goTo brings a session to the front, or has the agent open a stored one.
func (l *sessions) goTo(e entry) {
	switch {
	case e.open == nil:
		l.out.say("Opening %s.", l.words(e))
		l.w.Front().Agent.OpenStored(e.kept, nil)
	case e.open == l.w.Front():
		l.out.say("This session is already open.")
	default:
		l.w.Show(e.open)
		l.tasks.process()
		l.narrator(e.open).introduce()
	}
}
