//go:build unix

package attacks

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/internal/must"
	"parley/internal/seeds"
	"parley/internal/tty"
	"parley/permissions"
	"parley/ui/theme"
	"parley/ui/transcript"
)

// worker is an agent whose every turn says something, asks, reads and writes. Some turns also run a
// command. It is not the fakeagent, which would keep something of every turn.
type worker struct {
	peer  *jsonrpc.Peer
	dir   string
	turn  int
	every int    // turns between commands
	v2    *tools // if not nil, the agent speaks v2 and uses these tools
}

// Notification implements jsonrpc.Handler.
func (w *worker) Notification(string, []byte) {}

// Request implements jsonrpc.Handler.
func (w *worker) Request(r jsonrpc.Request) jsonrpc.Work {
	return func(done context.Context) (any, error) {
		if w.v2 != nil {
			return w.requestV2(r)
		}
		switch r.Method {
		case "initialize":
			return json.RawMessage(`{"protocolVersion":1}`), nil
		case "session/new":
			return json.RawMessage(`{"sessionId":"s1"}`), nil
		case "session/prompt":
			w.turn++
			return json.RawMessage(`{"stopReason":"end_turn"}`), w.work(done)
		}
		return nil, jsonrpc.Errorf(-32601, "Method not found")
	}
}

func (w *worker) update(format string, args ...any) {
	w.peer.Notify("session/update", json.RawMessage(`{"sessionId":"s1","update":`+fmt.Sprintf(format, args...)+`}`))
}

// call sends a request; into may be nil.
func (w *worker) call(ctx context.Context, into any, method, format string, args ...any) error {
	var result json.RawMessage
	if err := w.peer.Call(ctx, method, json.RawMessage(fmt.Sprintf(format, args...)), &result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(result, into)
}

// work is one turn.
func (w *worker) work(ctx context.Context) error {
	n, file := w.turn, filepath.Join(w.dir, fmt.Sprintf("f%d.txt", w.turn%10))
	for i := range 5 {
		w.update(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"Words %d of turn %d. "}}`, n, i, n)
	}
	w.update(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"Write","kind":"edit","status":"pending"}`, n)
	const options = `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	if err := w.call(ctx, nil, "session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"t%d"},"options":%s}`, n, options); err != nil {
		return err
	}
	if err := w.call(ctx, nil, "fs/write_text_file", `{"sessionId":"s1","path":%q,"content":"turn %d\n"}`, file, n); err != nil {
		return err
	}
	if err := w.call(ctx, nil, "fs/read_text_file", `{"sessionId":"s1","path":%q}`, file); err != nil {
		return err
	}
	w.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t%d","status":"completed"}`, n)
	if n%w.every == 0 {
		var made struct{ TerminalID string }
		if err := w.call(ctx, &made, "terminal/create", `{"sessionId":"s1","command":"echo","args":["turn %d"]}`, n); err != nil {
			return err
		}
		w.update(`{"sessionUpdate":"tool_call","toolCallId":"r%d","title":"Run","kind":"execute","content":[{"type":"terminal","terminalId":%q}]}`, n, made.TerminalID)
		for _, method := range []string{"terminal/wait_for_exit", "terminal/output", "terminal/release"} {
			if err := w.call(ctx, nil, method, `{"sessionId":"s1","terminalId":%q}`, made.TerminalID); err != nil {
				return err
			}
		}
		w.update(`{"sessionUpdate":"tool_call_update","toolCallId":"r%d","status":"completed"}`, n)
	}
	return nil
}

// level is parley's use of the machine's resources.
type level struct {
	goroutines, files int
	heap              int64
}

func measured(t *testing.T) level {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		open, err = os.ReadDir("/dev/fd")
	}
	if err != nil {
		t.Skip("cannot list open files")
	}
	return level{runtime.NumGoroutine(), len(open), heap()}
}

// soakVar sets the number of turns of the tests that start a process in every turn. The default is
// small.
const soakVar = "PARLEY_SOAK"

func soakTurns(t *testing.T) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv(soakVar)); err == nil {
		return n
	}
	return turns(300)
}

// turns returns how many of all turns to play. A short run plays half, which is still enough to
// average out the spare capacity of slices.
func turns(all int) int {
	if seeds.All() {
		return all
	}
	return all / 2
}

// After many turns there are no more goroutines and open files than after a few, and each turn uses
// only the memory of its content.
func TestSoak(t *testing.T) {
	for name, test := range map[string]struct {
		worker worker
		turns  int
		kept   int64 // bytes per turn: items, text, and rows
		asks   int   // questions per turn
	}{
		"v1":                    {worker{every: 10}, turns(2000), 6 << 10, 2},
		"v1, a terminal a turn": {worker{every: 1}, soakTurns(t), 12 << 10, 3},
		"v2, a terminal a turn": {worker{every: 1, v2: &tools{}}, soakTurns(t), 12 << 10, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if alone(t) {
				soak(t, &test.worker, test.turns, test.kept, test.asks)
			}
		})
	}
}

func soak(t *testing.T, w *worker, late int, kept int64, asks int) {
	early := late / 10
	s := newSoak(t, w)
	var first level
	for n := 1; n <= late; n++ {
		s.soakTurn(n)
		if n == early {
			first = measured(t)
		}
	}
	last := measured(t)
	// On a busy machine those of the last turns may not have ended yet.
	for end := time.Now().Add(10 * time.Second); last.goroutines > first.goroutines+2 && time.Now().Before(end); last = measured(t) {
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("after %d turns %+v, after %d %+v", early, first, late, last)
	if last.goroutines > first.goroutines+2 {
		t.Errorf("%d goroutines, %d before", last.goroutines, first.goroutines)
	}
	if last.files > first.files+2 {
		t.Errorf("%d open files, %d before", last.files, first.files)
	}
	if per := (last.heap - first.heap) / int64(late-early); per > kept {
		t.Errorf("%d bytes are kept of a turn", per)
	}
	if s.asks < asks*late {
		t.Errorf("only %d questions", s.asks)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// newSoak opens a session with the worker.
func newSoak(t *testing.T, w *worker) *stage {
	t.Helper()
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	s := &stage{t: t, place: place{in: dir}, attack: &attack{user: "allows"}, queue: event.NewQueue(), log: event.NewLog(), thread: thread.New("s1")}
	ours, theirs := transport.Pipe()
	w.dir = dir
	w.peer = jsonrpc.NewPeer(theirs, w, jsonrpc.Options{})
	w.peer.Start()
	t.Cleanup(func() { w.peer.Close(nil) })
	s.host = host.New(host.Options{Sink: s.queue, Agent: "worker", Log: s.log})
	t.Cleanup(s.host.Close)
	services, protocol := s.host.Services(), ""
	if w.v2 != nil {
		services, protocol = s.addTools(services), "2"
		t.Cleanup(w.v2.close)
	}
	s.client = must.Get(acpclient.Connect(t.Context(), ours, acpclient.Options{Name: "parley", Sink: s.queue, Services: services, Log: s.log, Protocol: protocol}))(t)
	t.Cleanup(func() { s.client.Close() })
	s.session = must.Get(s.client.NewSession(t.Context(), acpclient.NewSession{Cwd: dir}))(t)
	s.view = transcript.New(s.thread, dir, theme.For("plain", tty.Colours{Dark: true}))
	s.view.SetSize(80, 24)
	return s
}

// children returns the child processes according to /proc.
func children(t *testing.T) (left []string) {
	t.Helper()
	names, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		left = append(left, strings.Fields(string(text))...)
	}
	return left
}

func (s *stage) soakTurn(n int) {
	s.t.Helper()
	must.Do(s.t, s.session.Prompt(event.Block{Text: fmt.Sprintf("turn %d", n)}))
	deadline := time.After(patience)
	for ended := false; !ended; {
		select {
		case <-s.queue.Ready():
		case <-deadline:
			s.t.Fatalf("turn %d does not end", n)
		}
		for _, e := range s.queue.Drain() {
			switch e := e.(type) {
			case permissions.Asked:
				s.asks++
				s.onAsked(e.Question)
			case event.TurnEnded:
				if ended = true; e.Err != nil || e.StopReason != "end_turn" {
					s.t.Fatalf("turn %d: %q, %v", n, e.StopReason, e.Err)
				}
			}
			s.view.Changed(s.thread.Apply(e))
		}
		s.view.Rows()
	}
}
