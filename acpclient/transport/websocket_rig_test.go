package transport

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"parley/internal/must"

	"github.com/coder/websocket"
)

// Opcodes of frames (RFC 6455, 5.2).
const (
	opMore   = 0
	opText   = 1
	opBinary = 2
	opClose  = 8
	opPing   = 9
	opPong   = 10
)

// wsServe starts a server that passes WebSockets to f and closes them afterwards.
func wsServe(t testing.TB, f func(c *websocket.Conn, r *http.Request)) string {
	t.Helper()
	return wsHandle(t, func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		c.SetReadLimit(-1)
		defer c.CloseNow()
		f(c, r)
	})
}

// wsHandle starts a server and returns its URL; the test ends only after all its handlers.
func wsHandle(t testing.TB, f http.HandlerFunc) string {
	t.Helper()
	var busy sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		busy.Add(1)
		defer busy.Done()
		f(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		busy.Wait()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func ready(t testing.TB, r Remote) *remote {
	t.Helper()
	return must.Get(r.prepare())(t)
}

func wsDial(t testing.TB, r Remote) *WebSocket {
	t.Helper()
	w := must.Get(dialWebSocket(t.Context(), ready(t, r)))(t)
	t.Cleanup(func() { w.Close() })
	return w
}

func wantMessage(t testing.TB, c Conn, want string) {
	t.Helper()
	if got, err := c.Recv(); err != nil || string(got) != want {
		t.Fatalf("Recv = %.80q, %v; want %.80q", got, err, want)
	}
}

// rawPeer is the other end of a WebSocket at the level of frames, so that it can misbehave.
type rawPeer struct {
	net.Conn
	in      *bufio.Reader
	request *http.Request
}

// greet accepts an upgrade on a connection.
func greet(conn net.Conn) (*rawPeer, error) {
	p := &rawPeer{Conn: conn, in: bufio.NewReader(conn)}
	var err error
	if p.request, err = http.ReadRequest(p.in); err != nil {
		return nil, err
	}
	sum := sha1.Sum([]byte(p.request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, err = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	return p, err
}

// frame sends a frame.
func (p *rawPeer) frame(fin bool, op byte, payload string) error {
	if fin {
		op |= 0x80
	}
	head := []byte{op}
	switch n := len(payload); {
	case n < 126:
		head = append(head, byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
	_, err := p.Write(append(head, payload...))
	return err
}

// sendClose sends a close frame; code 0: none.
func (p *rawPeer) sendClose(code int, reason string) error {
	if code == 0 {
		return p.frame(true, opClose, "")
	}
	return p.frame(true, opClose, string(binary.BigEndian.AppendUint16(nil, uint16(code)))+reason)
}

// read reads a frame.
func (p *rawPeer) read() (fin bool, op byte, payload []byte, err error) {
	var head [14]byte
	if _, err = io.ReadFull(p.in, head[:2]); err != nil {
		return
	}
	n := int(head[1] & 0x7f)
	switch n {
	case 126:
		_, err = io.ReadFull(p.in, head[2:4])
		n = int(binary.BigEndian.Uint16(head[2:]))
	case 127:
		_, err = io.ReadFull(p.in, head[2:10])
		n = int(binary.BigEndian.Uint64(head[2:]))
	}
	if err != nil {
		return
	}
	var key [4]byte
	if head[1]&0x80 == 0 {
		return false, 0, nil, fmt.Errorf("a frame of a client without a mask")
	}
	if _, err = io.ReadFull(p.in, key[:]); err != nil {
		return
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(p.in, payload)
	for i := range payload {
		payload[i] ^= key[i%4]
	}
	return head[0]&0x80 != 0, head[0] & 0x0f, payload, err
}

// wantFrame reads the next frame and compares it.
func (p *rawPeer) wantFrame(t testing.TB, op byte, payload string) {
	t.Helper()
	_, got, data, err := p.read()
	if err != nil || got != op || string(data) != payload {
		t.Errorf("frame %d %.60q, %v; want %d %.60q", got, data, err, op, payload)
	}
}

// readLoop reads frames until the connection ends and answers neither pings nor close frames.
func (p *rawPeer) readLoop() {
	for {
		if _, _, _, err := p.read(); err != nil {
			return
		}
	}
}

// wsPipe returns a WebSocket connected to a rawPeer in memory, for a synctest bubble.
func wsPipe(t testing.TB, r Remote) (*WebSocket, *rawPeer) {
	t.Helper()
	r.URL = "ws://agent.test/acp"
	peers := make(chan *rawPeer, 1)
	w := must.Get(upgradeWebSocket(t.Context(), ready(t, r), func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			p, err := greet(there)
			if err != nil {
				t.Error(err)
			}
			peers <- p
		}()
		return here, nil
	}, defaultWSTimeouts))(t)
	return w, <-peers
}

// wsTCP does the same over a real connection.
func wsTCP(t testing.TB, r Remote) (*WebSocket, *rawPeer) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	peers := make(chan *rawPeer, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			var p *rawPeer
			if p, err = greet(conn); err == nil {
				peers <- p
				return
			}
		}
		t.Error(err)
		close(peers)
	}()
	r.URL = "ws://" + l.Addr().String()
	w := wsDial(t, r)
	p := <-peers
	t.Cleanup(func() { p.Close() })
	return w, p
}
