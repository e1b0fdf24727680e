package workspace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"parley/acpclient"
	"parley/acpclient/event"
)

// ListSessions asks the agent for its stored sessions in a task, with those that are archived if the agent
// lists them, and calls done with them. For an agent that can reopen sessions but not list them, those in
// parley's logs are used.
func (a *Agent) ListSessions(archived bool, done func([]event.StoredSession, error)) {
	var kept []event.StoredSession
	info, logs, spec := a.Info(), a.w.opts.Logs, a.Spec
	switch {
	case info != nil && info.List:
		client := a.conn.Client
		a.request(func(ctx context.Context) (err error) {
			if archived && info.Archive {
				kept, err = client.ListAllSessions(ctx, "")
			}
			if !archived || !info.Archive || errors.Is(err, acpclient.ErrNoArchive) {
				var refused error
				kept, refused = client.ListSessions(ctx, "")
				err = cmp.Or(err, refused)
			}
			markRunning(ctx, client, kept)
			return err
		}, func(err error) { done(kept, err) })
	case info != nil && logs != nil && reopenMethodOf(*info) != reopenNone:
		a.request(func(context.Context) error {
			logged, err := logs()
			for _, g := range logged {
				if g.OfAgent(spec) {
					kept = append(kept, event.StoredSession{ID: g.Session, Cwd: g.Dir, Title: g.Title, Updated: g.Updated})
				}
			}
			return err
		}, func(err error) { done(kept, err) })
	default:
		done(nil, nil)
	}
}

// maxAsked bounds how many listed sessions an agent is asked about.
const maxAsked = 20

// markRunning asks the agent in which of the newest sessions a turn runs.
func markRunning(ctx context.Context, client *acpclient.Client, kept []event.StoredSession) {
	if !client.Agent().Status {
		return
	}
	newest := make([]*event.StoredSession, len(kept))
	for i := range kept {
		newest[i] = &kept[i]
	}
	slices.SortStableFunc(newest, func(a, b *event.StoredSession) int { return b.Updated.Compare(a.Updated) })
	var asked sync.WaitGroup
	for _, s := range newest[:min(len(newest), maxAsked)] {
		asked.Go(func() { s.Running = client.TurnRuns(ctx, s.ID) })
	}
	asked.Wait()
}

// ListArchived makes List include the sessions that are archived, or no longer, and lists.
func (w *Workspace) ListArchived(on bool) {
	w.archived = on
	w.List()
}

// Archived reports whether List includes the sessions that are archived.
func (w *Workspace) Archived() bool { return w.archived }

// List asks all agents for their stored sessions and reads the logs and the names. Each result
// is reported as SessionsListed.
func (w *Workspace) List() {
	w.loadNames()
	w.Kept.List()
	for _, a := range w.Agents() {
		if info := a.Info(); info != nil && info.List {
			a.ListSessions(w.archived, func(kept []event.StoredSession, err error) {
				if conn := a.conn; conn != nil {
					kept = slices.DeleteFunc(kept, func(k event.StoredSession) bool { return conn.sideSessions.has(k.ID) })
				}
				a.listed = kept
				w.tell(SessionsListed{err})
			})
		}
	}
	if logs := w.opts.Logs; logs != nil {
		w.begin(func() Result {
			logged, err := logs()
			return after(func() {
				w.logs = logged
				w.startSearch(w.search.query)
				w.tell(SessionsListed{err})
			})
		})
	}
}

// Delete has the agent delete a stored session. It is reported as Said.
func (a *Agent) Delete(id string) {
	done := "deleted"
	if info := a.Info(); info != nil && info.DeleteArchives {
		done = "archived"
	}
	a.change(done, func(ctx context.Context, c *acpclient.Client) error { return c.DeleteSession(ctx, id) })
}

// Archive has the agent archive a stored session, or take it out of the archive. It is reported as Said.
func (a *Agent) Archive(id string, archived bool) {
	done := "archived"
	if !archived {
		done = "no longer archived"
	}
	a.change(done, func(ctx context.Context, c *acpclient.Client) error { return c.Archive(ctx, id, archived) })
}

// change has the agent change a stored session.
func (a *Agent) change(done string, call func(context.Context, *acpclient.Client) error) {
	if a.conn == nil {
		a.w.say(goneLine)
		return
	}
	client := a.conn.Client
	a.request(func(ctx context.Context) error { return call(ctx, client) }, func(err error) { a.w.ended(done, err) })
}

// ended reports the outcome of closing, deleting or archiving a session, and lists them again.
func (w *Workspace) ended(what string, err error) {
	if err != nil {
		what = err.Error()
	}
	w.say(what)
	w.List()
}
