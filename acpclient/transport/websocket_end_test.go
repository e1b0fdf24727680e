package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// Case 189: the code and the reason of the peer's close frame.
func TestWebSocketCloseCodes(t *testing.T) {
	for _, tc := range []struct {
		code    int
		reason  string
		orderly bool
	}{
		{1000, "", true},
		{1000, "done", true},
		{1001, "restarting", true},
		{0, "", true},
		{1002, "first message must be initialize", false},
		{1008, "stalled reader", false},
		{1009, "", false},
		{1011, "initialize failed", false},
		{1012, "", false},
		{3000, "x", false},
		{4001, "token \x1b[31mexpired\xff", false},
		{1011, strings.Repeat("r", 123), false},
	} {
		t.Run(fmt.Sprint(tc.code, tc.reason), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, p := wsPipe(t, Remote{})
				defer w.Close()
				go func() {
					p.frame(true, opText, "last")
					p.sendClose(tc.code, tc.reason)
					_, op, data, err := p.read()
					if err != nil || op != opClose || tc.code > 0 && !bytes.HasPrefix(data, []byte{byte(tc.code >> 8), byte(tc.code)}) {
						t.Errorf("the goodbye is answered with %d %q, %v", op, data, err)
					}
					p.readLoop()
				}()
				wantMessage(t, w, "last")
				_, err := w.Recv()
				var closed *CloseError
				code := tc.code
				if code == 0 {
					code = 1005
				}
				if !errors.As(err, &closed) || *closed != (CloseError{code, tc.reason}) || errors.Is(err, io.EOF) != tc.orderly {
					t.Fatalf("got %#v, io.EOF: %v", err, errors.Is(err, io.EOF))
				}
				if !strings.Contains(err.Error(), tc.reason) {
					t.Errorf("the error does not give the reason: %v", err)
				}
				if _, again := w.Recv(); again != err {
					t.Errorf("then Recv: %v", again)
				}
				if again := w.Send(Message{Data: []byte("{}")}); again != err {
					t.Errorf("then Send: %v", again)
				}
				w.Close()
				if _, err := w.Recv(); err != ErrClosed {
					t.Errorf("Recv after Close: %v", err)
				}
			})
		})
	}
}

// An end without a close frame is always io.ErrUnexpectedEOF, never a message or an orderly
// end.
func TestWebSocketBreaks(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    func(p *rawPeer)
		want string
	}{
		{"between messages", func(p *rawPeer) {}, "without a goodbye"},
		{"in a header", func(p *rawPeer) { p.Write([]byte{0x81}) }, "without a goodbye"},
		{"before a payload", func(p *rawPeer) { p.Write([]byte{0x81, 5}) }, "without a goodbye"},
		{"in a payload", func(p *rawPeer) { p.Write([]byte("\x81\x05{}")) }, "without a goodbye"},
		{"in a payload as long as the buffer", func(p *rawPeer) {
			p.frame(true, opText, "1")
			p.Write([]byte{0x81, 127, 0, 0, 0, 0, 0, 2, 0, 0})
			p.Write(make([]byte, lineBuffer))
		}, "without a goodbye"},
		{"between frames", func(p *rawPeer) { p.frame(false, opText, "{}") }, "without a goodbye"},
		{"between frames of binary", func(p *rawPeer) { p.frame(false, opBinary, "{}") }, "without a goodbye"},
		{"reserved bits", func(p *rawPeer) { p.frame(true, 0x40|opText, "{}") }, "rsv bits"},
		{"reserved opcode", func(p *rawPeer) { p.frame(true, 5, "{}") }, "unknown opcode"},
		{"frame of nothing", func(p *rawPeer) { p.frame(true, opMore, "{}") }, "continuation frame"},
		{"long ping", func(p *rawPeer) { p.frame(true, opPing, strings.Repeat("x", 126)) }, "invalid length"},
		{"goodbye with half a code", func(p *rawPeer) { p.frame(true, opClose, "\x03") }, "too small"},
		{"goodbye with code 1006", func(p *rawPeer) { p.sendClose(1006, "") }, "invalid status code"},
		{"endless length", func(p *rawPeer) { p.Write([]byte("\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff")) }, "negative"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := wsTCP(t, Remote{})
			go func() {
				tc.f(p)
				p.Conn.(*net.TCPConn).CloseWrite()
				p.readLoop()
			}()
			var err error
			for err == nil {
				var data []byte
				if data, err = w.Recv(); err == nil && string(data) != "1" {
					t.Fatalf("a message of %d bytes", len(data))
				}
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), tc.want) ||
				strings.Contains(err.Error(), "failed") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWebSocketReset(t *testing.T) {
	w, p := wsTCP(t, Remote{})
	p.Conn.(*net.TCPConn).SetLinger(0)
	p.Close()
	_, err := w.Recv()
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "the connection broke off: ") || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("got %v", err)
	}
}

// A write to a server that has closed the connection returns the server's reason, even if
// that is read a little later.
func TestWebSocketSendReturnsTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		w.line.ReadWriteCloser = neverReads{w.line.ReadWriteCloser}
		end := listen(w)
		synctest.Wait()
		time.AfterFunc(100*time.Millisecond, func() { p.sendClose(1008, "too many of you") })
		err := w.Send(Message{Data: []byte("{}")})
		var closed *CloseError
		if !errors.As(err, &closed) || closed.Reason != "too many of you" {
			t.Errorf("Send: %v", err)
		}
		if got := <-end; got != err {
			t.Errorf("Recv: %v", got)
		}
	})
}

// neverReads is a connection whose peer no longer reads.
type neverReads struct{ io.ReadWriteCloser }

func (neverReads) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// Recv is not called: Send must not wait for it forever.
func TestWebSocketSendToADeadPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		p.Close()
		if err := w.Send(Message{Data: []byte("{}")}); !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWebSocketCloseSaysGoodbye(t *testing.T) {
	said := make(chan websocket.CloseError, 1)
	w := wsDial(t, Remote{URL: wsServe(t, func(c *websocket.Conn, _ *http.Request) {
		var closed websocket.CloseError
		_, _, err := c.Read(t.Context())
		errors.As(err, &closed)
		said <- closed
	})})
	end := listen(w)
	begin := time.Now()
	within(t, "close", func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	if got := <-said; got.Code != websocket.StatusNormalClosure {
		t.Errorf("the server heard %v", got)
	}
	if err := <-end; err != ErrClosed {
		t.Errorf("Recv: %v", err)
	}
	if after := time.Since(begin); after > defaultWSTimeouts.farewell/2 {
		t.Errorf("took %v with a server that answers", after)
	}
	if err := w.Send(Message{}); err != ErrClosed {
		t.Errorf("Send: %v", err)
	}
}

// The server does not answer the close frame: Close waits a second, and Recv and Send not
// at all.
func TestWebSocketCloseWaitsASecond(t *testing.T) {
	for _, halfRead := range []string{"", "\x81", "\x81\x7e\x01", "\x81\x05{}", "\x01\x02{}"} {
		t.Run(fmt.Sprintf("%q", halfRead), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, p := wsPipe(t, Remote{})
				end := listen(w)
				io.WriteString(p, halfRead)
				synctest.Wait()
				heard := make(chan string, 1)
				go func() {
					_, op, data, err := p.read()
					heard <- fmt.Sprintf("%d %x %v", op, data, err)
					p.readLoop()
				}()
				begin := time.Now()
				go w.Close()
				if err := <-end; err != ErrClosed || time.Since(begin) != 0 {
					t.Errorf("Recv: %v after %v", err, time.Since(begin))
				}
				if err := w.Send(Message{Data: []byte("{}")}); err != ErrClosed || time.Since(begin) != 0 {
					t.Errorf("Send: %v after %v", err, time.Since(begin))
				}
				if _, err := w.Recv(); err != ErrClosed || time.Since(begin) != 0 {
					t.Errorf("Recv again: %v after %v", err, time.Since(begin))
				}
				if got := <-heard; got != "8 03e8 <nil>" {
					t.Errorf("the server heard %s", got)
				}
				w.Close()
				if after := time.Since(begin); after > time.Second {
					t.Errorf("took %v", after)
				}
			})
		})
	}
}

// The server no longer reads, Send is blocked, and a ping may be unanswered: Close does not
// wait.
func TestWebSocketCloseWhileSendHangs(t *testing.T) {
	for _, n := range []int{2, 10_000, 1 << 20} {
		for _, pinged := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w, p := wsPipe(t, Remote{})
				defer p.Close()
				end := listen(w)
				if pinged {
					p.wantFrame(t, opPing, "1")
				}
				sent := make(chan error, 1)
				go func() { sent <- w.Send(Message{Data: make([]byte, n)}) }()
				synctest.Wait()
				begin := time.Now()
				w.Close()
				if err := <-sent; err != ErrClosed {
					t.Errorf("Send: %v", err)
				}
				if err := <-end; err != ErrClosed {
					t.Errorf("Recv: %v", err)
				}
				if after := time.Since(begin); after != 0 {
					t.Errorf("took %v", after)
				}
			})
		}
	}
}

// The server reads nothing, not even the close frame; or a ping is being sent just then.
func TestWebSocketCloseToAPeerThatDoesNotRead(t *testing.T) {
	for _, before := range []time.Duration{0, 26 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w, p := wsPipe(t, Remote{})
			defer p.Close()
			end := listen(w)
			time.Sleep(before)
			begin := time.Now()
			go w.Close()
			if err := <-end; err != ErrClosed || time.Since(begin) != 0 {
				t.Errorf("Recv: %v after %v", err, time.Since(begin))
			}
			w.Close()
			if after := time.Since(begin); after > time.Second {
				t.Errorf("took %v", after)
			}
		})
	}
}

// Everything concurrently, repeatedly, with a peer that may leave at any time. This is for
// the race detector.
func TestWebSocketCloseRaces(t *testing.T) {
	url := wsServe(t, func(c *websocket.Conn, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/leaves") {
			c.Write(t.Context(), websocket.MessageText, []byte("hello"))
			c.Close(websocket.StatusGoingAway, "")
			return
		}
		echo(c, r)
	})
	for i := range 60 {
		path := "/echoes"
		if i%2 > 0 {
			path = "/leaves"
		}
		w := wsDial(t, Remote{URL: url + path})
		end := listen(w)
		var all sync.WaitGroup
		all.Go(func() {
			for w.Send(Message{Data: []byte(`{"jsonrpc":"2.0"}`)}) == nil {
			}
		})
		for range 3 {
			all.Go(func() {
				for range i {
					w.ConnectionID()
				}
				w.Close()
			})
		}
		within(t, "close", all.Wait)
		if err := <-end; err != ErrClosed && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("Recv: %v", err)
		}
	}
}
