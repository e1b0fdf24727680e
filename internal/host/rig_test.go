package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/must"
	"parley/permissions"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 20 * time.Second

// sink records events and wakes waiters.
type sink struct {
	mu     sync.Mutex
	events []event.Event
	more   chan struct{} // closed and replaced with every event
}

func newSink() *sink { return &sink{more: make(chan struct{})} }

func (s *sink) Post(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	close(s.more)
	s.more = make(chan struct{})
}

// find waits for a matching event.
func find[E event.Event](t *testing.T, s *sink, what string, want func(E) bool) E {
	t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		events, more := s.events, s.more
		s.mu.Unlock()
		for _, e := range events {
			if e, ok := e.(E); ok && want(e) {
				return e
			}
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("no %s; got %+v", what, events)
		}
	}
}

// count returns how many events of a type were posted.
func count[E event.Event](s *sink) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, e := range s.events {
		if _, ok := e.(E); ok {
			n++
		}
	}
	return n
}

const theSession = "s1"

// rig is a host with one session in its own directory.
type rig struct {
	t        *testing.T
	host     *Host
	services acpclient.Services
	sink     *sink
	root     string // without links
	outside  string
	keys     map[uint64]bool // of the questions that the test has seen
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, sink: newSink(), root: realDir(t), outside: realDir(t), keys: map[uint64]bool{}}
	r.host = New(Options{Sink: r.sink, Agent: "test"})
	t.Cleanup(r.host.Close)
	r.services = r.host.Services()
	must.Do(t, r.services.Sessions.OpenSession(theSession, []string{r.root}, false))
	return r
}

func realDir(t *testing.T) string {
	return must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
}

func (r *rig) path(name string) string { return filepath.Join(r.root, name) }

func (r *rig) put(path, text string) string {
	r.t.Helper()
	must.Do(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(r.t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func (r *rig) holds(path, want string) {
	r.t.Helper()
	got, err := os.ReadFile(path)
	if err != nil && want != "" {
		r.t.Error(err)
	}
	if string(got) != want {
		r.t.Errorf("%s holds %q, want %q", path, got, want)
	}
}

// outcome is the result of a request.
type outcome struct {
	text string
	err  error
}

// going is a running request.
type going struct {
	t    *testing.T
	done chan outcome
}

func (g going) wait() outcome {
	g.t.Helper()
	select {
	case o := <-g.done:
		return o
	case <-time.After(patience):
		g.t.Fatal("the request was never answered")
		return outcome{}
	}
}

func (r *rig) begin(work func() (string, error)) going {
	g := going{r.t, make(chan outcome, 1)}
	go func() {
		text, err := work()
		g.done <- outcome{text, err}
	}()
	return g
}

func (r *rig) write(path, content string) going {
	work := r.services.FS.WriteTextFile(wire.WriteTextFileRequest{SessionID: theSession, Path: path, Content: content})
	return r.begin(func() (string, error) { return "", work(r.t.Context()) })
}

func (r *rig) read(path string) going {
	work := r.services.FS.ReadTextFile(wire.ReadTextFileRequest{SessionID: theSession, Path: path})
	return r.begin(func() (string, error) { return work(r.t.Context()) })
}

func (r *rig) create(req wire.CreateTerminalRequest) going {
	req.SessionID = theSession
	work := r.services.Terminals.Create(req)
	return r.begin(func() (string, error) { return work(r.t.Context()) })
}

// question waits for the next question.
func (r *rig) question() permissions.Question {
	r.t.Helper()
	earlier := r.keys
	q := find(r.t, r.sink, "question", func(a permissions.Asked) bool { return !earlier[a.Question.Key] }).Question
	r.keys[q.Key] = true
	return q
}

// answer waits for the next question and settles it.
func (r *rig) answer(option string) permissions.Question {
	r.t.Helper()
	q := r.question()
	if err := r.host.Broker().Answer(q.Key, option); err != nil {
		r.t.Fatalf("answer %q: %v", option, err)
	}
	return q
}

// free checks that a request succeeded without a question.
func (r *rig) free(g going) string {
	r.t.Helper()
	return r.passes(g, "")
}

// passes checks that a request succeeded, after answering with option if it is not "".
func (r *rig) passes(g going, option string) string {
	r.t.Helper()
	if option != "" {
		r.answer(option)
	}
	if n := count[permissions.Asked](r.sink); option == "" && n > len(r.keys) {
		r.t.Fatal("asked without need")
	}
	o := g.waitUnasked(r)
	if o.err != nil {
		r.t.Fatalf("refused: %v", o.err)
	}
	return o.text
}

// waitUnasked is wait, but fails at once if there is a question.
func (g going) waitUnasked(r *rig) outcome {
	g.t.Helper()
	deadline := time.After(patience)
	for {
		r.sink.mu.Lock()
		more := r.sink.more
		r.sink.mu.Unlock()
		if count[permissions.Asked](r.sink) > len(r.keys) {
			g.t.Fatalf("asked without need: %+v", r.question())
		}
		select {
		case o := <-g.done:
			return o
		case <-more:
		case <-deadline:
			g.t.Fatal("the request was never answered")
		}
	}
}

// refused checks that a request is asked about, and fails if rejected.
func (r *rig) refused(g going) permissions.Question {
	r.t.Helper()
	q := r.answer("reject")
	var e *jsonrpc.Error
	if o := g.wait(); !errors.As(o.err, &e) || !strings.Contains(e.Error(), "did not allow") {
		r.t.Errorf("rejected, and it ended with %+v", o)
	}
	return q
}

// ask lets the agent ask, and judges the question at once.
func ask(services acpclient.Services, q acpclient.Question) acpclient.PendingQuestion {
	asked := services.Permissions.Ask(q)
	asked.Judge()
	return asked
}

// permit lets the agent ask, and answers with the option of that kind.
func (r *rig) permit(tool wire.ToolCall, kind string) permissions.Question {
	r.t.Helper()
	options := []wire.PermissionOption{}
	for _, k := range []string{permissions.AllowOnce, permissions.AllowAlways, permissions.RejectOnce} {
		options = append(options, wire.PermissionOption{ID: "id of " + k, Name: k, Kind: k})
	}
	asked := ask(r.services, acpclient.Question{Session: theSession, Tool: tool, Options: options})
	q := r.answer("id of " + kind)
	if d := asked.Wait(r.t.Context()); d.Cancelled || d.OptionID != "id of "+kind || asked.Key() != q.Key {
		r.t.Fatalf("decision %+v", d)
	}
	return q
}

// show lets the agent ask and cancels the question.
func (r *rig) show(tool wire.ToolCall) permissions.Question {
	r.t.Helper()
	asked := ask(r.services, acpclient.Question{Session: theSession, Tool: tool, Options: []wire.PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}}})
	q := r.question()
	r.services.Permissions.CancelSession(theSession)
	if d := asked.Wait(context.Background()); !d.Cancelled {
		r.t.Fatalf("decision %+v", d)
	}
	return q
}

func tool(kind, title, input string) wire.ToolCall {
	t := wire.ToolCall{ID: "call", Kind: new(kind), Title: new(title)}
	if input != "" {
		if !json.Valid([]byte(input)) {
			panic(fmt.Sprintf("not JSON: %s", input))
		}
		t.RawInput = wire.Raw(input)
	}
	return t
}

// diff is a tool call with a diff; without old it creates a file.
func diff(path, content string, old ...string) wire.ToolCall {
	c := wire.ToolContent{Type: "diff", Path: path, NewText: content}
	if len(old) > 0 {
		c.OldText = &old[0]
	}
	t := tool("edit", "Edit", "")
	t.Content = &[]wire.ToolContent{c}
	return t
}

// screen returns everything a question shows.
func screen(q permissions.Question) string {
	lines := []string{q.Heading, q.Description}
	for _, p := range q.Body {
		for _, s := range []string{p.Label, p.Path, p.Old, p.Text} {
			if s != "" {
				lines = append(lines, s)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// parts returns the texts of one kind.
func parts(q permissions.Question, kind permissions.PartKind) []string {
	var out []string
	for _, p := range q.Body {
		if p.Kind == kind {
			text := p.Text
			if kind == permissions.Field {
				text = p.Label + "=" + text
			}
			out = append(out, text)
		}
	}
	return out
}
