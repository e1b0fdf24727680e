package acpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"parley/acpclient"
	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/acpclient/wire"
	"parley/internal/must"
)

// wireOf returns the span of an event, "-" for none, "?" if it cannot have one.
func wireOf(e event.Event) string {
	f := reflect.ValueOf(e).FieldByName("Wire")
	if !f.IsValid() {
		return "?"
	}
	w := f.Interface().(event.Span)
	if w == (event.Span{}) {
		return "-"
	}
	return fmt.Sprintf("%d-%d", w.First, w.Last)
}

const ordinalScript = `-- script --
user connect
> {"id":"$i","method":"initialize"}
< result $i {"protocolVersion":1,"agentCapabilities":{"loadSession":true}}
user new
> {"id":"$n","method":"session/new"}
< update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"early"}}
<noise
skip
< result $n {"sessionId":"s1","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]}}
user prompt hello
> {"id":"$p","method":"session/prompt"}
< [{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}}},{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}}}]
< update {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
< call 1 session/request_permission {"sessionId":"s1","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}
user answer y
> {"id":1,"result":{}}
user cancel
> {"method":"session/cancel"}
< result $p {"stopReason":"cancelled"}
user load old
> {"id":"$l","method":"session/load"}
< result $l {}
sleep 200ms
`

// Events have the ordinal of the message that caused them. A batch counts as one
// message, early updates keep their ordinals, and events caused by this side have none.
func TestOrdinals(t *testing.T) {
	r := acptest.Run(t, acptest.ParseArchive([]byte(ordinalScript)))
	var got []string
	for _, e := range r.Events {
		name, _, _ := strings.Cut(acptest.Line(e), " Role=")
		if text, ok := e.(event.TextArrived); ok {
			name += fmt.Sprintf(" %q", text.Text)
		}
		got = append(got, strings.Join(strings.Fields(name)[1:min(3, len(strings.Fields(name)))], " ")+" "+wireOf(e))
	}
	want := `ModesOffered Current="a" 4-4
TextArrived "early" 2-2
TurnStarted Text="hello" -
TextArrived "one" 5-5
TextArrived "two" 5-5
ToolChanged ID="c" 6-6
ToolChanged ID="c" 7-7
PermissionRequested Key=1 7-7
PermissionAnswered Key=1 -
TurnCancelled -
TurnEnded StopReason="cancelled" 8-8
HistoryBegan -
HistoryEnded 9-9`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}

// In every script the tap numbers the received messages, the events of a tool call name
// a message about it, and a turn names its prompt, which was sent after TurnStarted.
func TestOrdinalsOfScripts(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	tools, turns := 0, 0
	for _, path := range paths {
		r := acptest.Run(t, acptest.Read(t, path))
		in := map[uint64]string{}
		prompts := map[string]string{} // texts by id
		for _, m := range r.Tapped {
			if m.Out {
				p := decode(m.Data)
				if m.N != 0 {
					t.Errorf("%s: a message sent has the ordinal %d", path, m.N)
				}
				if p.Method == "session/prompt" {
					prompts[string(p.ID)] = string(m.Data)
				}
				continue
			}
			in[m.N] = string(m.Data)
			if m.N != uint64(len(in)) {
				t.Errorf("%s: message %d has the ordinal %d", path, len(in), m.N)
			}
		}
		for _, e := range r.Events {
			switch e := e.(type) {
			case event.ToolChanged:
				id, _ := json.Marshal(e.ID)
				if tools++; e.Wire.First != e.Wire.Last || !strings.Contains(in[e.Wire.First], string(id)) {
					t.Errorf("%s: %s is said to be from %s", path, acptest.Line(e), in[e.Wire.First])
				}
			case event.TurnStarted:
				words, _, _ := strings.Cut(e.Text, "[image ") // shown for a block that is not text
				text, _ := json.Marshal(words)
				text = bytes.TrimSuffix(text, []byte(`"`))
				if turns++; !strings.Contains(prompts[fmt.Sprint(e.Request)], string(text)) {
					t.Errorf("%s: the turn %s is said to be request %d, %s", path, text, e.Request, prompts[fmt.Sprint(e.Request)])
				}
			}
		}
	}
	if tools < 20 || turns < 20 {
		t.Errorf("only %d events of tool calls, %d turns", tools, turns)
	}
}

// A joined event spans all of its messages and no others.
func TestQueueJoinsSpans(t *testing.T) {
	of := func(n uint64) event.For {
		return event.For{Session: "s", Wire: event.Span{First: n, Last: n}}
	}
	q := event.NewQueue()
	for _, e := range []event.Event{
		event.TextArrived{For: of(3), Text: "a"}, event.TextArrived{For: of(5), Text: "b"}, event.TextArrived{For: event.For{Session: "s"}, Text: "c"},
		event.ToolChanged{For: of(6)},
		event.TerminalOutput{For: event.For{Session: "s"}, ID: "x"}, event.TerminalOutput{For: of(7), ID: "x"}, event.TerminalOutput{For: of(9), ID: "x"},
		event.TextArrived{For: of(10), Text: "d"},
	} {
		q.Post(e)
	}
	events := q.Drain()
	if len(events) != 4 {
		t.Fatalf("%d events", len(events))
	}
	text, out, last := events[0].(event.TextArrived), events[2].(event.TerminalOutput), events[3].(event.TextArrived)
	if text.Wire != (event.Span{First: 3, Last: 5}) || out.Wire != (event.Span{First: 7, Last: 9}) || last.Wire != (event.Span{First: 10, Last: 10}) {
		t.Errorf("%v, %v, %v", text.Wire, out.Wire, last.Wire)
	}
}

// spanFS is an FS that records which messages request something.
type spanFS struct{ asked chan event.Span }

func (f spanFS) ReadTextFile(wire.ReadTextFileRequest) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { f.asked <- acpclient.SpanOf(ctx); return "", nil }
}

func (f spanFS) WriteTextFile(wire.WriteTextFileRequest) func(context.Context) error {
	return func(ctx context.Context) error { f.asked <- acpclient.SpanOf(ctx); return nil }
}

// Services can tell which message they work for.
func TestSpanOf(t *testing.T) {
	fs := spanFS{make(chan event.Span)}
	a, c := greet(t, `{}`, nil, acpclient.Options{Services: acpclient.Services{FS: fs}})
	must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
	for i, method := range []string{"fs/read_text_file", "fs/write_text_file"} {
		a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"sessionId":"s1","path":"/x","content":""}}`, i, method))
		if got, n := <-fs.asked, uint64(3+i); got != (event.Span{First: n, Last: n}) {
			t.Errorf("%s is message %v, want %d", method, got, n)
		}
	}
	if got := acpclient.SpanOf(t.Context()); got != (event.Span{}) {
		t.Errorf("got %v", got)
	}
}

// promptConn is a connection whose answers arrive before Send returns.
type promptConn struct {
	answers          chan []byte
	answered, closed chan struct{}
	once             *sync.Once
}

func (c promptConn) Recv() ([]byte, error) {
	select {
	case data := <-c.answers:
		return data, nil
	case <-c.closed:
		return nil, io.EOF
	}
}

func (c promptConn) Send(m transport.Message) error {
	c.answers <- fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}`, decode(m.Data).ID)
	<-c.answered
	return nil
}

func (c promptConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// However fast an agent is, its answers are seen after their requests.
func TestTapSeesRequestsFirst(t *testing.T) {
	conn := promptConn{answers: make(chan []byte), answered: make(chan struct{}), closed: make(chan struct{}), once: new(sync.Once)}
	var mu sync.Mutex
	var seen []string
	c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Sink: event.NewQueue(), Tap: func(out bool, n uint64, data []byte) {
		mu.Lock()
		seen = append(seen, fmt.Sprint(out, n))
		mu.Unlock()
		if !out {
			close(conn.answered)
		}
	}}))(t)
	c.Close()
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(seen, ", "); got != "true 0, false 1" {
		t.Errorf("%s", got)
	}
}
