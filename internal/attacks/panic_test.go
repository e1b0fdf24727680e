//go:build unix

package attacks

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/acpclient/wire"
	"parley/internal/fakeagent"
	"parley/internal/must"
)

// broken are services that panic in every call.
type broken struct{ later bool }

func (b broken) ReadTextFile(wire.ReadTextFileRequest) func(context.Context) (string, error) {
	if !b.later {
		panic("on the reader")
	}
	return func(context.Context) (string, error) { panic("at work") }
}

func (b broken) WriteTextFile(wire.WriteTextFileRequest) func(context.Context) error {
	if !b.later {
		panic("on the reader")
	}
	return func(context.Context) error { panic("at work") }
}

func (b broken) Ask(acpclient.Question) acpclient.PendingQuestion {
	if !b.later {
		panic("on the reader")
	}
	return b
}
func (broken) CancelSession(string)                        {}
func (broken) Key() uint64                                 { return 1 }
func (broken) Judge()                                      { panic("while it judges") }
func (broken) Wait(ctx context.Context) acpclient.Decision { panic("at work") }

// A panic in a service becomes an error of that call. The turn continues, and the next one works.
func TestPanicInAService(t *testing.T) {
	for name, b := range map[string]broken{"on the reader": {}, "at work": {later: true}} {
		t.Run(name, func(t *testing.T) {
			queue, log := event.NewQueue(), event.NewLog()
			ours, theirs := transport.Pipe()
			script := &fakeagent.Script{}
			script.Turn(func(turn *fakeagent.Turn) string {
				for method, params := range map[string]string{
					"fs/read_text_file":          `{"sessionId":"s1","path":"/x"}`,
					"fs/write_text_file":         `{"sessionId":"s1","path":"/x","content":"x"}`,
					"session/request_permission": `{"sessionId":"s1","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`,
				} {
					var e *jsonrpc.Error
					if err := turn.Agent.Call(turn.Ctx, method, params, nil); !errors.As(err, &e) || e.Code != jsonrpc.CodeInternalError {
						t.Errorf("%s: got %v", method, err)
					}
				}
				return "end_turn"
			})
			defer fakeagent.New(theirs, script).Close()
			client := must.Get(acpclient.Connect(t.Context(), ours, acpclient.Options{Name: "parley", Sink: queue, Log: log, Services: acpclient.Services{FS: b, Permissions: b}}))(t)
			defer client.Close()
			session := must.Get(client.NewSession(t.Context(), acpclient.NewSession{Cwd: t.TempDir()}))(t)
			for range 2 {
				must.Do(t, session.Prompt(event.Block{Text: "go"}))
				ended(t, queue)
			}
			lines, _ := log.Lines()
			if text := joined(lines); !strings.Contains(text, name) {
				t.Errorf("the log does not tell of it: %s", text)
			}
		})
	}
}

// ended waits for the successful end of a turn.
func ended(t *testing.T, queue *event.Queue) {
	t.Helper()
	for range queue.Ready() {
		for _, e := range queue.Drain() {
			if e, ok := e.(event.TurnEnded); ok {
				if e.Err != nil {
					t.Fatal(e.Err)
				}
				return
			}
		}
	}
}

func joined(lines []event.LogLine) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return strings.Join(out, "\n")
}
