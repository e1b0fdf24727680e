//go:build unix

package gateway

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"
)

func dead(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		for deadline := time.Now().Add(10 * time.Second); alive.PID(pid) && time.Now().Before(deadline); { // what was killed ends when it is next scheduled
			time.Sleep(time.Millisecond)
		}
		if pid == 0 || alive.PID(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// spawned makes an agent start a child that ignores signals.
func spawned(t *testing.T, ask func(string) string) int {
	t.Helper()
	got := ask(request("77", "_spawn", `{}`))
	pid, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(got, `{"jsonrpc":"2.0","id":77,"result":`), "}"))
	if err != nil || !alive.PID(pid) {
		t.Fatalf("no child: %s", got)
	}
	return pid
}

func (c *remote) ask(main *sse) func(string) string {
	return func(q string) string { c.send("", q); return main.next() }
}

func (s *socketClient) ask(q string) string { s.send(q); return s.next() }

// DELETE ends the agent and everything it started.
func TestDeleteKills(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"plain", "stubborn"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "h1", mode(agent))
			c, other := r.connect(), r.connect()
			child := spawned(t, c.ask(c.open("")))
			if !alive.PID(c.pid) {
				t.Fatal("the test proves nothing")
			}
			r.do("DELETE", "", "Acp-Connection-Id: "+c.id)
			r.log.wait(t, "conn=1 reason=\"the client ended it\"", 1)
			dead(t, c.pid, child)
			if !alive.PID(other.pid) {
				t.Error("another connection's agent has ended")
			}
		})
	}
}

// So does the end of a socket, orderly or not.
func TestEndOfASocketKills(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*socketClient){
		"goodbye": func(s *socketClient) { s.ws.Close(1000, "") },
		"gone":    func(s *socketClient) { s.ws.CloseNow() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "h1", mode("stubborn"))
			s := r.socket()
			child := spawned(t, s.ask)
			end(s)
			r.log.wait(t, "connection ended", 1)
			dead(t, s.pid, child)
		})
	}
}

// After an agent ends, its messages are delivered, the streams end, the connection is gone,
// and so are the agent's children.
func TestAgentEnds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main, s := c.open(""), c.open("s")
		child := spawned(t, c.ask(main))
		var last []string
		for i := range 300 {
			last = append(last, update("s", fmt.Sprint(i)))
		}
		c.send("", `{"jsonrpc":"2.0","method":"_exit","params":{"code":3,"lines":`+list(append(last, note))+`}}`)
		s.want(last...)
		main.want(note)
		s.ends()
		main.ends()
		if got := c.post("", note); got.status != 404 {
			t.Errorf("got %+v", got)
		}
		if _, status := c.tryOpen(""); status != 404 {
			t.Errorf("a stream: %d", status)
		}
		r.log.wait(t, `reason="the agent ended: exit code 3"`, 1)
		dead(t, c.pid, child)
	})
}

// When the server shuts down, sockets are told, streams end in order after the waiting
// messages, and nothing is left.
func TestDrain(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	c, s := r.connect(), r.socket()
	waiting := r.connect() // has no receiver
	main, session := c.open(""), c.open("s")
	c.send("", saying("", update("s", "1"), note))
	main.want(note)
	child := spawned(t, s.ask)
	idle := must.Get(net.Dial("tcp", r.addr))(t)
	defer idle.Close()
	r.stop()
	if code, reason := s.closed(); code != 1001 || reason != "the server is shutting down" {
		t.Errorf("%d %q", code, reason)
	}
	session.want(update("s", "1"))
	main.ends()
	session.ends()
	r.end()
	dead(t, c.pid, s.pid, waiting.pid, child)
	if conn, err := net.Dial("tcp", r.addr); err == nil {
		conn.Close()
		t.Error("the server still listens")
	}
	if n := strings.Count(r.log.String(), "connection ended"); n != 3 {
		t.Errorf("%d connections ended", n)
	}
}

// During shutdown no new client is admitted, not even over an existing TCP connection.
func TestDrainRefusesNewConnections(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		r.connect()
		stopped := make(chan struct{})
		go func() { defer close(stopped); r.server.drain(context.Background()) }()
		r.log.wait(t, "connection ended", 1)
		<-stopped
		failure(t, r.do("POST", request("1", "initialize", `{}`), asJSON), 503, -32603, "null", "shutting down")
		if n := strings.Count(r.log.String(), "agent started"); n != 1 {
			t.Errorf("%d agents were started", n)
		}
	})
}

// Shutdown is bounded whatever agents and clients do: an agent that does not end, a socket
// that is not closed by its client, a client that does not read.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	slow := func(o *Options) {
		o.Limits.Drain = 300 * time.Millisecond
		o.Start = stubborn
	}
	t.Run("by its time", func(t *testing.T) {
		r := newRig(t, "h1", slow)
		c, s := r.connect(), r.socket()
		s.send(saying("s", padded("s", 1<<20))) // the client neither reads nor closes
		r.end()
		dead(t, c.pid, s.pid)
	})
	t.Run("by the second signal", func(t *testing.T) {
		r := newRig(t, "h1", slow, func(o *Options) { o.Limits.Drain = time.Hour })
		c, s := r.connect(), r.socket()
		r.stop()
		r.log.wait(t, "shutting down", 1)
		close(r.now)
		r.end()
		dead(t, c.pid, s.pid)
	})
	t.Run("while an agent starts", func(t *testing.T) {
		r := newRig(t, "h1", mode("mute"))
		answer := make(chan reply, 1)
		go func() { answer <- r.do("POST", request("1", "initialize", `{}`), asJSON) }()
		r.log.wait(t, "agent started", 1)
		r.stop()
		failure(t, <-answer, 503, -32603, "1", "shutting down")
		r.end()
	})
}
