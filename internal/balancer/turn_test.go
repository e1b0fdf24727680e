//go:build unix

package balancer

import (
	"slices"
	"strings"
	"testing"

	"parley/permissions"
)

// The agent's text arrives during the turn: the second piece is not sent until the first was seen.
func TestTurn(t *testing.T) {
	eachProfile(t, func(t *testing.T, f *front, scheme string) {
		s := newStage(t, f)
		c := s.open(scheme)
		id := c.Session.ID()

		c.Start("step first")
		c.Until("the first piece", func() bool { return c.Said() == "one " })
		s.proceed(id)
		if end := c.Finish(); end.Err != nil || end.StopReason != "end_turn" || c.Said() != "one two" {
			t.Errorf("it ends with %q, %v after %q", end.StopReason, end.Err, c.Said())
		}

		for kind, want := range map[string]string{permissions.AllowOnce: "chosen: yes", permissions.RejectOnce: "chosen: no"} {
			c.choice = kind
			if got := c.Says("ask " + kind); got != want {
				t.Errorf("%s: the agent says %q", kind, got)
			}
		}
		if len(c.Questions) != 2 {
			t.Errorf("%d questions", len(c.Questions))
		}

		c.Start("step second")
		c.Until("the first piece", func() bool { return c.Said() == "one " })
		c.Session.Cancel()
		if end := c.Finish(); end.Err != nil || end.StopReason != "cancelled" || c.Said() != "one " {
			t.Errorf("it ends with %q, %v after %q", end.StopReason, end.Err, c.Said())
		}
		s.await(id, "cancelled")

		if got := s.prompts(id); len(got) != 4 || got[0] != "step first" || got[3] != "step second" {
			t.Errorf("the agents got %q", got)
		}
		c.checkLine()
	})
}

// A prompt may be as large as --max-message allows.
func TestLargePrompt(t *testing.T) {
	eachProfile(t, func(t *testing.T, f *front, scheme string) {
		c := newStage(t, f).open(scheme)
		large := "size " + strings.Repeat("x", 10<<20-5)
		if got := c.Says(large); got != "10485760" {
			t.Errorf("the agent got %s bytes", got)
		}
		c.checkLine()
	})
}

// Both servers get clients, and all requests of a connection reach the server that accepted it.
func TestSpread(t *testing.T) {
	each(t, func(t *testing.T, f *front) {
		s := newStage(t, f)
		type at struct {
			*client
			server string
			pid    int
		}
		var all []at
		count := map[string]int{}
		for i := range 20 {
			c := s.open(profiles[i%2])
			server, pid := c.where()
			all = append(all, at{c, server, pid})
			count[server+" "+c.scheme]++
			if got := c.cookie(); got != server {
				t.Errorf("the cookie says %q at %s", got, server)
			}
		}
		for range 2 {
			for _, c := range slices.Backward(all) {
				if server, pid := c.where(); server != c.server || pid != c.pid {
					t.Errorf("a connection to %s %d has become one to %s %d", c.server, c.pid, server, pid)
				}
			}
		}
		for _, c := range all {
			c.checkLine()
		}
		if a, b := count["a https"]+count["a wss"], count["b https"]+count["b wss"]; a < 5 || b < 5 {
			t.Errorf("not spread: %v", count)
		}
	})
}

// A front accepts a limited number of requests on one HTTP/2 connection and then requires a new one
// (nginx: 1000). Nothing is lost or sent twice when that happens.
func TestManyRequests(t *testing.T) {
	each(t, func(t *testing.T, f *front) {
		s := newStage(t, f)
		c := s.open("https")
		server, pid := c.where()
		const many = 1100
		for range many - 1 {
			if s, p := c.where(); s != server || p != pid {
				t.Fatalf("it was at %s %d and is at %s %d", server, pid, s, p)
			}
		}
		if got := s.prompts(c.Session.ID()); len(got) != many {
			t.Errorf("the agent got %d prompts, want %d", len(got), many)
		}
		c.checkLine()
		if n := c.lines(); f == nginx && n < 2 {
			t.Errorf("%d lines: nginx wanted no other one", n)
		}
	})
}
