package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A server that has only a WebSocket at that path is used through it, from initialize on.
func TestWebSocketInstead(t *testing.T) {
	for _, status := range []int{404, 405, 426, 501} {
		inBubble(t, func(r *rig) {
			r.server.onPost = refuse(status)
			ours, theirs := Pipe()
			dialled := 0
			r.h.socket = func(ctx context.Context, remote *remote) (Conn, error) {
				dialled++
				time.Sleep(time.Second)
				return ours, nil
			}
			r.request(0, "initialize", "")
			r.request(1, "early", "") // waits, and keeps its order
			r.notify("early", "s1")
			go func() {
				for _, want := range []string{`"id":0,"method":"initialize"`, `"id":1,"method":"early"`, `"method":"early"`, `"id":2,"method":"late"`, `"id":7,"result"`} {
					if got, err := theirs.Recv(); err != nil || !strings.Contains(string(got), want) {
						t.Errorf("the WebSocket got %q, %v; want %q", got, err, want)
					}
					theirs.Send(Message{Data: []byte(want)})
				}
			}()
			r.want(`"id":0,"method":"initialize"`, `"id":1,"method":"early"`, `"method":"early"`)
			r.request(2, "late", "")
			r.want(`"id":2,"method":"late"`)
			r.answer(7, "s1")
			r.want(`"id":7,"result"`)
			r.h.OpenSession("s1")
			r.h.SetVersion(1)
			r.h.CloseSession("s1")
			if !strings.Contains(r.log(), "WebSocket") || dialled != 1 {
				t.Errorf("dialled %d times, the log: %q", dialled, r.log())
			}
			r.h.Close()
			if err := r.h.Send(Message{}); err != ErrClosed {
				t.Errorf("Send: %v", err)
			}
			if _, err := theirs.Recv(); err == nil {
				t.Error("the WebSocket is still open")
			}
			r.wantSeen("POST initialize")
		})
	}
}

// If there is no WebSocket either, the error is that of the POST.
func TestNoWebSocketEither(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = refuse(405)
		r.h.socket = func(context.Context, *remote) (Conn, error) { return nil, errors.New("no") }
		r.request(0, "initialize", "")
		var status *StatusError
		if err := r.wantEnd(nil); !errors.As(err, &status) || status.Status != 405 {
			t.Errorf("got %v", err)
		}
	})
}

// Other refusals of initialize do not try a WebSocket.
func TestNoWebSocketAfterRefusal(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = refuse(400)
		r.h.socket = func(context.Context, *remote) (Conn, error) { t.Error("dialled"); return nil, errors.New("no") }
		r.request(0, "initialize", "")
		r.wantEnd(nil)
	})
}

// Close while the WebSocket is dialled.
func TestCloseWhileDialling(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onPost = refuse(426)
		r.h.socket = func(ctx context.Context, remote *remote) (Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		r.request(0, "initialize", "")
		synctest.Wait()
		r.h.Close()
		if _, err := r.h.Recv(); err != ErrClosed || r.now() > time.Second {
			t.Errorf("after %v: %v", r.now(), err)
		}
	})
}

// Close while the network is dialled.
func TestCloseWhileConnecting(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.h.lines.connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // a connection made anyway is closed
			ours, theirs := net.Pipe()
			go io.Copy(io.Discard, theirs)
			return ours, nil
		}
		r.request(0, "initialize", "")
		synctest.Wait()
		r.h.Close()
	})
}

// Close at any moment of a connection's life returns, nothing blocks, and no goroutine is
// left in the bubble.
func TestCloseAtAnyTime(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.server.onGet = func(w http.ResponseWriter, q *acpRequest) bool {
			time.Sleep(time.Duration(q.n) * 3 * time.Millisecond)
			return q.n%5 == 4 && refuse(409)(w, q)
		}
		r.server.onPost = func(w http.ResponseWriter, q *acpRequest) bool {
			time.Sleep(time.Duration(q.n) * time.Millisecond)
			return q.n%7 == 6 && refuse(502)(w, q)
		}
		for at := range 40 {
			h := r.dial(Remote{})
			ended := make(chan error)
			go func() {
				for {
					if _, err := h.Recv(); err != nil {
						ended <- err
						return
					}
				}
			}()
			go func() {
				for i := range 10 {
					id := fmt.Sprintf("s%d", i%3)
					h.Send(Message{Data: []byte(requestText(i, []string{"initialize", "x"}[min(i, 1)], id)), Session: []string{"", id}[min(i, 1)]})
					h.OpenSession(id)
					h.CloseSession("s1")
					h.Send(Message{Data: []byte(result(i)), Answer: true})
				}
				h.Close() // concurrently with the other Close
			}()
			time.Sleep(time.Duration(at) * time.Millisecond)
			h.Close()
			<-ended
			h.OpenSession("late")
		}
	})
}

// The same over sockets: no goroutine of the client or of net/http is left.
func TestCloseLeavesNothing(t *testing.T) {
	running := func() (n int, stacks string) {
		all := make([]byte, 1<<20)
		stacks = string(all[:runtime.Stack(all, true)])
		for _, of := range []string{"transport.(*HTTP)", "transport.(*stream)", "http.(*persistConn)", "http2ClientConn"} {
			n += strings.Count(stacks, of)
		}
		return n, stacks
	}
	for _, h2c := range []string{"off", "on"} {
		before, _ := running()
		s := newACPServer()
		server := &http.Server{Handler: s, Protocols: new(http.Protocols)}
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
		l := listenOn(t, "127.0.0.1")
		go server.Serve(l)
		converse(t, s, dialHTTP(t, Remote{URL: "http://" + l.Addr().String(), H2C: h2c}))
		server.Close()
		deadline := time.Now().Add(patience)
		for {
			after, stacks := running()
			if after <= before {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("what is left:\n%s", stacks)
			}
			runtime.Gosched()
		}
	}
}
