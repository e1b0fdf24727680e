package transport

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// listen reads until the connection ends and sends the error.
func listen(w *WebSocket) <-chan error {
	end := make(chan error, 1)
	go func() {
		for {
			if _, err := w.Recv(); err != nil {
				end <- err
				return
			}
		}
	}()
	return end
}

// Case 188: the peer disappears without a close frame.
func TestWebSocketSilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		go p.readLoop()
		err := <-listen(w)
		if !errors.Is(err, ErrSilent) {
			t.Fatalf("got %v", err)
		}
		if after := time.Since(begin); after != 65*time.Second {
			t.Errorf("noticed after %v, want 25 s and 40 s", after)
		}
		if err := w.Send(Message{Data: []byte("{}")}); !errors.Is(err, ErrSilent) {
			t.Errorf("Send afterwards: %v", err)
		}
		if _, err := w.Recv(); !errors.Is(err, ErrSilent) {
			t.Errorf("Recv afterwards: %v", err)
		}
	})
}

// The peer does not even read our pings.
func TestWebSocketPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		defer p.Close()
		begin := time.Now()
		if err := <-listen(w); !errors.Is(err, ErrSilent) {
			t.Fatalf("got %v", err)
		}
		if after := time.Since(begin); after > 85*time.Second {
			t.Errorf("noticed after %v", after)
		}
	})
}

// Case 188, the opposite: any data keeps the connection alive.
func TestWebSocketSignsOfLife(t *testing.T) {
	for name, live := range map[string]func(p *rawPeer){
		"pongs": func(p *rawPeer) {
			for {
				_, op, data, err := p.read()
				if err != nil || op == opPing && p.frame(true, opPong, string(data)) != nil {
					return
				}
			}
		},
		"late pongs": func(p *rawPeer) {
			for {
				_, op, data, err := p.read()
				if err != nil {
					return
				}
				if op == opPing {
					time.AfterFunc(14*time.Second, func() { p.frame(true, opPong, string(data)) })
				}
			}
		},
		"a long message on a slow line": func(p *rawPeer) {
			go p.readLoop()
			if p.frame(false, opText, `"`) != nil {
				return
			}
			for p.frame(false, opMore, "x") == nil {
				time.Sleep(10 * time.Second)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, p := wsPipe(t, Remote{})
				var peer sync.WaitGroup
				peer.Go(func() { live(p) })
				end := listen(w)
				select {
				case err := <-end:
					t.Errorf("ended: %v", err)
				case <-time.After(time.Hour):
				}
				w.Close()
				p.Close()
				peer.Wait()
			})
		})
	}
}

// While Recv is not called, silence is not the peer's fault.
func TestWebSocketConnectionRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		go p.readLoop()
		time.Sleep(time.Hour)
		go p.frame(true, opText, "late")
		wantMessage(t, w, "late")
	})
}

func TestWebSocketSendStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		defer p.Close()
		end := listen(w)
		begin := time.Now()
		err := w.Send(Message{Data: make([]byte, 1<<20)})
		if !errors.Is(err, ErrSilent) || !strings.Contains(err.Error(), "1m0s") {
			t.Errorf("Send: %v", err)
		}
		if after := time.Since(begin); after != time.Minute {
			t.Errorf("after %v", after)
		}
		if err := <-end; !errors.Is(err, ErrSilent) {
			t.Errorf("Recv: %v", err)
		}
	})
}

// A slow line is not a stalled one, and pings do not interfere.
func TestWebSocketSendOnASlowLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := wsPipe(t, Remote{})
		defer w.Close()
		listen(w)
		begin := time.Now()
		sent := make(chan error, 1)
		go func() { sent <- w.Send(Message{Data: make([]byte, 1<<20)}) }()
		var peer sync.WaitGroup
		peer.Go(func() {
			for buf := make([]byte, 8<<10); ; {
				if _, err := p.Read(buf); err != nil {
					return
				}
				time.Sleep(4 * time.Second)
			}
		})
		if err := <-sent; err != nil {
			t.Error(err)
		}
		if after := time.Since(begin); after < 5*time.Minute {
			t.Fatalf("the test is void: sent in %v", after)
		}
		w.Close()
		p.Close()
		peer.Wait()
	})
}
