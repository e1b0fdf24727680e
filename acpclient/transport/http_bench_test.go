package transport

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkSSE is updates through the stream of a session, over loopback: written in pieces of 32 KiB, as under load,
// and one by one, as a server that flushes each. bare reads the same bytes in the same pieces from a socket, line by
// line.
func BenchmarkSSE(b *testing.B) {
	one := "data: " + update("s1", 1) + "\n\n"
	for name, each := range map[string]int{"pieces": 32 << 10 / len(one), "one-by-one": 1} {
		piece := []byte(strings.Repeat(one, each))
		// feed writes n updates, the last piece cut to what is left.
		feed := func(w io.Writer, flush func(), n int) {
			for ; n > 0; n -= each {
				w.Write(piece[:min(n, each)*len(one)])
				flush()
			}
		}
		b.Run(name+"/bare", func(b *testing.B) { benchBare(b, feed, len(one)) })
		b.Run(name+"/http1", func(b *testing.B) { benchSSE(b, "off", feed, len(one)) })
		b.Run(name+"/h2c", func(b *testing.B) { benchSSE(b, "on", feed, len(one)) })
	}
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
	in := bufio.NewReaderSize(c, 64<<10)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for range 2 { // the data and the blank line
			if _, err := in.ReadSlice('\n'); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}

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
	conn.(Streams).OpenSession("s1")
	// An open request, as in a turn: then every message is looked at.
	conn.Send(Message{Data: []byte(requestText(1, "session/prompt", "s1")), Session: "s1"})
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.ResetTimer()
	close(begin)
	for range b.N {
		if _, err := conn.Recv(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}
