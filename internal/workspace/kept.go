package workspace

import (
	"cmp"
	"slices"

	"parley/acpclient/event"
	"parley/internal/keeper"
	"parley/internal/safetext"
)

// Kept is the other kept sessions of the user.
type Kept struct {
	w   *Workspace
	all []keeper.Session
}

// All returns them as they were listed last: those that wait for an answer first.
func (k *Kept) All() []keeper.Session { return k.all }

// List lists them, which is reported as SessionsListed.
func (k *Kept) List() {
	w, list := k.w, k.w.opts.Kept
	if list == nil {
		return
	}
	w.begin(func() Result {
		all, err := list()
		return after(func() {
			k.all = all
			w.tell(SessionsListed{err})
		})
	})
}

// Resume opens the session of one that has ended, if its agent is running here. Else it returns the command that resumes
// it, "" if it cannot be resumed.
func (k *Kept) Resume(s keeper.Session) (command string, resumed bool) {
	if i := slices.Index(s.Resume, "--resume"); i > 0 && i+1 < len(s.Resume) {
		for _, a := range k.w.Agents() {
			if info := a.Info(); a.Spec.Name == s.Resume[0] && info != nil && reopenMethodOf(*info) != reopenNone {
				a.OpenStored(event.StoredSession{ID: s.Resume[i+1], Cwd: s.Dir, Title: s.Title}, nil)
				return "", true
			}
		}
	}
	if s.Resume == nil {
		return "", false
	}
	return s.ResumeCommand(), false
}

// DescribeKept says what a kept session does, and what it is about: the open question, else its title.
func DescribeKept(k keeper.Session) (state, about string) {
	switch {
	case !k.Live:
		return "ended", k.Title
	case k.State == keeper.Waiting:
		return "waiting for you", cmp.Or(k.Waits, k.Title)
	}
	return safetext.Line(string(k.State), 40), k.Title
}
