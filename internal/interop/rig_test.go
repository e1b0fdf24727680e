//go:build unix

package interop

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/wire"
	"parley/internal/host"
	"parley/permissions"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 60 * time.Second

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
	t       *testing.T
	dir     string // the session's directory, which contains notes.txt and sub
	client  *acpclient.Client
	host    *host.Host
	queue   *event.Queue
	log     *event.Log
	session *acpclient.Session
	thread  *thread.Thread

	// asked returns the kind of option to choose for a question, or "" to leave it open. If asked
	// is nil, every question is a failure.
	asked func(permissions.Question) string
	// seen is called after every event of the session.
	seen func(event.Event)

	questions []permissions.Question
	written   []event.FileWritten
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
	r := &rig{t: t, dir: dir, queue: event.NewQueue(), log: event.NewLog(), thread: thread.New("")}
	r.host = host.New(host.Options{Sink: r.queue, Agent: p.name})
	t.Cleanup(r.host.Close)
	opts := acpclient.Options{Name: "parley", Version: "1.2.3", Sink: r.queue, Services: r.host.Services(), Log: r.log}
	if p.v2 {
		offerV2(&opts)
	}
	if p.scheme != "" {
		r.client, err = r.dial(p, opts)
	} else {
		command := slices.Concat(p.need(t), p.flags)
		r.client, err = acpclient.Launch(r.ctx(), acpclient.AgentCommand{Path: command[0], Args: command[1:], Dir: dir}, opts)
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
	var err error
	if r.session, err = r.client.NewSession(r.ctx(), r.newSession()); err != nil {
		t.Fatal(err)
	}
	r.apply()
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
	r.client.Close()
	lines, _ := r.log.Lines()
	for _, l := range lines {
		r.t.Errorf("log: %s: %s", l.Source, l.Text)
	}
}

// apply handles the queued events.
func (r *rig) apply() {
	for _, e := range r.queue.Drain() {
		switch e := e.(type) {
		case permissions.Asked:
			r.question(e.Question)
			continue
		case permissions.Settled:
			continue
		case event.FileWritten:
			r.written = append(r.written, e)
		case event.Disconnected:
			r.t.Fatalf("disconnected: %v", e.Err)
		}
		ours := r.session == nil || e.EventSession() == r.session.ID()
		if ours {
			r.thread.Apply(e)
		}
		if ours && r.seen != nil {
			r.seen(e)
		}
	}
}

func (r *rig) question(q permissions.Question) {
	r.questions = append(r.questions, q)
	if r.asked == nil {
		r.t.Errorf("asked %q", q.Heading)
		r.host.Broker().Cancel(q.Key)
		return
	}
	kind := r.asked(q)
	if kind == "" {
		return
	}
	for _, o := range q.Options {
		if o.Kind == kind {
			if err := r.host.Broker().Answer(q.Key, o.ID); err != nil {
				r.t.Errorf("answer %q: %v", q.Heading, err)
			}
			return
		}
	}
	r.t.Errorf("%q has no option of kind %s: %+v", q.Heading, kind, q.Options)
}

// until applies events until the condition holds.
func (r *rig) until(what string, holds func() bool) {
	r.t.Helper()
	deadline := time.After(patience)
	for {
		r.apply()
		if holds() {
			return
		}
		select {
		case <-r.queue.Ready():
		case <-deadline:
			lines, _ := r.log.Lines()
			r.t.Fatalf("%s: not in %s; the transcript: %s; the log: %v", what, patience, r.transcript(), lines)
		}
	}
}

// prompt sends a prompt and follows the turn to its end.
func (r *rig) prompt(text string, more ...event.Block) *thread.End {
	r.t.Helper()
	if err := r.session.Prompt(append([]event.Block{{Text: text}}, more...)...); err != nil {
		r.t.Fatal(err)
	}
	turn := r.thread.Turn + 1
	var end *thread.End
	r.until("the end of "+text, func() bool {
		for _, it := range r.thread.Items {
			if it.Kind == thread.TurnEnd && it.Turn == turn {
				end = it.End
			}
		}
		return end != nil
	})
	if got := r.said(); strings.Contains(got, "FAIL") {
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
	if got := r.said(); got != want {
		r.t.Errorf("%s: the agent said %.200q, want %.200q", text, got, want)
	}
}

// said returns the agent's text in the last turn.
func (r *rig) said() string { return string(r.texts(thread.AgentMessage)) }

func (r *rig) texts(kind thread.Kind) (out []byte) {
	for _, it := range r.items(kind) {
		out = append(out, it.Text...)
	}
	return out
}

// items returns the items of one kind in the last turn.
func (r *rig) items(kind thread.Kind) (out []*thread.Item) {
	for _, it := range r.thread.Items {
		if it.Kind == kind && it.Turn == r.thread.Turn {
			out = append(out, it)
		}
	}
	return out
}

func (r *rig) transcript() string {
	var out []string
	for _, it := range r.thread.Items {
		out = append(out, string(it.Text))
	}
	return strings.Join(out, "\n")
}

func (r *rig) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}
