// Package testclient is parley without a screen, for tests against real agents and servers: a
// connection, a session, and the conversation that its events make.
package testclient

import (
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/host"
	"parley/permissions"
)

// Patience bounds every wait; only a failing test uses it up.
const Patience = 60 * time.Second

// Client is one life of a connection. The test makes Conn, with Options, and Session.
type Client struct {
	T       testing.TB
	Host    *host.Host
	Queue   *event.Queue
	Log     *event.Log
	Conn    *acpclient.Client
	Session *acpclient.Session
	Thread  *thread.Thread

	// Choose returns the kind of option that answers a question, "" to leave it open. If it is
	// nil, every question is a failure.
	Choose func(permissions.Question) string
	Seen   func(event.Event) // called after every event of the session; may be nil

	Questions []permissions.Question
	Lost      error // why the connection ended, nil while it is open
}

// New returns a client with a host that ends with the test.
func New(t testing.TB, o host.Options) *Client {
	c := &Client{T: t, Queue: event.NewQueue(), Log: event.NewLog(), Thread: thread.New("")}
	o.Sink = c.Queue
	c.Host = host.New(o)
	t.Cleanup(c.Host.Close)
	return c
}

// Options are those of the connection.
func (c *Client) Options() acpclient.Options {
	return acpclient.Options{Name: "parley", Version: "1.2.3", Sink: c.Queue, Services: c.Host.Services(), Log: c.Log}
}

// Apply handles the queued events.
func (c *Client) Apply() {
	c.T.Helper()
	for _, e := range c.Queue.Drain() {
		ours := c.Session == nil || e.EventSession() == c.Session.ID()
		switch e := e.(type) {
		case permissions.Asked:
			c.answer(e.Question)
			continue
		case event.Disconnected:
			c.Lost, ours = e.Err, true
		}
		if ours {
			c.Thread.Apply(e)
		}
		if ours && c.Seen != nil {
			c.Seen(e)
		}
	}
}

func (c *Client) answer(q permissions.Question) {
	c.T.Helper()
	c.Questions = append(c.Questions, q)
	if c.Choose == nil {
		c.T.Errorf("asked %q", q.Heading)
		c.Host.Broker().Cancel(q.Key)
		return
	}
	kind := c.Choose(q)
	if kind == "" {
		return
	}
	for _, o := range q.Options {
		if o.Kind == kind {
			if err := c.Host.Broker().Answer(q.Key, o.ID); err != nil {
				c.T.Errorf("answer %q: %v", q.Heading, err)
			}
			return
		}
	}
	c.T.Errorf("%q has no option of kind %q: %+v", q.Heading, kind, q.Options)
}

// Until applies events until the condition holds.
func (c *Client) Until(what string, holds func() bool) {
	c.T.Helper()
	for deadline := time.After(Patience); ; {
		c.Apply()
		if holds() {
			return
		}
		if c.Lost != nil {
			c.T.Fatalf("%s: the connection is lost: %v", what, c.Lost)
		}
		select {
		case <-c.Queue.Ready():
		case <-deadline:
			c.T.Fatalf("%s: not in %s; the agent said %q; the log: %q", what, Patience, c.Said(), c.Notes())
		}
	}
}

// Start sends a prompt and waits for the beginning of its turn.
func (c *Client) Start(text string, more ...event.Block) {
	c.T.Helper()
	c.Apply()
	if err := c.Session.Prompt(append([]event.Block{{Text: text}}, more...)...); err != nil {
		c.T.Fatal(err)
	}
	turn := c.Thread.Turn + 1
	c.Until("the beginning of "+text, func() bool { return c.Thread.Turn == turn })
}

// Ended returns how the turn ended, nil while it runs.
func (c *Client) Ended() *thread.End {
	if ends := c.Items(thread.TurnEnd); len(ends) > 0 {
		return ends[0].End
	}
	return nil
}

// Finish follows the turn to its end.
func (c *Client) Finish() *thread.End {
	c.T.Helper()
	c.Until("the end of the turn", func() bool { return c.Ended() != nil })
	return c.Ended()
}

// Says sends a prompt, checks for a plain end, and returns the answer.
func (c *Client) Says(text string, more ...event.Block) string {
	c.T.Helper()
	c.Start(text, more...)
	if end := c.Finish(); end.Err != nil || end.StopReason != "end_turn" {
		c.T.Fatalf("%.40s: it ends with %q, %v", text, end.StopReason, end.Err)
	}
	return c.Said()
}

// Said returns the agent's text in the last turn.
func (c *Client) Said() string { return c.Text(thread.AgentMessage) }

// Text returns the text of the items of one kind in the last turn.
func (c *Client) Text(kind thread.Kind) string {
	var out strings.Builder
	for _, it := range c.Items(kind) {
		out.Write(it.Text)
	}
	return out.String()
}

// Items returns the items of one kind in the last turn.
func (c *Client) Items(kind thread.Kind) (out []*thread.Item) {
	for _, it := range c.Thread.Items {
		if it.Kind == kind && it.Turn == c.Thread.Turn {
			out = append(out, it)
		}
	}
	return out
}

// Notes returns what parley logged.
func (c *Client) Notes() (out []string) {
	lines, _ := c.Log.Lines()
	for _, l := range lines {
		out = append(out, string(l.Source)+": "+l.Text)
	}
	return out
}
