//go:build unix

package attacks

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/acpclient/wire"
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

// asker is an agent that makes requests one after the other and reports the answers.
type asker struct{ peer *jsonrpc.Peer }

func (*asker) Notification(string, []byte) {}

func (a *asker) Request(r jsonrpc.Request) jsonrpc.Work {
	return func(ctx context.Context) (any, error) {
		switch r.Method {
		case "initialize":
			return json.RawMessage(`{"protocolVersion":1}`), nil
		case "session/new":
			return json.RawMessage(`{"sessionId":"s1"}`), nil
		}
		for _, call := range [][2]string{
			{"fs/read_text_file", `{"sessionId":"s1","path":"/x"}`},
			{"fs/write_text_file", `{"sessionId":"s1","path":"/x","content":"x"}`},
			{"session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`},
		} {
			var result json.RawMessage
			err := a.peer.Call(ctx, call[0], json.RawMessage(call[1]), &result)
			var e *jsonrpc.Error
			if !errors.As(err, &e) || e.Code != jsonrpc.CodeInternalError {
				return nil, jsonrpc.Errorf(1, "%s came to %s, %v", call[0], result, err)
			}
		}
		return json.RawMessage(`{"stopReason":"end_turn"}`), nil
	}
}

// A panic in a service becomes an error of that call. The turn continues, and the next one works.
func TestPanicInAService(t *testing.T) {
	for name, b := range map[string]broken{"on the reader": {}, "at work": {later: true}} {
		t.Run(name, func(t *testing.T) {
			queue, log := event.NewQueue(), event.NewLog()
			ours, theirs := transport.Pipe()
			a := &asker{}
			a.peer = jsonrpc.NewPeer(theirs, a, jsonrpc.Options{})
			a.peer.Start()
			defer a.peer.Close(nil)
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
