package linear

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/workspace"
)

// sessions lists the open sessions and those that the agent stores, and switches to one.
type sessions struct {
	w        *workspace.Workspace
	out      *printer
	dialogs  *dialogs
	tasks    *tasks
	narrator func(*workspace.Session) *narrator
	place    func(dir string) string
	logs     func() ([]workspace.Logged, error) // may be nil
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
	if !s.Agent.Connected() || s.IsOpen() && s.Thread.State == thread.Ended {
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
	n, all := 0, arg == "all"
	if arg != "" && !all {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			l.out.say("Usage: /sessions, /sessions all, or /sessions and a number.")
			return
		}
	}
	a := l.w.Front().Agent
	if info := a.Info(); info != nil && !info.List && n == 0 {
		says := " does not list sessions."
		if (info.LoadSession || info.Resume) && l.logs != nil {
			says = " does not list sessions; these are from parley's logs:"
		}
		l.out.line(called(a) + says)
	}
	a.ListSessions(func(kept []event.StoredSession, err error) {
		l.tasks.run(func(context.Context) func() {
			aside := l.runElsewhere(a.Spec)
			return func() {
				if err != nil {
					l.out.say("The list is incomplete: %s.", err)
				}
				switch entries, left := l.entries(kept, aside); {
				case n > len(entries):
					l.out.say("No session %d.", n)
				case n > 0:
					l.goTo(entries[n-1])
				case all:
					l.write(entries, 0)
				default:
					l.write(entries[:len(entries)-left], left)
				}
			}
		})
	})
}

// runElsewhere returns the ids of the agent's sessions that parley run made in other directories.
func (l *sessions) runElsewhere(agent workspace.Spec) map[string]bool {
	ids := map[string]bool{}
	if l.logs == nil {
		return ids
	}
	logged, _ := l.logs()
	for _, g := range logged {
		if g.Run && !g.Here && g.OfAgent(agent) {
			ids[g.Session] = true
		}
	}
	return ids
}

// entries returns the open sessions, then those that the agent stores and that are not open. Those in
// aside come last; it returns how many these are.
func (l *sessions) entries(kept []event.StoredSession, aside map[string]bool) (out []entry, left int) {
	for _, s := range l.w.Sessions() {
		if s.IsOpen() {
			out = append(out, entry{open: s})
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(k event.StoredSession) bool { return k.ID == s.Thread.Session })
	}
	var last []entry
	for _, k := range kept {
		if aside[k.ID] {
			last = append(last, entry{kept: k})
			continue
		}
		out = append(out, entry{kept: k})
	}
	return append(out, last...), len(last)
}

// write lists sessions, and says how many of parley run are left out.
func (l *sessions) write(entries []entry, left int) {
	if len(entries) == 0 {
		l.out.say("No sessions.")
	} else {
		l.out.say("Sessions:")
		for i, e := range entries[:min(len(entries), maxListed)] {
			l.out.say("%d. %s", i+1, l.words(e))
		}
		if more := len(entries) - maxListed; more > 0 {
			l.out.say("And %d more.", more)
		}
	}
	if left > 0 {
		l.out.say("%d more of parley run in other directories: /sessions all lists them.", left)
	}
	if len(entries) > 0 {
		l.out.say("To open one, type /sessions and its number.")
	}
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
	words := cmp.Or(l.w.TitleOf(l.w.Front().Agent.Spec.Name, e.kept.ID, e.kept.Title), "untitled") + ", in " + l.place(e.kept.Cwd)
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
