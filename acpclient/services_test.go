package acpclient_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/must"
)

// sessionBook records what services are told about sessions.
type sessionBook struct {
	mu         sync.Mutex
	open       map[string]int
	resumed    []string // sessions that were opened as resumed
	fail       error
	beforeNote func(id string) // called before a session is noted; may be nil
}

func (b *sessionBook) BeginTurn(string) <-chan struct{} { return nil }

func (b *sessionBook) EndTurn(string) {}

func (b *sessionBook) OpenSession(id string, _ []string, resumed bool) error {
	if b.beforeNote != nil {
		b.beforeNote(id)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail == nil {
		b.open[id]++
	}
	if resumed {
		b.resumed = append(b.resumed, id)
	}
	return b.fail
}

func (b *sessionBook) CloseSession(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[id]--
}

// If two calls open the same id at once, in different directories, the first one gets
// it.
func TestOneSessionForAnID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &sessionBook{open: map[string]int{}}
		_, c := greet(t, everything, nil, acpclient.Options{Services: acpclient.Services{Sessions: book}})
		defer c.Close()
		var second error
		book.beforeNote = func(string) {
			book.beforeNote = nil
			_, second = c.LoadSession(t.Context(), "same", acpclient.NewSession{Cwd: "/elsewhere"})
		}
		if _, err := c.LoadSession(t.Context(), "same", acpclient.NewSession{Cwd: "/"}); err != nil {
			t.Error(err)
		}
		if !errors.Is(second, acpclient.ErrSessionOpen) || book.open["same"] != 1 {
			t.Errorf("the second: %v; opened %d times", second, book.open["same"])
		}
	})
}

// However a session ends, its services are told so once. A session that they refuse is
// never requested.
func TestServicesSeeSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &sessionBook{open: map[string]int{}}
		a, c := greet(t, everything, map[string]string{"session/close": "", "session/resume": `"error":{"code":1,"message":"no"}`}, acpclient.Options{Services: acpclient.Services{Sessions: book}})
		n := acpclient.NewSession{Cwd: "/"}
		s := must.Get(c.LoadSession(t.Context(), "given up", n))(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the agent never answers
		defer cancel()
		if err := c.CloseSession(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close: %v", err)
		}
		if err := s.SetMode(t.Context(), "a"); !errors.Is(err, acpclient.ErrSessionClosed) {
			t.Errorf("set the mode: %v", err)
		}
		if _, err := c.ResumeSession(t.Context(), "refused", n); err == nil {
			t.Error("resumed")
		}
		if _, err := c.LoadSession(t.Context(), "given up", n); err != nil { // again
			t.Error(err)
		}
		book.mu.Lock()
		if book.open["given up"] != 1 || book.open["refused"] != 0 {
			t.Errorf("open: %v", book.open)
		}
		book.fail = errors.New("no such directory")
		book.mu.Unlock()
		before := len(a.heard())
		if _, err := c.LoadSession(t.Context(), "other", n); err == nil || err.Error() != "load the session: no such directory" {
			t.Errorf("load: %v", err)
		}
		if after := a.heard(); len(after) != before {
			t.Errorf("the agent was asked %q", after[before:])
		}
		book.mu.Lock()
		book.fail = nil
		book.mu.Unlock()
		if _, err := c.NewSession(t.Context(), n); err != nil {
			t.Error(err)
		}
		c.Close()
		if want := []string{"given up", "refused", "given up", "other"}; !slices.Equal(book.resumed, want) {
			t.Errorf("resumed: %q", book.resumed)
		}
		if book.mu.Lock(); book.open["given up"] != 0 || book.open["other"] != 0 {
			t.Errorf("open at the end: %v", book.open)
		}
		book.mu.Unlock()
	})
}
