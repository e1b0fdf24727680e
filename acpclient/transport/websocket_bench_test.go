package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"parley/internal/must"

	"github.com/coder/websocket"
)

// flooded returns a WebSocket over loopback on which one message is repeated as fast as it
// can be read.
func flooded(b *testing.B, size int) *WebSocket {
	w, p := wsTCP(b, Remote{})
	var frame frameBuffer
	(&rawPeer{Conn: &frame}).frame(true, opText, strings.Repeat("x", size))
	flood := []byte(strings.Repeat(string(frame.data), max(1, 256<<10/size)))
	go func() {
		for {
			if _, err := p.Write(flood); err != nil {
				return
			}
		}
	}()
	return w
}

// frameBuffer keeps the bytes written to it.
type frameBuffer struct {
	net.Conn
	data []byte
}

func (f *frameBuffer) Write(p []byte) (int, error) {
	f.data = append(f.data, p...)
	return len(p), nil
}

// BenchmarkWebSocketRecv reads messages from a WebSocket: by Recv, by a minimal read loop
// of the library with an existing buffer, and by the library's convenience function.
func BenchmarkWebSocketRecv(b *testing.B) {
	for _, size := range []int{200, 4 << 10, 560 << 10, 3 << 20} {
		for _, way := range []struct {
			name string
			read func(w *WebSocket) func() (int, error)
		}{
			{"Recv", func(w *WebSocket) func() (int, error) {
				return func() (int, error) {
					data, err := w.Recv()
					return len(data), err
				}
			}},
			{"bare", func(w *WebSocket) func() (int, error) {
				buf := make([]byte, size+1)
				return func() (int, error) { return bareRead(w.ws, buf) }
			}},
			{"library", func(w *WebSocket) func() (int, error) {
				return func() (int, error) {
					_, data, err := w.ws.Read(context.Background())
					return len(data), err
				}
			}},
		} {
			b.Run(fmt.Sprintf("%s/%dB", way.name, size), func(b *testing.B) {
				read := way.read(flooded(b, size))
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if n, err := read(); n != size || err != nil {
						b.Fatal(n, err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
			})
		}
	}
}

func bareRead(ws *websocket.Conn, buf []byte) (n int, err error) {
	_, src, err := ws.Reader(context.Background())
	for err == nil {
		var k int
		k, err = src.Read(buf[n:])
		n += k
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// BenchmarkWebSocketSend writes messages that the other end reads and drops.
func BenchmarkWebSocketSend(b *testing.B) {
	for _, size := range []int{200, 1 << 20} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			w, p := wsTCP(b, Remote{})
			go io.Copy(io.Discard, p)
			m := Message{Data: []byte(strings.Repeat("x", size))}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, w.Send(m))
			}
		})
	}
}
