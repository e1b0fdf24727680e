package workspace

import "parley/acpclient/event"

// ConnForTest returns the connection, nil while not connected, for tests.
func (a *Agent) ConnForTest() *Connection { return a.conn }

// SetForTest sets the connection and the name of a login in progress, for tests of front
// ends.
func (a *Agent) SetForTest(conn *Connection, loggingIn string) {
	a.conn, a.Login.name = conn, loggingIn
}

// NewBatch returns a batch of events of the agent, for tests of front ends.
func (a *Agent) NewBatch(events ...event.Event) *Batch { return &Batch{a, a.queue, events} }

// Post posts an event as if the agent had sent it, for tests of front ends.
func (a *Agent) Post(e event.Event) { a.queue.Post(e) }

// Add adds a session that is not open, for tests of front ends.
func (w *Workspace) Add(a *Agent) *Session { return w.add(a) }
