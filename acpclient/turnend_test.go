package acpclient_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/must"
)

// turnBook records the turns whose end was reported to services.
type turnBook struct {
	sessionBook
	ended []string
}

func (b *turnBook) EndTurn(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, id)
}

func (b *turnBook) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.ended)
}

// slowBook lets prompts wait.
type slowBook struct {
	sessionBook
	ready chan struct{}
}

func (b *slowBook) BeginTurn(string) <-chan struct{} { return b.ready }

// A prompt is sent when services are ready for its turn, or after a while; what is sent later comes after it.
func TestPromptWaits(t *testing.T) {
	for name, ready := range map[string]time.Duration{"ready": 30 * time.Millisecond, "never ready": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			book := &slowBook{sessionBook{open: map[string]int{}}, make(chan struct{})}
			a, c := greet(t, everything, map[string]string{"session/prompt": ""}, acpclient.Options{Services: acpclient.Services{Sessions: book}})
			s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
			before := len(a.heard())
			time.AfterFunc(ready, func() { close(book.ready) })
			must.Do(t, s.Prompt(event.Block{Text: "go"}))
			s.Cancel()
			delay := min(ready, acpclient.PromptDelay)
			time.Sleep(delay - time.Millisecond)
			if synctest.Wait(); len(a.heard()) != before {
				t.Errorf("%s: sent at once: %q", name, a.heard())
			}
			time.Sleep(2 * time.Millisecond)
			if synctest.Wait(); !slices.Equal(a.heard()[before:], []string{"session/prompt", "session/cancel"}) {
				t.Errorf("%s: sent %q", name, a.heard())
			}
			c.Close()
		})
	}
}

// Services are told when a turn has ended, in both versions, so that what was allowed
// for the turn ends with it.
func TestServicesSeeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &turnBook{sessionBook: sessionBook{open: map[string]int{}}}
		_, c := greet(t, everything, map[string]string{"session/prompt": `{"stopReason":"end_turn"}`}, acpclient.Options{Services: acpclient.Services{Sessions: book}})
		s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
		for n := 1; n <= 2; n++ {
			must.Do(t, s.Prompt(event.Block{Text: "go"}))
			if synctest.Wait(); book.count() != n {
				t.Errorf("v1: EndTurn was called %d times after %d turns", book.count(), n)
			}
		}
		c.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		book := &turnBook{sessionBook: sessionBook{open: map[string]int{}}}
		a, conn := newV2Agent(t, nil)
		c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Name: "parley", Version: "0", Protocol: "2", Sink: event.NewQueue(), Services: acpclient.Services{Sessions: book}}))(t)
		defer c.Close()
		must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"}))(t)
		a.update(running)
		if synctest.Wait(); book.count() != 0 {
			t.Error("v2: EndTurn was called while the turn runs")
		}
		a.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
		if synctest.Wait(); book.count() != 1 {
			t.Errorf("v2: EndTurn was called %d times", book.count())
		}
	})
}
