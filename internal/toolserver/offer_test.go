package toolserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/must"
	"parley/internal/toolserver"
)

// Calls made before the session is known wait for it; other requests of MCP do not.
func TestCallsBeforeBind(t *testing.T) {
	r := newRig(t)
	client := r.connect(r.offered, nil)
	r.put("a", "text")
	early := r.begin(t.Context(), client, "read_text_file", in{"path": "a"})
	if _, err := client.ListTools(t.Context(), nil); err != nil { // answered after the call was received
		t.Fatal(err)
	}
	select {
	case got := <-early:
		t.Fatalf("answered before the session was known: %s", got)
	default:
	}
	r.offer.Bind(theSession)
	r.want(r.ended(early), "text")
	r.want(r.call(client, "read_text_file", in{"path": "a"}), "text")
	r.offer.Bind("another") // only the first Bind counts
	r.want(r.call(client, "read_text_file", in{"path": "a"}), "text")
}

func TestCancelledBeforeBind(t *testing.T) {
	r := newRig(t)
	_, answers := r.raw(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"true"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1,`) {
		t.Fatalf("%q, %v", line, err)
	}
	r.offer.Bind(theSession)
	r.unasked() // it was cancelled
}

// After the end of the session calls fail, waiting ones included, without a question.
func TestWithdraw(t *testing.T) {
	const over = "The session is over"
	t.Run("before bind", func(t *testing.T) {
		r := newRig(t)
		client := r.connect(r.offered, nil)
		early := r.begin(t.Context(), client, "read_text_file", in{"path": "a"})
		must.Do(t, client.Ping(t.Context(), nil))
		r.offer.Withdraw()
		r.wantError(r.ended(early), over)
		r.wantError(r.call(client, "read_text_file", in{"path": "a"}), over)
	})
	t.Run("while asking", func(t *testing.T) {
		r, client := bound(t)
		asks := r.begin(t.Context(), client, "write_text_file", in{"path": "a", "content": "x"})
		q := r.question()
		r.offer.Withdraw()
		r.offer.Withdraw()
		r.wantError(r.ended(asks), over)
		if err := r.host.Broker().Answer(q.Key, "once"); err == nil {
			t.Error("the question can still be answered")
		}
		r.wantError(r.call(client, "run_command", in{"command": "true"}), over)
		r.wantError(r.call(client, "write_text_file", in{"path": "a", "content": "x"}), over)
		if _, err := client.ListTools(t.Context(), nil); err != nil {
			t.Errorf("the connection is gone: %v", err)
		}
		r.unasked()
	})
}

// When the user stops the turn, questions of tools are settled, calls return, and later
// calls work.
func TestCancelSettlesQuestions(t *testing.T) {
	r, client := bound(t)
	a := r.begin(t.Context(), client, "write_text_file", in{"path": "a", "content": "x"})
	first := r.question()
	b := r.begin(t.Context(), client, "run_command", in{"command": "true"})
	second := r.question()
	r.offer.Cancel()
	r.wantError(r.ended(a), "The user stopped this.")
	r.wantError(r.ended(b), "The user stopped this.")
	for _, key := range []uint64{first.Key, second.Key} {
		if err := r.host.Broker().Answer(key, "once"); err == nil {
			t.Error("a question can still be answered")
		}
	}
	again := r.begin(t.Context(), client, "write_text_file", in{"path": "a", "content": "x"})
	r.answer("once")
	if got := r.ended(again); got.failed {
		t.Error(got)
	}
}

// Questions that are cancelled with their session count as a refusal.
func TestCancelSession(t *testing.T) {
	r, client := bound(t)
	done := r.begin(t.Context(), client, "write_text_file", in{"path": "a", "content": "x"})
	r.question()
	r.host.Broker().CancelSession(theSession)
	r.wantError(r.ended(done), "The user did not allow it")
}

// The questions of a client that disconnects are settled.
func TestClientGoesAway(t *testing.T) {
	r, client := bound(t)
	r.begin(t.Context(), client, "write_text_file", in{"path": "a", "content": "x"})
	q := r.question()
	r.conn.Close()
	r.settled(q.Key)
}

func TestCancelledRequestSettlesQuestion(t *testing.T) {
	r, client := bound(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := r.begin(ctx, client, "run_command", in{"command": "true"})
	q := r.question()
	cancel()
	r.ended(done)
	r.settled(q.Key)
}

func TestCallsAreBounded(t *testing.T) {
	r := newRig(t)
	client := r.connect(r.offered, nil)
	ended := make(chan outcome)
	for range toolserver.MaxCalls + 2 {
		go func() { ended <- <-r.begin(t.Context(), client, "read_text_file", in{"path": "a"}) }()
	}
	for range 2 {
		r.wantError(r.ended(ended), "Too many calls")
	}
	r.put("a", "text")
	r.offer.Bind(theSession)
	for range toolserver.MaxCalls {
		r.want(r.ended(ended), "text")
	}
	r.want(r.call(client, "read_text_file", in{"path": "a"}), "text")
}

// A client that asks for progress gets it while a question is open.
func TestProgress(t *testing.T) {
	r := newRig(t, func(o toolserver.Options) toolserver.Options { return o.WithProgress(1) })
	r.offer.Bind(theSession)
	told := make(chan float64, 1000)
	client := r.connect(r.offered, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
		if req.Params.ProgressToken == "mine" {
			select {
			case told <- req.Params.Progress:
			default:
			}
		}
	}})
	params := &mcp.CallToolParams{Name: "write_text_file", Arguments: in{"path": "a", "content": "x"}}
	params.SetProgressToken("mine")
	done := make(chan error, 1)
	go func() {
		_, err := client.CallTool(t.Context(), params)
		done <- err
	}()
	r.question()
	if a, b := <-told, <-told; a >= b {
		t.Errorf("%v is not before %v", a, b)
	}
	r.offer.Cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
