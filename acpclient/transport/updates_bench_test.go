package transport

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// BenchmarkUpdates sends updates from a peer to a Conn of every kind: written in chunks of
// 32 KiB, as under load, and one at a time, as by a server that flushes each. bare reads
// the same updates as lines from a socket and does nothing with them.
func BenchmarkUpdates(b *testing.B) {
	one := update("s1", 1)
	for name, each := range map[string]int{"pieces": 32 << 10 / len(one), "one-by-one": 1} {
		b.Run(name+"/bare", func(b *testing.B) { benchBare(b, feeder(one+"\n", each), len(one)) })
		b.Run(name+"/stdio", func(b *testing.B) { benchStdio(b, each, len(one)) })
		b.Run(name+"/websocket", func(b *testing.B) { benchSocket(b, one, each) })
		b.Run(name+"/http1", func(b *testing.B) { benchSSE(b, "off", feeder("data: "+one+"\n\n", each), len(one)) })
		b.Run(name+"/h2c", func(b *testing.B) { benchSSE(b, "on", feeder("data: "+one+"\n\n", each), len(one)) })
	}
}

// feeder returns a function that writes the text n times, each at a time.
func feeder(text string, each int) func(w io.Writer, flush func(), n int) {
	piece := []byte(strings.Repeat(text, each))
	return func(w io.Writer, flush func(), n int) {
		for ; n > 0; n -= each {
			if _, err := w.Write(piece[:min(n, each)*len(text)]); err != nil {
				return
			}
			flush()
		}
	}
}

// receive receives b.N messages.
func receive(b *testing.B, size int, begin func(), conn Conn) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.ResetTimer()
	begin()
	for range b.N {
		if _, err := conn.Recv(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}

func benchStdio(b *testing.B, each, size int) {
	s, err := StartStdio(StdioOptions{Command: os.Args[0], Env: append(os.Environ(), childMode+"=updates", fmt.Sprintf("UPDATES=%d %d", b.N, each))})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Recv(); err != nil { // the child has started
		b.Fatal(err)
	}
	receive(b, size, func() { s.Send(Message{Data: []byte("{}")}) }, s)
}

func benchSocket(b *testing.B, one string, each int) {
	w, p := wsTCP(b, Remote{})
	var frame frameBuffer
	(&rawPeer{Conn: &frame}).frame(true, opText, one)
	feed := feeder(string(frame.data), each)
	receive(b, len(one), func() { go feed(p, func() {}, b.N) }, w)
}

func benchBare(b *testing.B, feed func(io.Writer, func(), int), size int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err == nil {
			feed(c, func() {}, b.N)
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	receive(b, size, func() {}, bareConn{bufio.NewReaderSize(c, 64<<10)})
}

// bareConn is the simplest way to receive lines.
type bareConn struct{ *bufio.Reader }

func (c bareConn) Recv() ([]byte, error) { return c.ReadSlice('\n') }
func (bareConn) Send(Message) error      { return nil }
func (bareConn) Close() error            { return nil }

func benchSSE(b *testing.B, h2c string, feed func(io.Writer, func(), int), size int) {
	s := newACPServer()
	begin := make(chan struct{})
	s.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
		if q.session() == "" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		flush := func() { http.NewResponseController(w).Flush() }
		flush()
		<-begin
		feed(w, flush, b.N)
		<-q.Context().Done()
		return true
	}
	server := &http.Server{Handler: s, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(l)
	defer server.Close()
	conn, err := Dial(b.Context(), Remote{URL: "http://" + l.Addr().String(), H2C: h2c})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	conn.Send(Message{Data: []byte(requestText(0, "initialize", ""))})
	if _, err := conn.Recv(); err != nil {
		b.Fatal(err)
	}
	conn.(*HTTP).OpenSession("s1")
	// With an open request, as in a turn, every message is inspected.
	conn.Send(Message{Data: []byte(requestText(1, "session/prompt", "s1")), Session: "s1"})
	receive(b, size, func() { close(begin) }, conn)
}
