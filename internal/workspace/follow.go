package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"parley/acpclient"
)

// Follower is another front end on the goroutine of the first. It uses the workspace as that does, but for
// Tasks, TakeNews and Done. It is an interface because the workspace imports no front end.
type Follower interface {
	// Heard is called with each piece of news after the front end has handled it.
	Heard(News)
	// Rest is called when all of it is handled.
	Rest()
}

// followers hear of the news after the front end.
type followers struct {
	all   []Follower
	taken []News // by the front end, and not yet told to the followers
}

func (f *followers) took(n News) {
	if len(f.all) > 0 {
		f.taken = append(f.taken, n)
	}
}

// catchUp tells the followers what the front end has taken. all reports whether there is no other news.
func (f *followers) catchUp(all bool) {
	taken := f.taken
	f.taken = nil
	for _, to := range f.all {
		for _, n := range taken {
			to.Heard(n)
		}
		if all {
			to.Rest()
		}
	}
}

// Follow has another front end hear of all news from now on.
func (w *Workspace) Follow(f Follower) { w.followers.all = append(w.followers.all, f) }

// Run runs work in a task, until its context ends with the workspace, and then what it returns, if that is not
// nil, on the goroutine of the front end.
func (w *Workspace) Run(work func(context.Context) func()) {
	ctx := w.conns.ctx
	w.begin(func() Result {
		if then := work(ctx); then != nil {
			return after(then)
		}
		return nil
	})
}

// Client is another ACP client that has joined.
type Client struct {
	Name string // safe to show
	Role string // what it may do
}

// SetClients says which clients have joined, and what has just happened, as ClientsChanged.
func (w *Workspace) SetClients(all []Client, line string) {
	w.clients = all
	w.tell(ClientsChanged{line})
}

// Clients returns the clients that have joined. The caller must not change the slice.
func (w *Workspace) Clients() []Client { return w.clients }

// ErrElsewhere is why a session is not opened in a directory.
var ErrElsewhere = errors.New("sessions are opened in the directories of the open ones and below")

// within reports whether a directory is one of others or below one.
func within(dir string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool {
		rel, err := filepath.Rel(other, dir)
		return err == nil && filepath.IsLocal(rel)
	})
}

// Within returns a directory with all links followed, and whether it is one of others or below one. It looks at
// the disk.
func Within(dir string, others []string) (real string, ok bool) {
	real, err := filepath.EvalSymlinks(dir)
	var resolved []string
	for _, other := range others {
		if other, err := filepath.EvalSymlinks(other); err == nil {
			resolved = append(resolved, other)
		}
	}
	return real, err == nil && within(real, resolved)
}

// OpenIn opens another session with the agent, in a directory, and calls done with it or with the reason why
// there is none. It must be in the directory of an open session or below, links followed. The session in front
// stays there. It is reported as SessionOpened or SessionNotOpened as well.
func (a *Agent) OpenIn(dir string, done func(*Session, error)) {
	var open []string
	for _, s := range a.Sessions() {
		open = append(open, s.Cwd())
	}
	switch {
	case !a.Live():
		done(nil, errors.New(goneLine))
		return
	case a.pending != nil:
		done(nil, errors.New(openingLine))
		return
	case !within(dir, open):
		done(nil, ErrElsewhere)
		return
	}
	n, client, here := a.conn.Template, a.conn.Client, !a.Spec.Remote
	n.Cwd = dir
	s := newSession(a.w, a)
	if here && dir != a.w.opts.Cwd {
		s.Dir = dir
	}
	s.from = a.w.front
	a.w.sessions = append(a.w.sessions, s)
	a.pending = s
	s.open(func(ctx context.Context) (*acpclient.Session, error) {
		if _, ok := Within(dir, open); here && !ok {
			return nil, ErrElsewhere
		}
		return client.NewSession(ctx, n)
	}, func(opened *acpclient.Session, err error) {
		s.opened(opened, err, nil)
		done(s, err)
	})
}
