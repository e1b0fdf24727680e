package linear

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/keeper"
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
	kept     keptSessions
}

// keptSessions lists the kept sessions, and attaches the terminal to one.
type keptSessions struct {
	list   func() ([]keeper.Session, error) // may be nil
	attach func(name string)
}

// write lists them.
func (k keptSessions) write(l *sessions) {
	if k.list == nil {
		return
	}
	all, err := k.list()
	if err != nil {
		l.out.say("Kept sessions cannot be listed: %s.", err)
	}
	if len(all) == 0 {
		return
	}
	l.out.say("Kept sessions:")
	for _, s := range all {
		state, about := workspace.DescribeKept(s)
		words := s.Name + ", " + strings.TrimPrefix(s.Agent+", in ", ", ") + l.place(s.Dir) + ", " + state
		l.out.line(strings.TrimSuffix(words+": "+about, ": ") + ".")
	}
	l.out.say("To attach one, type /sessions attach and its name.")
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

// list lists the sessions. With a number it opens that one; with archive or unarchive and a number, it
// archives that one, or takes it out of the archive.
func (l *sessions) list(arg string) {
	if name, ok := strings.CutPrefix(arg, "attach "); ok {
		l.kept.attach(strings.TrimSpace(name))
		return
	}
	what, number := arg, ""
	if verb, rest, ok := strings.Cut(arg, " "); ok && (verb == "archive" || verb == "unarchive") {
		what, number = verb, strings.TrimSpace(rest)
	} else if arg != "" && arg != "all" && arg != "archived" {
		what, number = "open", arg
	}
	n, err := strconv.Atoi(number)
	if number != "" && (err != nil || n < 1) || number == "" && (what == "archive" || what == "unarchive") {
		l.out.say("Usage: /sessions, /sessions all or archived, /sessions and a number, /sessions attach and a name, or /sessions archive or unarchive and a number.")
		return
	}
	if n == 0 {
		l.kept.write(l)
	}
	archived := what == "archived" || what == "unarchive"
	a := l.w.Front().Agent
	if info := a.Info(); info != nil && !info.Archive && (archived || what == "archive") {
		l.out.line(called(a) + " does not archive sessions.")
		return
	}
	if info := a.Info(); info != nil && !info.List && n == 0 {
		says := " does not list sessions."
		if (info.LoadSession || info.Resume) && l.logs != nil {
			says = " does not list sessions; these are from parley's logs:"
		}
		l.out.line(called(a) + says)
	}
	a.ListSessions(archived, func(kept []event.StoredSession, err error) {
		l.tasks.run(func(context.Context) func() {
			aside := l.runElsewhere(a.Spec)
			return func() {
				if err != nil {
					l.out.say("The list is incomplete: %s.", err)
				}
				switch entries, left := l.entries(kept, aside); {
				case n > len(entries):
					l.out.say("No session %d.", n)
				case what == "open":
					l.goTo(entries[n-1])
				case n > 0:
					l.archive(a, entries[n-1], what == "archive")
				case archived, what == "all":
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
// aside come last but for those that are archived; it returns how many all these are.
func (l *sessions) entries(kept []event.StoredSession, aside map[string]bool) (out []entry, left int) {
	for _, s := range l.w.Sessions() {
		if s.IsOpen() {
			out = append(out, entry{open: s})
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(k event.StoredSession) bool { return k.ID == s.Thread.Session })
	}
	var last, archived []entry
	for _, k := range kept {
		switch e := (entry{kept: k}); {
		case k.Archived:
			archived = append(archived, e)
		case aside[k.ID]:
			last = append(last, e)
		default:
			out = append(out, e)
		}
	}
	last = append(last, archived...)
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
	if e.kept.Archived {
		words += ", archived"
	}
	if e.kept.Running {
		words += ", running"
	}
	if !e.kept.Updated.IsZero() {
		words += ", " + e.kept.Updated.Local().Format("2006-01-02 15:04")
	}
	return words
}

// archive has the agent archive a stored session, or take it out of the archive.
func (l *sessions) archive(a *workspace.Agent, e entry, archived bool) {
	switch {
	case e.open != nil:
		l.out.say("Only closed sessions saved by the agent can be archived.")
	case archived && e.kept.Archived:
		l.out.say("It is archived already.")
	case !archived && !e.kept.Archived:
		l.out.say("It is not archived.")
	default:
		a.Archive(e.kept.ID, archived)
	}
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
