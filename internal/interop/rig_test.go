//go:build unix

package interop

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/wire"
	"parley/internal/host"
	"parley/internal/must"
	"parley/internal/testclient"
)

// patience bounds every wait; only a failing test uses it up.
const patience = testclient.Patience

// peer is one agent under test.
type peer struct {
	sdk
	flags []string
	v2    bool
	tag   string // its name in its own texts

	scheme string // of its URL; "" if it is started over stdio
	serve  bool   // served by parley, otherwise by the SDK
}

var (
	goPeer = peer{sdk: goSDK, tag: "go"}
	tsPeer = peer{sdk: tsSDK, tag: "ts"}
	pyPeer = peer{sdk: pySDK, tag: "py"}
	tsV2   = peer{sdk: tsSDK, tag: "ts", flags: []string{"--v2"}, v2: true}

	peers = []peer{goPeer, tsPeer, pyPeer, tsHTTP, tsWS, goHTTP, goWS}
)

// each runs a test with every agent.
func each(t *testing.T, test func(*testing.T, peer)) {
	t.Helper()
	t.Parallel()
	for _, p := range peers {
		t.Run(p.label(), func(t *testing.T) {
			p.need(t)
			t.Parallel()
			test(t, p)
		})
	}
}

// rig is parley without a screen, with one agent.
type rig struct {
	*testclient.Client
	t       *testing.T
	dir     string // the session's directory, which contains notes.txt and sub
	written []event.FileWritten
}

// notes is the initial content of notes.txt.
const notes = "one\ntwo\nthree\n"

// connect starts the agent and initializes it.
func connect(t *testing.T, p peer) *rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "sub"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "notes.txt"), []byte(notes), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Client: testclient.New(t, host.Options{Agent: p.name}), t: t, dir: dir}
	r.Seen = func(e event.Event) {
		if e, ok := e.(event.FileWritten); ok {
			r.written = append(r.written, e)
		}
	}
	opts := r.Options()
	if p.v2 {
		offerV2(&opts)
	}
	if p.scheme != "" {
		r.Conn, err = r.dial(p, opts)
	} else {
		command := slices.Concat(p.need(t), p.flags)
		r.Conn, err = acpclient.Launch(r.ctx(), acpclient.AgentCommand{Path: command[0], Args: command[1:], Dir: dir}, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// open connects and opens a session.
func open(t *testing.T, p peer) *rig {
	t.Helper()
	r := connect(t, p)
	r.Session = must.Get(r.Conn.NewSession(r.ctx(), r.newSession()))(t)
	r.Apply()
	return r
}

func (r *rig) newSession() acpclient.NewSession {
	return acpclient.NewSession{Cwd: r.dir, MCP: []acpclient.MCPServer{
		{Name: "probe", Type: "stdio", Command: "/bin/true", Args: []string{"a b", "c"}, Env: []wire.EnvVar{{Name: "KEY", Value: "v=1"}}}}}
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.t.Cleanup(cancel)
	return ctx
}

// close ends the agent and checks that the log is empty: parley could use every message, and the
// SDK had no complaint about parley.
func (r *rig) close() {
	if r.Apply(); r.Lost != nil {
		r.t.Errorf("disconnected: %v", r.Lost)
	}
	r.Conn.Close()
	for _, note := range r.Notes() {
		r.t.Errorf("log: %s", note)
	}
}

// prompt sends a prompt and follows the turn to its end.
func (r *rig) prompt(text string, more ...event.Block) *thread.End {
	r.t.Helper()
	r.Start(text, more...)
	end := r.Finish()
	if got := r.Said(); strings.Contains(got, "FAIL") {
		r.t.Errorf("%s: the agent says %s", text, got)
	}
	return end
}

// says sends a prompt and checks that the turn ends normally with the answer want.
func (r *rig) says(text, want string, more ...event.Block) {
	r.t.Helper()
	end := r.prompt(text, more...)
	if end.StopReason != "end_turn" || end.Err != nil {
		r.t.Errorf("%s: ended with %q, %v", text, end.StopReason, end.Err)
	}
	if got := r.Said(); got != want {
		r.t.Errorf("%s: the agent said %.200q, want %.200q", text, got, want)
	}
}

func (r *rig) transcript() string {
	var out []string
	for _, it := range r.Thread.Items {
		out = append(out, string(it.Text))
	}
	return strings.Join(out, "\n")
}

func (r *rig) read(name string) string {
	r.t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(r.dir, name)))(r.t)
	return string(data)
}
