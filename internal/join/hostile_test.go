package join

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/hello"
)

// say writes lines on a connection without reading. It returns when they are written or the connection is closed.
func say(conn net.Conn, lines ...string) {
	for _, line := range lines {
		if _, err := io.WriteString(conn, line+"\n"); err != nil {
			return
		}
	}
}

const greeting = `{"parley":1,"client":"evil","role":"approve"}`

func TestConnectionsThatSayNothingUseful(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		for _, first := range []string{"", "GET / HTTP/1.1", `{"parley":9,"role":"watch"}`, strings.Repeat("x", 1<<20)} {
			conn := r.sockets.dial()
			go say(conn, first)
			if first == "" {
				conn.Close()
				continue
			}
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil || !strings.Contains(line, `"error"`) || !strings.Contains(line, `"id":null`) {
				t.Errorf("%.40s: %q, %v", first, line, err)
			}
		}
		silent := r.sockets.dial()
		time.Sleep(time.Minute)
		if _, err := io.ReadAll(silent); err != nil {
			t.Error(err)
		}
		r.on(func() {
			if len(r.hub.clients) > 0 {
				t.Errorf("%d clients", len(r.hub.clients))
			}
		})
	})
}

func TestHostileMessages(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		conn := r.sockets.dial()
		go io.Copy(io.Discard, conn)
		say(conn, greeting, "{", "[]", "[1,2]", "null", `"x"`, `{"jsonrpc":"2.0","id":{},"method":"session/list"}`, `{"jsonrpc":"2.0","method":"session/cancel"}`,
			`{"jsonrpc":"2.0","method":"session/cancel","params":[1]}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`,
			`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}`, `{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":["s1"]}}`,
			`{"jsonrpc":"2.0","id":4,"result":{}}`, `{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"s1","prompt":{"type":"text"}}}`,
			`{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":{},"text":5}]}}`, strings.Repeat("[", 100_000),
			`[`+strings.Repeat(`{"jsonrpc":"2.0","id":7,"method":"session/list"},`, 5000)+`{"jsonrpc":"2.0","id":8,"method":"session/list"}]`)
		for i := range 1000 {
			say(conn, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/load","params":{"sessionId":"s1","cwd":"/","mcpServers":[]}}`, 100+i))
		}
		r.settle()
		g := r.follow("good", hello.Talk, 1)
		call := g.prompt("hello")
		r.settle()
		if outcome(call) == "" {
			t.Error("another client is not served")
		}
	})
}

func TestATooLongLine(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		conn := r.sockets.dial()
		say(conn, greeting)
		go say(conn, strings.Repeat("x", maxMessage+1), `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}`)
		in := bufio.NewReader(conn)
		if line, _ := in.ReadString('\n'); !strings.Contains(line, "too long") {
			t.Errorf("%.200s", line)
		}
		if line, _ := in.ReadString('\n'); !strings.Contains(line, `"protocolVersion":1`) {
			t.Errorf("%.200s", line)
		}
	})
}

// A client that does not read is dropped, and nobody waits for it.
func TestAClientThatDoesNotRead(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		conn := r.sockets.dial()
		say(conn, greeting, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
		bufio.NewReader(conn).ReadString('\n')
		say(conn, `{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s1","cwd":"/","mcpServers":[]}}`)
		r.settle()
		good := r.follow("good", hello.Watch, 2)
		text := strings.Repeat("x", 100_000)
		for range 400 {
			r.on(func() {
				r.session().Agent.Post(event.TextArrived{For: event.For{Session: "s1"}, Role: event.Agent, MessageID: "1", Text: text})
			})
			time.Sleep(20 * time.Millisecond)
		}
		good.matches()
		r.on(func() {
			if len(r.hub.clients) != 1 {
				t.Errorf("%d clients are left", len(r.hub.clients))
			}
		})
	})
}

// Nor does one that stops reading while little is sent stay forever.
func TestAStalledClient(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		conn := r.sockets.dial()
		say(conn, greeting, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
		time.Sleep(time.Minute)
		r.on(func() {
			if len(r.hub.clients) != 0 {
				t.Errorf("%d clients are left", len(r.hub.clients))
			}
		})
	})
}

func TestAtMostSoManyClients(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		for range maxClients {
			r.join("one", hello.Watch, 1)
		}
		conn := r.sockets.dial()
		go say(conn, greeting)
		if line, _ := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, "too many clients") {
			t.Errorf("%q", line)
		}
		r.settle()
		r.on(func() {
			if len(r.hub.clients) != maxClients {
				t.Errorf("%d clients", len(r.hub.clients))
			}
		})
	})
}

// A long conversation is replayed a bit at a time, and memory is bounded by what a client has not read.
func TestALongReplay(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		text := strings.Repeat("word ", 20_000)
		r.on(func() {
			for i := range 300 {
				r.session().Agent.Post(event.TextArrived{For: event.For{Session: "s1"}, Role: event.Agent, MessageID: fmt.Sprint(i), Text: text})
			}
		})
		r.settle()
		var before, after runtime.MemStats
		conn := r.sockets.dial()
		say(conn, greeting, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
		in := bufio.NewReader(conn)
		in.ReadString('\n')
		runtime.ReadMemStats(&before)
		say(conn, `{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s1","cwd":"/","mcpServers":[]}}`)
		time.Sleep(10 * time.Second)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if more := int64(after.HeapAlloc) - int64(before.HeapAlloc); more > 16<<20 {
			t.Errorf("a client that does not read takes %d bytes", more)
		}
		g := r.follow("good", hello.Watch, 2)
		g.matches()
	})
}

// Whatever they ask, each client is served in turn.
func TestAFloodOfRequests(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		evil, good := r.follow("evil", hello.Talk, 1), r.follow("good", hello.Talk, 1)
		for range 500 {
			evil.begin("session/load", `{"sessionId":"s1","cwd":"/","mcpServers":[]}`)
			evil.peer.Notify("session/cancel", object{"sessionId": "s1"})
		}
		began := time.Now()
		good.must("session/list", `{}`)
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
