package cli

import (
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/agents"
	"parley/internal/gateway"
)

// remote is the agent of newSessionRig at a URL.
type remote struct {
	agent agents.Agent

	mu     sync.Mutex
	served []gateway.Agent
}

func serveKept(t *testing.T) *remote {
	t.Helper()
	r := &remote{}
	start := gateway.Command([]string{self(t)}, nil, 1<<20)
	server := gateway.New(gateway.Options{Start: func(c gateway.Client, log *slog.Logger) (gateway.Agent, error) {
		a, err := start(c, log)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.served = append(r.served, a)
		return a, err
	}})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	t.Cleanup(r.cut)
	r.agent = agents.Agent{Name: "far", URL: "ws" + strings.TrimPrefix(web.URL, "http") + gateway.DefaultPath, Source: agents.Custom}
	return r
}

// cut ends every connection.
func (r *remote) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.served {
		a.Kill()
	}
	r.served = nil
}

// A session has one log however often its connection is lost. Every message can be found in it, and
// replaying it gives the conversation. A failed attempt to reconnect leaves no log.
func TestReconnectsShareOneLog(t *testing.T) {
	for name, capabilities := range map[string]string{"loaded": all, "resumed": resume} {
		t.Run(name, func(t *testing.T) {
			dir := state(t)
			newSessionRig(t, capabilities, three)
			far := serveKept(t)
			setup, err := Load(RemoteFlags{})
			if err != nil {
				t.Fatal(err)
			}
			place, err := NewDirectories("", nil)
			if err != nil {
				t.Fatal(err)
			}
			var rec *Record
			var last *chat
			messagesOf := map[string]string{} // the messages of each prompt and answer
			for round, text := range []string{"one", "two", "three"} {
				c := &chat{t: t, queue: event.NewQueue()}
				c.Connection, err = setup.Connect(t.Context(), far.agent, place, Opening{Resume: "k1", Record: rec}, time.Minute, c.queue, event.NewLog())
				if err != nil {
					t.Fatal(err)
				}
				c.thread = thread.New("k1")
				c.prompt(text)
				for _, it := range c.thread.Items {
					found, err := c.Messages(t.Context(), "k1", it.Wire, it.Request)
					if err != nil || len(found) == 0 || len(found) > 2 {
						t.Fatalf("connection %d, messages of %q: got %v, %v", round+1, it.Text, directions(found), err)
					}
					if it.Kind == thread.UserMessage && it.Request != 0 {
						messagesOf[text] = string(found[0].JSON)
					}
				}
				if !strings.Contains(messagesOf[text], `"`+text+`"`) {
					t.Errorf("connection %d: messages of the prompt are %s", round+1, messagesOf[text])
				}
				far.cut()
				<-c.Client.Done()
				c.Close()
				if rec != nil && rec != c.Record {
					t.Fatal("another log")
				}
				rec, last = c.Record, c
			}
			gone := far.agent
			gone.URL = "ws://127.0.0.1:1/acp"
			for _, opening := range []Opening{{}, {NoSession: true, Record: rec}} {
				if _, err := setup.Connect(t.Context(), gone, place, opening, time.Minute, event.NewQueue(), event.NewLog()); err == nil {
					t.Fatal("connected to an agent that does not run")
				}
			}
			rec.Close()
			if files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); len(files) != 1 || files[0] != last.Record.Path() {
				t.Errorf("logs: %v", files)
			}
			logged, err := Logs(dir)
			if err != nil || len(logged) != 1 || logged[0].Prompts != 3 || logged[0].Title != "one" {
				t.Fatalf("%+v, %v", logged, err)
			}
			th := replayed(t, logged[0])
			var said []string
			for _, it := range th.Items {
				if it.Kind == thread.UserMessage {
					said = append(said, string(it.Text))
				}
			}
			want := []string{"one", "two", "three"}
			if name == "loaded" { // this agent does not keep them
				want = []string{"an old question", "three"}
			}
			if d := cmp.Diff(want, said); d != "" {
				t.Error(d)
			}
		})
	}
}
