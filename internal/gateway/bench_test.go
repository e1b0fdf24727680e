package gateway

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/acpclient/transport"
	"parley/internal/must"
)

// The benchmarks compare `parley serve` with a minimal relay: lines over TCP, copied to the
// same agent (in memory) and back.

// bench is a connection to an agent that echoes everything.
type bench struct {
	send func([]byte)
	recv func() []byte
}

var ways = []struct {
	name string
	open func(*testing.B, func(*fake, []byte)) *bench
}{
	{"bare", openBare},
	{"websocket", openSocket},
	{"sse-h1", func(b *testing.B, hear func(*fake, []byte)) *bench { return openStream(b, false, hear) }},
	{"sse-h2c", func(b *testing.B, hear func(*fake, []byte)) *bench { return openStream(b, true, hear) }},
}

// openBare relays lines without reading them.
func openBare(b *testing.B, hear func(*fake, []byte)) *bench {
	addr := bareServer(b, hear)
	conn, err := net.Dial("tcp", addr)
	must.Do(b, err)
	b.Cleanup(func() { conn.Close() })
	lines := transport.NewLineReader(conn, 0)
	out := &bench{
		send: func(msg []byte) { conn.Write(append(msg, '\n')) },
		recv: func() []byte {
			line, err := lines.Next()
			must.Do(b, err)
			return line
		},
	}
	out.send([]byte(request("0", "initialize", `{}`)))
	out.recv()
	return out
}

func bareServer(b *testing.B, hear func(*fake, []byte)) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(b, err)
	b.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			f := newFake(hear)
			go func() {
				defer f.Close()
				lines := bufio.NewReader(conn)
				for {
					line, err := lines.ReadBytes('\n')
					if err != nil {
						return
					}
					f.Send(transport.Message{Data: line[:len(line)-1]})
				}
			}()
			go func() {
				defer conn.Close()
				var out []byte
				for {
					msg, err := f.Recv()
					if err != nil {
						return
					}
					out = append(append(out[:0], msg...), '\n')
					conn.Write(out)
				}
			}()
		}
	}()
	return ln.Addr().String()
}

func benchServer(b *testing.B, change ...func(*Options)) (addr string) {
	o := Options{Log: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&o)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); New(o).Serve(ctx, ln, ctx.Done()) }()
	b.Cleanup(func() { stop(); <-ended })
	return ln.Addr().String()
}

func openSocket(b *testing.B, hear func(*fake, []byte)) *bench {
	ws, _, err := websocket.Dial(b.Context(), "ws://"+benchServer(b, faked(hear))+"/acp", nil)
	must.Do(b, err)
	b.Cleanup(func() { ws.CloseNow() })
	ws.SetReadLimit(-1)
	ctx := context.Background()
	out := &bench{
		send: func(msg []byte) { ws.Write(ctx, websocket.MessageText, msg) },
		recv: func() []byte {
			_, msg, err := ws.Read(ctx)
			must.Do(b, err)
			return msg
		},
	}
	out.send([]byte(request("0", "initialize", `{}`)))
	out.recv()
	return out
}

func openStream(b *testing.B, h2 bool, hear func(*fake, []byte)) *bench {
	base := "http://" + benchServer(b, faked(hear)) + "/acp"
	tr := &http.Transport{Protocols: new(http.Protocols)}
	tr.Protocols.SetHTTP1(!h2)
	tr.Protocols.SetUnencryptedHTTP2(h2)
	b.Cleanup(tr.CloseIdleConnections)
	client := &http.Client{Transport: tr}
	id := ""
	do := func(method string, body []byte) *http.Response {
		req, err := http.NewRequest(method, base, bytes.NewReader(body))
		must.Do(b, err)
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
		if id != "" {
			req.Header.Set(connectionHeader, id)
			req.Header.Set(sessionHeader, "s")
		}
		res, err := client.Do(req)
		must.Do(b, err)
		return res
	}
	first := do("POST", []byte(request("0", "initialize", `{}`)))
	id = first.Header.Get(connectionHeader)
	first.Body.Close()
	res := do("GET", nil)
	b.Cleanup(func() { res.Body.Close() })
	lines := transport.NewLineReader(res.Body, 0)
	return &bench{
		send: func(msg []byte) {
			res := do("POST", msg)
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
		},
		recv: func() []byte {
			for {
				line, err := lines.Next()
				must.Do(b, err)
				if line[0] == 'd' {
					return line[len("data: "):]
				}
			}
		},
	}
}

// chunk is a typical message: a few words of an answer.
const chunk = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"twenty bytes of text"}}}}`

// BenchmarkRelay measures messages of the agent on their way to a client that reads.
func BenchmarkRelay(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			n := 0
			c := way.open(b, func(f *fake, msg []byte) {
				if bytes.Contains(msg, initializePart) {
					f.say(initializeDone)
					return
				}
				chunk := []byte(chunk)
				for range n {
					f.say(chunk)
				}
			})
			n = b.N
			b.SetBytes(int64(len(chunk)))
			b.ResetTimer()
			c.send([]byte(`{"jsonrpc":"2.0","method":"go","params":{"sessionId":"s"}}`))
			for range b.N {
				c.recv()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
		})
	}
}

// BenchmarkRoundTrip measures one message there and back, with nothing else on the way.
func BenchmarkRoundTrip(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			c := way.open(b, echoes)
			took := make([]time.Duration, 0, b.N)
			msg := []byte(chunk)
			for b.Loop() {
				begun := time.Now()
				c.send(msg)
				c.recv()
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
		})
	}
}

// BenchmarkIdle measures the memory of an idle connection, with the agent in memory and the
// client's end of TCP included: heap and stacks of each of a thousand.
func BenchmarkIdle(b *testing.B) {
	const n = 1000
	served := func(b *testing.B, hear func(*fake, []byte)) string {
		return benchServer(b, faked(hear), func(o *Options) { o.Limits.Connections = 1 << 20 })
	}
	upgrade := "GET /acp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	first := request("0", "initialize", `{}`)
	for _, way := range []struct {
		name  string
		serve func(b *testing.B, hear func(*fake, []byte)) string
		open  func(b *testing.B, addr string) net.Conn
	}{
		{"bare", func(b *testing.B, hear func(*fake, []byte)) string { return bareServer(b, hear) }, func(b *testing.B, addr string) net.Conn {
			conn := dialed(b, addr, first+"\n")
			until(b, conn, "\n")
			return conn
		}},
		{"websocket", served, func(b *testing.B, addr string) net.Conn {
			conn := dialed(b, addr, upgrade)
			until(b, conn, "\r\n\r\n")
			conn.Write(append([]byte{0x81, 0x80 | byte(len(first)), 0, 0, 0, 0}, first...))
			until(b, conn, string(initializeDone))
			return conn
		}},
		{"sse-h1", served, func(b *testing.B, addr string) net.Conn {
			conn := dialed(b, addr, fmt.Sprintf("POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(first), first))
			head := until(b, conn, string(initializeDone))
			_, id, _ := strings.Cut(head, "Acp-Connection-Id: ")
			fmt.Fprintf(conn, "GET /acp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAcp-Connection-Id: %s\r\n\r\n", id[:32])
			until(b, conn, ":\n\n")
			return conn
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			addr := way.serve(b, echoes)
			way.open(b, addr) // allocates whatever is allocated once
			before := inUse()
			for range n {
				way.open(b, addr)
			}
			each := float64(inUse()-before) / n
			for b.Loop() { // one pass is enough
			}
			b.ReportMetric(each, "B/conn")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

func dialed(b *testing.B, addr, text string) net.Conn {
	conn, err := net.Dial("tcp", addr)
	must.Do(b, err)
	b.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, text)
	must.Do(b, err)
	return conn
}

// until reads up to a text, and no further than the data that arrived with it.
func until(b *testing.B, conn net.Conn, text string) string {
	var got []byte
	for c := make([]byte, 1); !bytes.HasSuffix(got, []byte(text)); {
		_, err := conn.Read(c)
		must.Do(b, err)
		got = append(got, c...)
	}
	return string(got)
}
