//go:build unix

package balancer

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// untilLost applies events until the connection is lost, and checks that the error permits a retry.
func (c *client) untilLost() {
	c.t.Helper()
	deadline := time.After(patience)
	for c.Apply(); c.Lost == nil; c.Apply() {
		select {
		case <-c.Queue.Ready():
		case <-deadline:
			c.t.Fatalf("the client does not notice that the server is gone; the log: %q", c.Notes())
		}
	}
	var lost *event.LostError
	if !errors.As(c.Lost, &lost) || !lost.Retryable() {
		c.t.Fatalf("the connection ends with %v", c.Lost)
	}
}

// A server that exits during a turn ends its own connections and no others. Its clients reach the
// other server on the first attempt and find the session there; the prompt is not sent again. When
// the server returns it gets new clients, and those that have moved stay where they are.
func TestServerGoes(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "told to": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			eachProfile(t, func(t *testing.T, f *front, scheme string) { serverGoes(t, f, scheme, sig) })
		})
	}
}

func serverGoes(t *testing.T, f *front, scheme string, sig syscall.Signal) {
	s := newStage(t, f)
	c := s.open(scheme)
	first, _ := c.where()
	other := s.openAt(scheme, func(server string) bool { return server != first })
	second, _ := other.where()
	for _, c := range []*client{c, other} {
		c.Start("step once")
		c.Until("the first piece", func() bool { return c.Said() == "one " })
	}

	s.servers[first].end(sig)
	c.untilLost()
	if end := c.Ended(); end == nil || end.Err == nil {
		t.Errorf("the turn ended with %+v", end)
	}
	s.proceed(other.Session.ID())
	if end := other.Finish(); end.Err != nil || other.Said() != "one two" {
		t.Errorf("the turn at the other server: %v after %q", end.Err, other.Said())
	}

	c.reconnect()
	c.Until("the history", func() bool { // over HTTP it may arrive after the answer, on another stream
		return slices.Equal(c.history(), []string{"where", "step once", "one "})
	})
	server, pid := c.where()
	if server != second || c.cookie() != second {
		t.Errorf("it is at %s, and the cookie says %q", server, c.cookie())
	}

	s.servers[first].start()
	s.openAt(scheme, func(server string) bool { return server == first })
	for range 3 {
		if s, p := c.where(); s != server || p != pid {
			t.Errorf("it was at %s %d and is at %s %d", server, pid, s, p)
		}
	}
	if got := s.prompts(c.Session.ID()); !slices.Equal(got, []string{"where", "step once", "where", "where", "where", "where"}) {
		t.Errorf("the agents got %q", got)
	}
	if notes := append(c.Notes(), other.Notes()...); len(notes) > 0 {
		t.Errorf("the log: %q", notes)
	}
}

// openAt opens sessions of new clients until one is on the wanted server. A front may take a while
// to notice that a server is back.
func (s *stage) openAt(scheme string, wanted func(server string) bool) *client {
	s.t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for deadline := time.After(patience); ; {
		c := s.open(scheme)
		if server, _ := c.where(); wanted(server) {
			return c
		}
		c.Conn.Close()
		select {
		case <-again.C:
		case <-deadline:
			s.t.Fatal("no new client gets there")
		}
	}
}

// history returns the texts of both sides so far, without the agent's locations.
func (c *client) history() (out []string) {
	for _, it := range c.Thread.Items {
		if it.Kind == thread.UserMessage || it.Kind == thread.AgentMessage && it.Text[0] == 'o' {
			out = append(out, string(it.Text))
		}
	}
	return out
}
