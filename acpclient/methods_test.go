package acpclient_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
	"parley/internal/safetext"
)

// greet connects an engine to an agent with these capabilities. The engine is closed
// when the test ends.
func greet(t *testing.T, capabilities string, answers map[string]string, o acpclient.Options) (*wireAgent, *acpclient.Client) {
	t.Helper()
	a, conn := newWireAgent(t, answers)
	a.set("initialize", `{"protocolVersion":1,"agentCapabilities":`+capabilities+`,"authMethods":[{"id":"oauth","name":"Log in"}]}`)
	if o.Sink == nil {
		o.Sink = event.NewQueue()
	}
	c := must.Get(acpclient.Connect(t.Context(), conn, o))(t)
	t.Cleanup(func() { c.Close() })
	return a, c
}

const everything = `{"loadSession":true,"auth":{"logout":{}},"sessionCapabilities":{"list":{},"delete":{},"resume":{},"close":{},"fork":{}}}`

// A null result means that nothing was reported: the turn has ended without a reason. A
// result that is not an object is an error.
func TestResultsThatAreNotObjects(t *testing.T) {
	for result, want := range map[string]string{
		`null`:       "",
		`{}`:         "",
		`"end_turn"`: "prompt: the peer sent an invalid response to session/prompt: its result is not an object",
		`7`:          "prompt: the peer sent an invalid response to session/prompt: its result is not an object",
	} {
		t.Run(result, func(t *testing.T) {
			queue := event.NewQueue()
			_, c := greet(t, `{}`, map[string]string{"session/prompt": result}, acpclient.Options{Sink: queue})
			s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
			must.Do(t, s.Prompt(event.Block{Text: "hello"}))
			var end event.TurnEnded
			for over := false; !over; {
				<-queue.Ready()
				for _, e := range queue.Drain() {
					if e, ok := e.(event.TurnEnded); ok {
						end, over = e, true
					}
				}
			}
			got := ""
			if end.Err != nil {
				got = end.Err.Error()
			}
			if got != want || end.StopReason != "" {
				t.Errorf("the turn ended with %q, %q; want %q", got, end.StopReason, want)
			}
		})
	}
}

// An answer without a session id opens no session.
func TestNewSessionWithoutAnID(t *testing.T) {
	for _, result := range []string{`null`, `{}`, `{"sessionId":null}`, `{"sessionId":""}`} {
		_, c := greet(t, `{}`, map[string]string{"session/new": result}, acpclient.Options{Sink: event.NewQueue()})
		if s, err := c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}); err == nil {
			t.Errorf("%s opened %q", result, s.ID())
		} else if !strings.Contains(err.Error(), "sessionId") {
			t.Errorf("%s: got %v", result, err)
		}
	}
}

// For each advertised capability exactly its methods are sent; the others return
// ErrUnsupported.
func TestCase57EachCapabilityAlone(t *testing.T) {
	calls := map[string]func(*acpclient.Client, context.Context) error{
		"session/list":   func(c *acpclient.Client, ctx context.Context) error { _, err := c.ListSessions(ctx, ""); return err },
		"session/delete": func(c *acpclient.Client, ctx context.Context) error { return c.DeleteSession(ctx, "x") },
		"session/load": func(c *acpclient.Client, ctx context.Context) error {
			_, err := c.LoadSession(ctx, "x", acpclient.NewSession{Cwd: "/"})
			return err
		},
		"session/resume": func(c *acpclient.Client, ctx context.Context) error {
			_, err := c.ResumeSession(ctx, "y", acpclient.NewSession{Cwd: "/"})
			return err
		},
		"session/fork": func(c *acpclient.Client, ctx context.Context) error {
			_, err := c.ForkSession(ctx, "z", acpclient.NewSession{Cwd: "/"})
			return err
		},
		"logout": func(c *acpclient.Client, ctx context.Context) error { return c.LogOut(ctx) },
	}
	for advertised, capability := range map[string]string{
		"session/list": `{"sessionCapabilities":{"list":{}}}`, "session/delete": `{"sessionCapabilities":{"delete":true}}`,
		"session/load": `{"loadSession":true}`, "session/resume": `{"sessionCapabilities":{"resume":{}}}`,
		"session/fork": `{"sessionCapabilities":{"fork":{"x":1}}}`, "logout": `{"auth":{"logout":{}}}`, "": `{}`,
	} {
		t.Run(advertised, func(t *testing.T) {
			a, c := greet(t, capability, map[string]string{"session/fork": `{"sessionId":"copy"}`, "session/list": `{"sessions":[]}`}, acpclient.Options{})
			for method, call := range calls {
				err := call(c, t.Context())
				if method == advertised && err != nil || method != advertised && !errors.Is(err, acpclient.ErrUnsupported) {
					t.Errorf("%s: got %v", method, err)
				}
			}
			want := []string{"initialize"}
			if advertised != "" {
				want = append(want, advertised)
			}
			if got := a.heard(); !slices.Equal(got, want) {
				t.Errorf("the agent was asked %q, want %q", got, want)
			}
		})
	}
}

// Cases 67 and 71: errors of every method are recognized by their code, whatever the
// text, and the call can be repeated.
func TestCase67LoginRequiredByCode(t *testing.T) {
	refusal := `"error":{"code":-32000,"message":"\u001b[2Jwhatever","data":{"details":"x"}}`
	refused := map[string]string{"session/new": refusal, "session/load": refusal, "session/resume": refusal, "session/fork": refusal, "session/list": refusal, "session/delete": refusal}
	a, c := greet(t, everything, refused, acpclient.Options{})
	n := acpclient.NewSession{Cwd: "/project"}
	calls := map[string]func() error{
		"session/new":    func() error { _, err := c.NewSession(t.Context(), n); return err },
		"session/load":   func() error { _, err := c.LoadSession(t.Context(), "a", n); return err },
		"session/resume": func() error { _, err := c.ResumeSession(t.Context(), "b", n); return err },
		"session/fork":   func() error { _, err := c.ForkSession(t.Context(), "c", n); return err },
		"session/list":   func() error { _, err := c.ListSessions(t.Context(), ""); return err },
		"session/delete": func() error { return c.DeleteSession(t.Context(), "d") },
	}
	for method, call := range calls {
		err := call()
		var refused *event.AgentError
		if !errors.As(err, &refused) || !refused.AuthRequired() || safetext.Line(err.Error(), 1000) != err.Error() {
			t.Errorf("%s: got %q", method, err)
		}
	}
	must.Do(t, c.Authenticate(t.Context(), "oauth"))
	a.mu.Lock()
	clear(a.answers)
	a.mu.Unlock()
	a.set("session/new", `{"sessionId":"n"}`)
	a.set("session/fork", `{"sessionId":"f"}`)
	for method, call := range calls {
		if err := call(); err != nil {
			t.Errorf("%s after the login: %v", method, err)
		}
	}
}

// A list with empty pages and always new cursors ends, too.
func TestCase75EndlessList(t *testing.T) {
	full := ""
	for i := range 100 {
		full += fmt.Sprintf(`,{"sessionId":"$n-%d","cwd":"/"}`, i)
	}
	for _, c := range []struct {
		name, page string
		listed     int
	}{{"empty pages", "", 0}, {"full pages", full[1:], 10_000}} {
		t.Run(c.name, func(t *testing.T) {
			_, client := greet(t, everything, map[string]string{"session/list": `{"sessions":[` + c.page + `],"nextCursor":"$n"}`}, acpclient.Options{})
			listed, err := client.ListSessions(t.Context(), "")
			if !errors.Is(err, acpclient.ErrListTooLong) || len(listed) != c.listed {
				t.Errorf("%d sessions, %v", len(listed), err)
			}
		})
	}
}

// Case 96 in the thread: with options there are no modes, whatever the agent reports as
// the mode.
func TestCase96NoModesWithOptions(t *testing.T) {
	r := acptest.Run(t, acptest.Read(t, scripts+"/case96_options_and_modes.txtar"))
	with, without := thread.New("s1"), thread.New("s2")
	for _, e := range r.Events {
		switch e.EventSession() {
		case "s1":
			with.Apply(e)
		case "s2":
			without.Apply(e)
		}
	}
	if len(with.Modes) != 0 || len(with.Config) != 1 || with.Config[0].Current != "ask" {
		t.Errorf("with options: %v %v", with.Modes, with.Config)
	}
	if len(without.Modes) != 2 || without.Mode != "auto" || len(without.Config) != 0 {
		t.Errorf("without: %v %q %v", without.Modes, without.Mode, without.Config)
	}
}

func TestOptionWithoutType(t *testing.T) {
	a, c := greet(t, everything, nil, acpclient.Options{})
	s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
	if err := s.SetOption(t.Context(), "x", 5); err == nil {
		t.Error("a number is accepted")
	}
	if got := a.heard(); slices.Contains(got, "session/set_config_option") {
		t.Errorf("the agent was asked %q", got)
	}
}

// A load that is given up while its answer arrives either opens the session or leaves
// nothing of it. Its history ends once, and nothing follows.
func TestLoadGivenUpInARace(t *testing.T) {
	var mu sync.Mutex
	ended := map[string]int{}
	book := &sessionBook{open: map[string]int{}}
	a, c := greet(t, everything, nil, acpclient.Options{Services: acpclient.Services{Sessions: book}, Sink: sinkFunc(func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch e := e.(type) {
		case event.HistoryEnded:
			ended[e.Session]++
		case event.ConfigChanged:
			if ended[e.Session] > 0 {
				t.Errorf("%s: options after the end", e.Session)
			}
		}
	})})
	a.set("session/load", `{"configOptions":[{"id":"a","name":"A","type":"boolean","currentValue":true}]}`)
	opened := 0
	for i := range 2000 {
		id := fmt.Sprint("old", i)
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		s, err := c.LoadSession(ctx, id, acpclient.NewSession{Cwd: "/"})
		mu.Lock()
		if ended[id] != 1 {
			t.Fatalf("the history ended %d times", ended[id])
		}
		mu.Unlock()
		book.mu.Lock()
		if open := book.open[id]; (s != nil) != (open == 1) || (s == nil) != (err != nil) {
			t.Fatalf("%v, %v, open %d times", s, err, open)
		}
		book.mu.Unlock()
		if s != nil {
			opened++
		}
	}
	t.Logf("%d of 2000 were opened", opened)
}

// LoadSession returns after the history has ended, even if the agent answers first or,
// over HTTP, the answer overtakes the history. It does not wait forever for an agent
// that keeps sending.
func TestCase183LateHistory(t *testing.T) {
	for name, c := range map[string]struct {
		pieces int
		pause  time.Duration
		within time.Duration
		whole  bool
	}{
		"at once": {0, 0, 200 * time.Millisecond, true}, "late": {20, 10 * time.Millisecond, 400 * time.Millisecond, true}, "endless": {1000, 20 * time.Millisecond, 4 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := event.NewStepQueue()
				a, client := greet(t, everything, nil, acpclient.Options{Sink: q})
				var replaying sync.WaitGroup
				defer replaying.Wait()
				replaying.Go(func() {
					for i := range c.pieces {
						time.Sleep(c.pause)
						a.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"x"}}}`, i))
					}
				})
				began := time.Now()
				must.Get(client.LoadSession(t.Context(), "old", acpclient.NewSession{Cwd: "/"}))(t)
				if took := time.Since(began); took > c.within {
					t.Errorf("it took %v", took)
				}
				came, over := 0, false
				for _, e := range q.Drain() {
					switch e.(type) {
					case event.ToolChanged:
						came++
					case event.HistoryEnded:
						over = true
					}
				}
				if !over || (came == c.pieces) != c.whole {
					t.Errorf("%d of %d pieces, ended: %v", came, c.pieces, over)
				}
			})
		})
	}
}

// Cases 141 and 142 in the thread: a notice keeps its severity, and a compaction is one
// item at the place where it first appeared.
func TestCase142CompactionIsOneItem(t *testing.T) {
	for script, want := range map[string][]string{
		"case141_notices": {"notice MCP server db is down: connection refused|error", "user hello|", "notice Slow today|_acme"},
		"case142_compaction": {"agent before|", "notice the context was compacted|we talked", "agent after|",
			"notice compacting the context went wrong: out of tokens|"},
	} {
		th := thread.New("s1")
		for _, e := range acptest.Run(t, acptest.Read(t, scripts+"/"+script+".txtar")).Events {
			th.Apply(e)
		}
		var got []string
		for _, it := range th.Items {
			if it.Kind == thread.TurnEnd {
				continue
			}
			kind := map[thread.Kind]string{thread.UserMessage: "user", thread.AgentMessage: "agent", thread.Notice: "notice"}[it.Kind]
			got = append(got, kind+" "+string(it.Text)+"|"+it.Detail+it.Severity)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
}
