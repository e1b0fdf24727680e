package gateway

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// stuck is more than all buffers of a client that does not read, whose largest is the 4 MiB
// window of HTTP/2.
const stuck = 5 << 20

func padded(session string, size int) string { return update(session, strings.Repeat("x", size)) }

// If a session's buffer is full, the connection ends with the reason.
func TestSessionBuffer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		main := c.open("")
		for range 15 { // without a receiver
			c.send("s", saying("s", padded("s", 64<<10)))
		}
		c.send("", request("1", "session/list", `{}`))
		main.want(result("1", `{"to":"session/list"}`))
		c.post("s", saying("s", padded("s", 64<<10)))
		main.ends()
		r.log.wait(t, `reason="the buffer is full and no client reads"`, 1)
		if got := c.post("", request("1", "session/list", `{}`)); got.status != 404 {
			t.Errorf("got %+v", got)
		}
	}, func(o *Options) { o.Limits.SessionBuffer = 1 << 20 })
}

// The same for all sessions together, and for very many tiny messages.
func TestConnectionBuffer(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(i int) string{
		"sessions": func(i int) string { return saying("", padded(fmt.Sprint("s", i), 64<<10)) },
		"tiny":     func(int) string { return saying("", strings.Fields(strings.Repeat("{} ", 1200))...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "h1", func(o *Options) { o.Limits.SessionBuffer, o.Limits.ConnectionBuffer = 1<<20, 1<<20 })
			c := r.connect()
			for i := range 17 {
				c.post("", say(i))
			}
			r.log.wait(t, "the buffer is full", 1)
			r.log.wait(t, "connection ended", 1)
		})
	}
}

// A receiver with nothing else to read accepts a message of any size.
func TestMessageLargerThanTheBuffer(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) { o.Limits.SessionBuffer, o.Limits.ConnectionBuffer = 64<<10, 64<<10 })
	c := r.connect()
	s := c.open("s")
	c.send("s", saying("s", padded("s", 1<<20)))
	s.want(padded("s", 1<<20))
	w := r.socket()
	w.send(saying("s", padded("s", 1<<20)))
	w.want(padded("s", 1<<20))
}

// flooding agents send without end once asked.
var flooding = faked(func(f *fake, msg []byte) {
	if bytes.Contains(msg, initializePart) {
		f.say(initializeDone)
		return
	}
	chunk := []byte(padded("s", 64<<10))
	for range 2048 {
		f.say(chunk)
	}
})

const note = `{"jsonrpc":"2.0","method":"go","params":{}}`

// little makes all buffers small.
func little(o *Options) {
	o.Limits = Limits{SessionBuffer: 1 << 20, ConnectionBuffer: 1 << 20, Stall: 100 * time.Millisecond, KeepAlive: 100 * time.Millisecond}
}

// A client that reads more slowly than the agent writes loses nothing: the agent waits.
func TestSlowReceiversAreWaitedFor(t *testing.T) {
	t.Parallel()
	limited := func(o *Options) { o.Limits.SessionBuffer, o.Limits.ConnectionBuffer = 1<<20, 1<<20 }
	want := padded("s", 64<<10)
	each(t, func(t *testing.T, r *rig) {
		c := r.connect()
		s := c.open("s")
		c.send("", note)
		for range 400 {
			s.want(want)
		}
	}, flooding, limited)
	sockets(t, func(t *testing.T, r *rig) {
		s := r.socket()
		s.send(note)
		for range 400 {
			s.want(want)
		}
	}, flooding, limited)
}

// A socket whose client does not read is closed with 1008, which the client sees when it
// reads again. Over TLS that is impossible.
func TestSocketClientDoesNotRead(t *testing.T) {
	t.Parallel()
	bubble(t, socketProfiles, func(t *testing.T, r *rig) {
		s := r.socket()
		s.send(note)
		r.log.wait(t, `reason="the client does not read"`, 1)
		if r.tls != nil {
			return
		}
		if code, reason := s.closed(); code != 1008 || reason != "the client does not read" {
			t.Errorf("%d %q", code, reason)
		}
	}, flooding, little)
}

// The same for an open stream that is not read.
func TestStreamClientDoesNotRead(t *testing.T) {
	t.Parallel()
	bubble(t, profiles, func(t *testing.T, r *rig) {
		c := r.connect()
		body := c.unread("s")
		c.send("", note)
		r.log.wait(t, "stream ends", 1)
		r.log.wait(t, `reason="the buffer is full and no client reads"`, 1)
		if _, err := io.Copy(io.Discard, body); err == nil {
			t.Error("the stream ends without an error")
		}
	}, flooding, little)
}

// unread opens a stream and does not read it.
func (c *remote) unread(session string) io.Reader {
	c.t.Helper()
	ctx, _ := contextWithCancel(c.t)
	res, err := c.http.Do(c.rig.request(ctx, c.base, "GET", nil, "Accept: text/event-stream", "Acp-Connection-Id: "+c.id, "Acp-Session-Id: "+session))
	if err != nil || res.StatusCode != 200 {
		c.t.Fatal(res, err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res.Body
}

// A receiver that reads nothing is detached, and the next one gets what it did not read.
func TestStalledStream(t *testing.T) {
	t.Parallel()
	bubble(t, profiles, func(t *testing.T, r *rig) {
		c := r.connect()
		c.unread("s")
		c.send("s", saying("s", padded("s", stuck)))
		r.log.wait(t, "stream ends", 1)
		c.open("s").want(padded("s", stuck))
	}, func(o *Options) {
		o.Limits = Limits{Stall: time.Second, KeepAlive: 100 * time.Millisecond}
	})
}

// A client that leaves a stream unread and sends nothing else is gone, even if a proxy
// accepts the comments on its other streams forever. A client that sends something is not.
func TestUnreadStreamIsNoStream(t *testing.T) {
	t.Parallel()
	bubble(t, profiles, func(t *testing.T, r *rig) {
		leaves := func() *remote {
			c := r.connect()
			c.open("")
			c.unread("s")
			c.send("s", saying("s", padded("s", stuck)))
			return c
		}
		there := leaves()
		r.log.wait(t, "stream ends", 1)
		other := there.open("other")
		gone := leaves()
		r.log.wait(t, `reason="the client does not read"`, 1)
		if got := gone.post("s", saying("s")).status; got != 404 {
			t.Errorf("the connection that is gone answers %d", got)
		}
		there.send("other", saying("other", update("other", "here")))
		other.want(update("other", "here"))
	}, func(o *Options) {
		o.Limits = Limits{Stall: time.Second, KeepAlive: 100 * time.Millisecond, Idle: 2 * time.Second}
	})
}

func TestStalledSocket(t *testing.T) {
	t.Parallel()
	bubble(t, socketProfiles, func(t *testing.T, r *rig) {
		s := r.socket()
		s.send(saying("s", padded("s", stuck)))
		r.log.wait(t, `reason="the client does not read"`, 1)
		r.log.wait(t, "connection ended", 1)
	}, func(o *Options) { o.Limits = Limits{Stall: time.Second} })
}

// An agent that does not read blocks its clients for a while.
func TestAgentDoesNotRead(t *testing.T) {
	t.Parallel()
	few := func(o *Options) { o.Limits = Limits{Stall: 100 * time.Millisecond, ConnectionBuffer: 1 << 20} }
	stop := `{"jsonrpc":"2.0","method":"_stop","params":{"lines":[` + quote(note) + `]}}`
	long := request("1", "_x", `{"text":"`+strings.Repeat("x", 100<<10)+`"}`)
	t.Run("HTTP", func(t *testing.T) {
		bubble(t, profiles, func(t *testing.T, r *rig) {
			c := r.connect()
			c.send("", stop)
			c.open("").want(note)
			for i := 0; ; i++ {
				got := c.post("", long)
				if got.status == 202 && i < 50 {
					continue
				}
				failure(t, got, 503, -32603, "null", "does not read")
				break
			}
		}, few)
	})
	t.Run("WebSocket", func(t *testing.T) {
		bubble(t, socketProfiles, func(t *testing.T, r *rig) {
			s := r.socket()
			s.send(stop)
			s.want(note)
			for range 15 {
				s.send(long)
			}
			if code, reason := s.closed(); code != 1011 || reason != "the agent does not read" {
				t.Errorf("%d %q", code, reason)
			}
		}, few)
	})
}

func TestAgentMessageTooLarge(t *testing.T) {
	t.Setenv(agentMode, "plain")
	r := newRig(t, "h1", func(o *Options) { o.Start = Command([]string{os.Args[0]}, nil, 1<<20) })
	s := r.socket()
	s.send(saying("", note, padded("s", 2<<20)))
	s.want(note)
	if code, reason := s.closed(); code != 1009 || !strings.Contains(reason, "larger than 1048576 bytes") {
		t.Errorf("%d %q", code, reason)
	}
	c := r.connect()
	main := c.open("")
	c.send("", saying("", note, padded("s", 2<<20)))
	main.want(note)
	main.ends()
}

// A connection lives while its client reads or sends, and not much longer.
func TestIdle(t *testing.T) {
	t.Parallel()
	bubble(t, profiles, func(t *testing.T, r *rig) {
		read := r.connect()
		main := read.open("")
		never := r.connect()
		r.log.wait(t, "conn=2 reason=\"idle: no stream is read\"", 1)
		if got := never.post("", note); got.status != 404 {
			t.Errorf("got %+v", got)
		}
		read.send("", request("1", "session/list", `{}`))
		main.want(result("1", `{"to":"session/list"}`))
		main.close()
		r.log.wait(t, "conn=1 reason=\"idle: no stream is read\"", 1)
	}, func(o *Options) { o.Limits.Idle = time.Second })
}

// Quiet streams get comments.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	bubble(t, profiles, func(t *testing.T, r *rig) {
		main := r.connect().open("")
		for range 5 {
			select {
			case e := <-main.events:
				if e != ":" {
					t.Fatalf("got %q", e)
				}
			case <-time.After(patience):
				t.Fatal("no comment arrives")
			}
		}
	}, func(o *Options) { o.Limits.KeepAlive = 2 * time.Millisecond })
}

// closes waits until the server closes the connection and returns what it sent.
func closes(t *testing.T, conn net.Conn) string {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(patience))
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("after %q: %v", text, err)
	}
	return string(text)
}

func TestSlowClients(t *testing.T) {
	t.Parallel()
	hasty := func(o *Options) { o.Limits.Header, o.Limits.Read = 100*time.Millisecond, 100*time.Millisecond }
	pings := func(o *Options) { o.Limits.Ping, o.Limits.Stall = 200*time.Millisecond, 2*time.Second }
	raw := func(t *testing.T, r *rig, text string) net.Conn {
		t.Helper()
		conn := must.Get(r.dialer(t.Context(), "tcp", r.addr))(t)
		t.Cleanup(func() { conn.Close() })
		fmt.Fprint(conn, text)
		return conn
	}
	t.Run("headers", func(t *testing.T) {
		bubble(t, []string{"h1"}, func(t *testing.T, r *rig) {
			closes(t, raw(t, r, "POST /acp HTTP/1.1\r\nHost: localhost\r\nX-Slow: "))
		}, hasty)
	})
	t.Run("TLS", func(t *testing.T) {
		bubble(t, []string{"tls"}, func(t *testing.T, r *rig) {
			closes(t, raw(t, r, ""))
		}, hasty)
	})
	t.Run("body", func(t *testing.T) {
		bubble(t, profiles, func(t *testing.T, r *rig) {
			body, w := io.Pipe()
			defer w.Close()
			go io.WriteString(w, `{"jsonrpc":`)
			got := r.doAt(r.base, "POST", body, asJSON)
			failure(t, got, 408, -32600, "null", "in time")
		}, hasty)
	})
	t.Run("a WebSocket whose peer is gone", func(t *testing.T) {
		bubble(t, []string{"h1"}, func(t *testing.T, r *rig) {
			in := rawSocket(t, raw(t, r, ""))
			go io.Copy(io.Discard, in) // the system of the peer still receives
			r.log.wait(t, "the client does not answer pings", 1)
			r.log.wait(t, "connection ended", 1)
		}, pings)
	})
	t.Run("a slow peer", func(t *testing.T) {
		bubble(t, []string{"h1"}, func(t *testing.T, r *rig) {
			conn := raw(t, r, "")
			in := rawSocket(t, conn)
			conn.Write([]byte{0x81, 0x80 | 126, 0xff, 0xff, 0, 0, 0, 0}) // a message of 65535 bytes, sent one at a time
			for begun := time.Now(); time.Since(begun) < 4500*time.Millisecond; {
				if _, err := in.ReadByte(); err != nil { // of the answer, then of pings that are not answered
					t.Fatal(err)
				}
				conn.Write([]byte{' '})
			}
		}, pings)
	})
}

// rawSocket upgrades a bare connection to a WebSocket and initializes it.
func rawSocket(t *testing.T, conn net.Conn) *bufio.Reader {
	t.Helper()
	fmt.Fprint(conn, "GET /acp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	in := bufio.NewReader(conn)
	if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != 101 {
		t.Fatal(res, err)
	}
	msg := request("0", "initialize", `{}`)
	conn.Write(append([]byte{0x81, 0x80 | byte(len(msg)), 0, 0, 0, 0}, msg...)) // masked with zeros
	return in
}
