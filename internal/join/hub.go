// Package join lets other ACP clients join the sessions of a live parley: it is a front end over
// internal/workspace, next to the screen or the chat in lines and on their goroutine, and an ACP agent to each
// client, in version 1 or 2, whatever the session's own agent speaks.
//
// A client connects to a socket of this user, says in one line who it is and what it may do (package hello), and
// then speaks newline-delimited JSON-RPC. Its requests are handled on the goroutine of the front end, in their
// order, and what it is told is made from the threads of the sessions: the replay when it joins and the updates
// that follow come from one function with a cursor. Nothing is told twice, and nothing is left out.
//
// fs/* and terminal/* are never requested of a client, and it does not get the agent's elicitations. Questions
// go to clients with the role approve: see questions.go.
package join

import (
	"bufio"
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/internal/hello"
	"parley/internal/workspace"
	"parley/permissions"
)

// Options configures a Hub.
type Options struct {
	Version string // of parley
	// ApproveFromClients says that clients with the role approve may allow. Otherwise they may only reject.
	ApproveFromClients bool
	Now                func() time.Time // nil: time.Now
}

// maxClients bounds how many clients have joined at once.
const maxClients = 64

// Hub is the front end of all clients.
type Hub struct {
	w     *workspace.Workspace
	opts  Options
	inbox *inbox

	clients   []*client
	feeds     []*feed
	questions []*question
	prompts   uint64    // how many clients have sent
	images    []rune    // that clients have sent, as in workspace.Images
	due       time.Time // when a round follows; zero: no time is set
	flushed   time.Time
}

// Serve lets clients that connect to a listener join the sessions of a workspace. It is called before anything
// happens in the workspace, and ends with it: it closes the listener and all connections.
func Serve(w *workspace.Workspace, l net.Listener, opts Options) *Hub {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	h := &Hub{w: w, opts: opts, inbox: &inbox{ready: make(chan struct{}, 1)}}
	w.Follow(h)
	h.listen()
	context.AfterFunc(w.Context(), func() { l.Close() })
	go h.accept(w.Context(), l)
	return h
}

// accept handles connections until the listener is closed.
func (h *Hub) accept(ctx context.Context, l net.Listener) {
	for ctx.Err() == nil {
		conn, err := l.Accept()
		switch {
		case err == nil:
			go h.greet(ctx, conn)
		case errors.Is(err, net.ErrClosed):
			return
		default: // no file descriptors are left, say
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

// helloPatience is how long a client may take for its first line.
const helloPatience = 10 * time.Second

// greet reads the first line of a connection.
func (h *Hub) greet(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	conn.SetReadDeadline(time.Now().Add(helloPatience))
	r := bufio.NewReader(conn)
	said, err := hello.Receive(r)
	if err != nil {
		refuse(conn, err.Error())
		stop()
		return
	}
	conn.SetReadDeadline(time.Time{})
	c := newClient(h, said, patient{conn, r})
	h.inbox.add(func() { h.joined(c, conn) })
	select {
	case <-c.peer.Done():
	case <-ctx.Done(): // it may not have been started
	}
	stop()
	c.peer.Close(nil)
	h.inbox.add(func() { h.left(c) })
}

// refuse tells a connection why it is closed.
func refuse(conn net.Conn, why string) {
	conn.SetWriteDeadline(time.Now().Add(time.Second))
	if line, err := jsonrpc.Failure(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s", why)); err == nil {
		conn.Write(append(line, '\n'))
	}
	conn.Close()
}

// joined adds a client.
func (h *Hub) joined(c *client, conn net.Conn) {
	if len(h.clients) >= maxClients {
		go func() {
			refuse(conn, "too many clients have joined")
			c.peer.Close(nil)
		}()
		return
	}
	h.clients = append(h.clients, c)
	c.peer.Start()
	h.report(c, "has joined: it may "+string(c.role))
}

// left forgets a client.
func (h *Hub) left(c *client) {
	i := slices.Index(h.clients, c)
	if i < 0 {
		return
	}
	h.clients = slices.Delete(h.clients, i, i+1)
	for _, f := range h.feeds {
		f.leave(c)
		f.forget(c)
	}
	for _, q := range h.questions {
		delete(q.asked, c)
	}
	h.report(c, "has left")
}

// report says who has joined.
func (h *Hub) report(c *client, what string) {
	var all []workspace.Client
	for _, c := range h.clients {
		all = append(all, workspace.Client{Name: c.name, Role: string(c.role)})
	}
	h.w.SetClients(all, c.label()+" "+what)
}

// inbox holds what clients want until the front end's goroutine has time for it.
type inbox struct {
	mu    sync.Mutex
	todo  []func()
	ready chan struct{}
}

func (b *inbox) add(f func()) {
	b.mu.Lock()
	b.todo = append(b.todo, f)
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

func (b *inbox) take() []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	todo := b.todo
	b.todo = nil
	return todo
}

// pace is the time between two rounds.
const pace = 4 * time.Millisecond

// listen waits for what clients want, and handles it in a round.
func (h *Hub) listen() {
	began := time.Now()
	h.w.Run(func(ctx context.Context) func() {
		select {
		case <-h.inbox.ready:
		case <-ctx.Done():
			return nil
		}
		time.Sleep(pace - time.Since(began)) // of a flood of requests, some at a time
		return func() {
			for _, f := range h.inbox.take() {
				f()
			}
			h.round()
			h.listen()
		}
	})
}

// soon has a round follow after a while, unless one follows earlier.
func (h *Hub) soon(d time.Duration) {
	at := time.Now().Add(d)
	if !h.due.IsZero() && !at.Before(h.due) {
		return
	}
	h.due = at
	h.w.Run(func(ctx context.Context) func() {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil
		}
		return func() {
			if h.due.Equal(at) {
				h.due = time.Time{}
			}
			h.round()
		}
	})
}

// round sends what there is, continues replays, and handles requests.
func (h *Hub) round() {
	h.flush()
	again := false
	for _, f := range h.feeds {
		for _, r := range slices.Clone(f.joining) {
			again = !f.catchUp(r) || again
		}
	}
	for _, c := range slices.Clone(h.clients) {
		again = c.serve() || again
	}
	if again {
		h.soon(pace)
	}
}

// flush sends clients what has changed.
func (h *Hub) flush() {
	now := h.opts.Now()
	h.flushed = now
	for _, f := range h.feeds {
		if !f.followed() {
			if f.items != nil {
				f.rest()
			}
			continue
		}
		if !f.flush(now, false) {
			h.soon(screenPace)
		}
		f.dropped()
	}
}

// Heard implements workspace.Follower.
func (h *Hub) Heard(n workspace.News) {
	now := h.opts.Now()
	s := n.About()
	switch n := n.(type) {
	case workspace.SessionRemoved:
		h.removed(n.Session)
		return
	case workspace.AgentStarting:
		h.withdraw(func(q *question) bool { return q.session.Agent == n.Agent })
	case workspace.ClientsChanged:
		return
	}
	if s == nil {
		return
	}
	f := h.feedOf(s)
	if f == nil {
		return
	}
	f.heard(n, now)
	f.promptNews(n)
	applied, ok := n.(workspace.EventApplied)
	if !ok {
		return
	}
	switch e := applied.Event.(type) {
	case permissions.Asked:
		f.flush(now, true)
		h.ask(f, e)
	case permissions.Settled:
		h.withdraw(func(q *question) bool { return q.session == s && q.key == e.Key })
	case event.Disconnected:
		h.withdraw(func(q *question) bool { return q.session == s })
		f.lost(e.Err)
	case event.TurnEnded: // all updates of a turn come before the answer
		f.flush(now, true)
		f.turnEnded(e)
	}
}

// frame is the time between two flushes: in a flood, clients get what happens in between at once.
const frame = 16 * time.Millisecond

// Rest implements workspace.Follower.
func (h *Hub) Rest() {
	if len(h.clients) == 0 || !slices.ContainsFunc(h.feeds, (*feed).dirty) {
		return
	}
	if rest := frame - h.opts.Now().Sub(h.flushed); rest > 0 {
		h.soon(rest)
		return
	}
	h.flush()
}

// feedOf returns the feed of a session, nil as long as it is not open.
func (h *Hub) feedOf(s *workspace.Session) *feed {
	for _, f := range h.feeds {
		if f.session == s {
			return f
		}
	}
	if s.ReadOnly || !s.IsOpen() {
		return nil
	}
	f := newFeed(s, h.idFor(s), h.opts.Now())
	h.feeds = append(h.feeds, f)
	return f
}

// feed returns the feed with an id, nil if there is none.
func (h *Hub) feed(id string) *feed {
	for _, f := range h.feeds {
		if f.id == id {
			return f
		}
	}
	return nil
}

// removed ends the feed of a session that was removed.
func (h *Hub) removed(s *workspace.Session) {
	h.withdraw(func(q *question) bool { return q.session == s })
	h.feeds = slices.DeleteFunc(h.feeds, func(f *feed) bool {
		if f.session == s {
			f.close()
		}
		return f.session == s
	})
}
