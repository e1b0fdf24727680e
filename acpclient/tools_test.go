package acpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/must"
)

// toolOffers is acpclient.Tools. It records what happens to each offer.
type toolOffers struct {
	err error

	mu    sync.Mutex
	notes []string
	n     int
}

type toolOffer struct {
	of *toolOffers
	n  int
}

func (o *toolOffers) Offer(cwd string) (acpclient.MCPServer, acpclient.Offer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return acpclient.MCPServer{}, nil, o.err
	}
	o.n++
	o.notes = append(o.notes, fmt.Sprintf("offer %d in %s", o.n, cwd))
	return acpclient.MCPServer{Name: "parley", Command: "/bin/parley", Args: []string{"mcp"}, Env: []wire.EnvVar{{Name: "TOKEN", Value: fmt.Sprint(o.n)}}}, &toolOffer{o, o.n}, nil
}

func (o *toolOffers) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, fmt.Sprintf(format, args...))
}

// drain returns the records since the last call, in one line.
func (o *toolOffers) drain() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Join(o.notes, ", ")
	o.notes = nil
	return all
}

func (o *toolOffer) Bind(session string) { o.of.note("bind %d to %s", o.n, session) }
func (o *toolOffer) Cancel()             { o.of.note("cancel %d", o.n) }
func (o *toolOffer) Withdraw()           { o.of.note("withdraw %d", o.n) }

// offering runs a test with an agent of v2 and a client that offers tools.
func offering(t *testing.T, answers map[string]string, test func(*testing.T, *acpclient.Client, *wireAgent, *toolOffers)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a, conn := newV2Agent(t, answers)
		tools := &toolOffers{}
		c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Name: "parley", Version: "0", Protocol: "auto", Sink: event.NewQueue(),
			Services: acpclient.Services{Tools: tools.Offer, Permissions: &cancelNoter{tools}}}))(t)
		defer c.Close()
		test(t, c, a, tools)
	})
}

// cancelNoter records when the questions of a session are cancelled.
type cancelNoter struct{ tools *toolOffers }

func (c *cancelNoter) Ask(acpclient.Question) acpclient.PendingQuestion { panic("unexpected question") }
func (c *cancelNoter) CancelSession(id string)                          { c.tools.note("questions of %s", id) }

func wantNotes(t *testing.T, tools *toolOffers, want string) {
	t.Helper()
	synctest.Wait()
	if got := tools.drain(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

const offered = `{"type":"stdio","name":"parley","command":"/bin/parley","args":["mcp"],"env":[{"name":"TOKEN","value":"%d"}]}`

func wantServers(t *testing.T, m rpc, want ...string) {
	t.Helper()
	var p struct{ MCPServers []json.RawMessage }
	must.Do(t, json.Unmarshal(m.Params, &p))
	var got []string
	for _, s := range p.MCPServers {
		got = append(got, string(s))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the servers %q, want %q", m.Method, got, want)
	}
}

func TestToolsOfNewSession(t *testing.T) {
	offering(t, map[string]string{"session/new": ""}, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
		opened := make(chan *acpclient.Session, 1)
		go func() {
			s, err := c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"})
			if err != nil {
				t.Error(err)
			}
			opened <- s
		}()
		wantServers(t, a.got("session/new")[0], fmt.Sprintf(offered, 1))
		wantNotes(t, tools, "offer 1 in /w")
		a.answer("session/new", 0, `"result":{"sessionId":"s"}`)
		s := <-opened
		wantNotes(t, tools, "bind 1 to s")
		if err := c.CloseSession(t.Context(), s); err != nil {
			t.Error(err)
		}
		// The offer ends first, so that calls know why their questions end.
		if got := tools.drain(); !strings.HasPrefix(got, "withdraw 1, questions of s") {
			t.Errorf("got %q", got)
		}
	})
}

// The id of a session that is opened again is known before the request: its tools may be
// called during the replay.
func TestToolsOfResumedSession(t *testing.T) {
	offering(t, map[string]string{"session/resume": ""}, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
		for n, open := range []func(context.Context, string, acpclient.NewSession) (*acpclient.Session, error){c.ResumeSession, c.LoadSession} {
			go open(t.Context(), fmt.Sprint("old", n), acpclient.NewSession{Cwd: "/w"})
			wantServers(t, a.got("session/resume")[n], fmt.Sprintf(offered, n+1))
			wantNotes(t, tools, fmt.Sprintf("offer %d in /w, bind %d to old%d", n+1, n+1, n))
			a.answer("session/resume", n, `"result":{}`)
			wantNotes(t, tools, "")
		}
	})
}

func TestToolsNextToOtherServers(t *testing.T) {
	offering(t, nil, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
		theirs := []acpclient.MCPServer{{Name: "parley", Command: "/bin/mine"}, {Name: "parley-2", Command: "/bin/mine"}, {}}[:2]
		must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w", MCP: theirs}))(t)
		mine := func(name string) string {
			return `{"type":"stdio","name":"` + name + `","command":"/bin/mine","args":[],"env":[]}`
		}
		wantServers(t, a.got("session/new")[0], mine("parley"), mine("parley-2"), strings.Replace(fmt.Sprintf(offered, 1), `"parley"`, `"parley-3"`, 1))
		if theirs[:3][2].Name != "" {
			t.Error("the list of the caller was written to")
		}
	})
}

func TestToolsOfSessionThatFails(t *testing.T) {
	offering(t, map[string]string{"session/new": "error -32603 null", "session/resume": "error -32603 null"}, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
		n := acpclient.NewSession{Cwd: "/w"}
		if _, err := c.NewSession(t.Context(), n); err == nil {
			t.Fatal("it opens")
		}
		wantNotes(t, tools, "offer 1 in /w, withdraw 1")
		if _, err := c.ResumeSession(t.Context(), "old", n); err == nil {
			t.Fatal("it opens")
		}
		if got := tools.drain(); !strings.HasPrefix(got, "offer 2 in /w, bind 2 to old, withdraw 2, questions of old") {
			t.Errorf("got %q", got)
		}
	})
}

// An answer after the caller has given up binds no offer.
func TestToolsOfSessionGivenUp(t *testing.T) {
	offering(t, map[string]string{"session/new": ""}, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
		ctx, giveUp := context.WithCancel(t.Context())
		go c.NewSession(ctx, acpclient.NewSession{Cwd: "/w"})
		wantNotes(t, tools, "offer 1 in /w")
		giveUp()
		wantNotes(t, tools, "withdraw 1")
		a.answer("session/new", 0, `"result":{"sessionId":"s"}`)
		wantNotes(t, tools, "")
	})
}

// A second session with the same id is refused.
func TestToolsOfSessionThatIsOpen(t *testing.T) {
	offering(t, nil, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
		for range 2 {
			c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"})
		}
		wantNotes(t, tools, "offer 1 in /w, bind 1 to s, offer 2 in /w, withdraw 2")
	})
}

func TestToolsEndWithConnection(t *testing.T) {
	offering(t, nil, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
		must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"}))(t)
		tools.drain()
		a.conn.Close()
		wantNotes(t, tools, "withdraw 1, questions of s")
	})
}

// Background work of the agent may include a tool call.
func TestToolsOfCancelledTurn(t *testing.T) {
	for _, tc := range []struct{ state, want string }{
		{`{"sessionUpdate":"state_update","state":"running"}`, "cancel 1"},
		{`{"sessionUpdate":"state_update","state":"running","background":[{"type":"tool_call","toolCallId":"t"}]}`, ""},
	} {
		offering(t, nil, func(t *testing.T, c *acpclient.Client, a *wireAgent, tools *toolOffers) {
			s := must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"}))(t)
			a.update(tc.state)
			synctest.Wait()
			tools.drain()
			s.Cancel()
			wantNotes(t, tools, tc.want)
		})
	}
}

func TestToolsNotOffered(t *testing.T) {
	for name, tc := range map[string]struct {
		protocol, hello, log string
		err                  error
	}{
		"v1":                {protocol: "1", hello: `{"protocolVersion":1,"agentCapabilities":{}}`},
		"v1 after an offer": {protocol: "auto", hello: `{"protocolVersion":1,"agentCapabilities":{}}`},
		"no stdio":          {protocol: "2", hello: strings.Replace(v2Hello, `"stdio":{}`, ``, 1), log: "files and commands are not offered: the agent starts no MCP servers"},
		"no socket":         {protocol: "2", hello: v2Hello, err: errors.New("make a socket: no\x07 space"), log: "files and commands are not offered: make a socket: no space"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, conn := newV2Agent(t, map[string]string{"initialize": tc.hello})
				tools, log := &toolOffers{err: tc.err}, event.NewLog()
				c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Name: "parley", Version: "0", Protocol: tc.protocol, Sink: event.NewQueue(), Log: log,
					Services: acpclient.Services{Tools: tools.Offer}}))(t)
				defer c.Close()
				must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/w"}))(t)
				wantServers(t, a.got("session/new")[0])
				wantNotes(t, tools, "")
				lines, _ := log.Lines()
				found := slices.ContainsFunc(lines, func(l event.LogLine) bool { return l.Text == tc.log })
				if tc.log != "" != found || tc.log == "" && len(lines) > 0 {
					t.Errorf("the log says %+v, want %q", lines, tc.log)
				}
			})
		})
	}
}

// refusing is an acpclient.Sessions that refuses every session.
type refusing struct{}

func (refusing) BeginTurn(string) <-chan struct{}         { return nil }
func (refusing) EndTurn(string)                           {}
func (refusing) OpenSession(string, []string, bool) error { return errors.New("no room") }
func (refusing) CloseSession(string)                      {}

func TestToolsOfSessionThatServicesRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, conn := newV2Agent(t, nil)
		tools := &toolOffers{}
		c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Name: "parley", Version: "0", Protocol: "2", Sink: event.NewQueue(),
			Services: acpclient.Services{Tools: tools.Offer, Sessions: refusing{}}}))(t)
		defer c.Close()
		n := acpclient.NewSession{Cwd: "/w"}
		_, newErr := c.NewSession(t.Context(), n)
		_, oldErr := c.ResumeSession(t.Context(), "old", n)
		if newErr == nil || oldErr == nil {
			t.Error(newErr, oldErr)
		}
		wantNotes(t, tools, "offer 1 in /w, withdraw 1, offer 2 in /w, withdraw 2")
	})
}
