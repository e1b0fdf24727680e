package workspace

import "parley/acpclient/event"

// Pretend gives the agent a connection that was not started, and a login that is not
// under way; "" for none. It is for tests of front ends.
func (a *Agent) Pretend(conn *Connection, loggingIn string) {
	a.conn, a.login.name = conn, loggingIn
}

// NewBatch is events as if the agent had sent them. It is for tests of front ends.
func (a *Agent) NewBatch(events ...event.Event) *Batch { return &Batch{a, a.queue, events} }

// Post posts an event as if the agent had sent it. It is for tests of front ends.
func (a *Agent) Post(e event.Event) { a.queue.Post(e) }

// Add adds a session that is not open. It is for tests of front ends.
func (w *Workspace) Add(a *Agent) *Session { return w.add(a) }
