package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

func TestCase45CancelledPermissionIsAnsweredOnce(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(request(`"p"`, "permission", `{}`))
		r.expect()
		cancel := note("$/cancel_request", `{"requestId":"p"}`)
		r.send(cancel, cancel)
		r.expect(result(`"p"`, `"cancelled"`))
		r.send(cancel) // case 46: already finished
		r.expect()
	})
}

func TestCase48CancelledWait(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		r.send(request(`4`, "hang", `{}`), request(`5`, "hang", `{}`))
		r.expect()
		r.send(note("$/cancel_request", `{"requestId":4.0}`)) // the same number, written as other libraries do
		r.expect(failure(`4`, `-32800`, `Request cancelled`))
		if want := []string{jsonrpc.ErrRequestCancelled.Error()}; !slices.Equal(r.ends, want) {
			t.Errorf("causes %q, want %q", r.ends, want)
		}
	})
}

func TestCase49CancelRightAfterTheRequest(t *testing.T) {
	for _, form := range []string{"lines", "batch"} {
		t.Run(form, func(t *testing.T) {
			inRig(t, jsonrpc.Options{}, func(r *rig) {
				a, b := request(`1`, "hang", `{}`), note("$/cancel_request", `{"requestId":1}`)
				if form == "batch" {
					r.send(`[` + a + `,` + b + `]`)
					r.expect(`[` + failure(`1`, `-32800`, `Request cancelled`) + `]`)
					return
				}
				r.send(a, b)
				r.expect(failure(`1`, `-32800`, `Request cancelled`))
			})
		})
	}
}

func TestEndOfTheConnection(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		order := []string{}
		c := r.peer.BeginThen("prompt", nil, func(_ json.RawMessage, err error) { order = append(order, "answered: "+err.Error()) })
		r.send(request(`1`, "hang", `{}`), note("u", `1`))
		r.conn.Close()
		<-r.peer.Done()
		synctest.Wait()
		if err := c.Wait(r.t.Context(), nil); !errors.Is(err, jsonrpc.ErrClosed) || err.Error() != "connection closed" {
			t.Errorf("the call ended with %v", err)
		}
		if !slices.Equal(order, []string{"answered: connection closed"}) {
			t.Errorf("got %q", order)
		}
		if got := r.noted(); !slices.Equal(got, []string{"u 1"}) {
			t.Errorf("handled %q", got)
		}
		if len(r.ends) != 1 {
			t.Errorf("works ended: %q", r.ends)
		}
		if err := r.peer.Call(r.t.Context(), "late", nil, nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("a late call: %v", err)
		}
		if err := r.peer.Notify("late", nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("a late notification: %v", err)
		}
	})
}

func TestCloseReportsTheCause(t *testing.T) {
	inRig(t, jsonrpc.Options{}, func(r *rig) {
		why := errors.New("the wire was cut")
		c := r.peer.Begin("m", nil)
		r.peer.Close(why)
		err := c.Wait(r.t.Context(), nil)
		if !errors.Is(err, jsonrpc.ErrClosed) || !errors.Is(err, why) || err.Error() != "connection closed: the wire was cut" {
			t.Errorf("got %v", err)
		}
		if r.peer.Err() != err {
			t.Errorf("Err is %v", r.peer.Err())
		}
	})
}

// A call whose message exceeds the queue's limit ends once, like any other.
func TestPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := transport.Pipe()
		p := jsonrpc.NewPeer(stuck{ours, make(chan struct{})}, &desk{}, jsonrpc.Options{MaxQueued: 1000})
		p.Start()
		defer theirs.Close()
		ended := 0
		first := p.Begin("m", strings.Repeat("x", 400))
		synctest.Wait() // it is being written
		second := p.Begin("m", strings.Repeat("x", 400))
		third := p.BeginThen("m", strings.Repeat("x", 600), func(_ json.RawMessage, _ error) { ended++ })
		for _, c := range []*jsonrpc.Call{first, second, third} {
			if err := c.Wait(t.Context(), nil); !errors.Is(err, jsonrpc.ErrClosed) || !strings.Contains(err.Error(), "does not read") {
				t.Errorf("ended with %v", err)
			}
		}
		if ended != 1 {
			t.Errorf("the last call ended %d times", ended)
		}
		<-p.Done()
		p.Close(nil)
	})
}

// stuck is a connection whose peer does not read.
type stuck struct {
	transport.Conn
	closed chan struct{}
}

func (s stuck) Send(transport.Message) error {
	<-s.closed
	return transport.ErrClosed
}

func (s stuck) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return s.Conn.Close()
}

func TestCallsRaceWithClose(t *testing.T) {
	for range 300 {
		ours, theirs := transport.Pipe()
		p := jsonrpc.NewPeer(ours, &desk{}, jsonrpc.Options{})
		p.Start()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 20 {
					if err := p.Call(context.Background(), "m", nil, nil); !errors.Is(err, jsonrpc.ErrClosed) {
						t.Errorf("ended with %v", err)
					}
				}
			})
		}
		wg.Go(func() { p.Close(nil) })
		wg.Wait()
		theirs.Close()
	}
}
