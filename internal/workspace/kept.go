package workspace

import (
	"cmp"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/keeper"
)

// Kept returns the other kept sessions of the user, as they were listed last: those that wait for an answer first.
func (w *Workspace) Kept() []keeper.Session { return w.kept }

// ListKept lists the kept sessions, which is reported as SessionsListed.
func (w *Workspace) ListKept() {
	list := w.opts.Kept
	if list == nil {
		return
	}
	w.begin(func() Result {
		kept, err := list()
		return after(func() {
			w.kept = kept
			w.tell(SessionsListed{err})
		})
	})
}

// Resume opens the session of a kept parley that has ended, if its agent is running here. Else it returns the command
// that resumes it, "" if it cannot be resumed.
func (w *Workspace) Resume(k keeper.Session) (command string, resumed bool) {
	if i := slices.Index(k.Resume, "--resume"); i > 0 && i+1 < len(k.Resume) {
		for _, a := range w.Agents() {
			if info := a.Info(); a.Spec.Name == k.Resume[0] && info != nil && reopenMethodOf(*info) != reopenNone {
				a.OpenStored(event.StoredSession{ID: k.Resume[i+1], Cwd: k.Dir, Title: k.Title}, nil)
				return "", true
			}
		}
	}
	if k.Resume == nil {
		return "", false
	}
	return "parley " + strings.Join(k.Resume, " "), false
}

// DescribeKept says what a kept session does, and what it is about: the open question, else its title.
func DescribeKept(k keeper.Session) (state, about string) {
	switch {
	case !k.Live:
		return "ended", k.Title
	case k.State == keeper.Waiting:
		return "waiting for you", cmp.Or(k.Waits, k.Title)
	}
	return string(k.State), k.Title
}
