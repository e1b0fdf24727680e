//go:build unix

package interop

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
	"parley/permissions"
)

func (r *rig) tool(id string) *thread.Tool {
	r.t.Helper()
	tool := r.Thread.Tool(id)
	if tool == nil {
		r.t.Fatalf("no tool call %s: %s", id, r.transcript())
	}
	return tool
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func TestAsk(t *testing.T) {
	each(t, func(t *testing.T, p peer) { checkAsk(t, p, true) })
}

// checkAsk checks that the agent gets the user's answer and that the transcript shows it. The question
// shows the text of the file if the agent sends it.
func checkAsk(t *testing.T, p peer, shown bool) {
	for kind, want := range map[string]struct {
		option, name, status string
		allowed              bool
	}{
		permissions.AllowOnce:   {"yes", "Yes", "completed", true},
		permissions.AllowAlways: {"always", "Always", "completed", true},
		permissions.RejectOnce:  {"no", "No", "failed", false},
	} {
		r := open(t, p)
		r.Choose = func(permissions.Question) string { return kind }
		r.says("ask", "outcome: "+want.option)
		if got := r.tool("ask-1"); got.Status != want.status || !strings.HasPrefix(got.Title, "Change ") {
			t.Errorf("%s: tool call %+v", kind, got)
		}
		if len(r.Questions) != 1 {
			t.Fatalf("%s: %d questions", kind, len(r.Questions))
		}
		q := r.Questions[0]
		if q.Origin != permissions.FromAgent || q.Heading != "Create asked.txt" || q.Tool != "ask-1" || len(q.Options) != 3 || q.Outside {
			t.Errorf("%s: question %+v", kind, q)
		}
		if diff := len(q.Body) == 1 && q.Body[0].Kind == permissions.Diff && q.Body[0].Path == "asked.txt" && q.Body[0].Text == "asked\n"; diff != shown || !shown && len(q.Body) > 0 {
			t.Errorf("%s: want the change shown: %v; got %+v", kind, shown, q.Body)
		}
		decisions := r.Items(thread.Decision)
		if len(decisions) != 1 || decisions[0].Answer.Decision != want.name || decisions[0].Answer.Allowed != want.allowed || decisions[0].Answer.By != "you" {
			t.Errorf("%s: decisions %+v", kind, decisions)
		}
	}
}

func TestCancelQuestion(t *testing.T) {
	each(t, func(t *testing.T, p peer) { checkCancelQuestion(t, p, "linger") })
}

// The SDK withdraws its request while parley answers it.
func TestCancelWithdrawnQuestion(t *testing.T) {
	t.Parallel()
	checkCancelQuestion(t, goPeer, "abandon")
}

// checkCancelQuestion cancels a turn that waits for the user.
func checkCancelQuestion(t *testing.T, p peer, word string) {
	r := open(t, p)
	r.Choose = func(permissions.Question) string {
		r.Session.Cancel()
		return ""
	}
	if end := r.prompt(word); end.StopReason != "cancelled" || end.Err != nil {
		t.Errorf("ended with %q, %v", end.StopReason, end.Err)
	}
	decisions := r.Items(thread.Decision)
	if len(decisions) != 1 || decisions[0].Answer.Decision != "cancelled" || decisions[0].Answer.Allowed {
		t.Errorf("decisions %+v", decisions)
	}
	if r.tool("ask-1").State() != thread.ToolStopped {
		t.Errorf("tool call %+v", r.tool("ask-1"))
	}
	if r.Thread.State != thread.Idle {
		t.Errorf("state %s", r.Thread.State)
	}
	r.Choose = nil
	r.says("hello", "hello from "+p.tag)
}

func TestCancel(t *testing.T) { each(t, checkCancel) }

// checkCancel cancels a running turn; updates that follow still belong to it.
func checkCancel(t *testing.T, p peer) {
	r := open(t, p)
	for range 2 {
		r.Seen = func(event.Event) {
			if r.Said() == "waiting" {
				r.Session.Cancel()
			}
		}
		if end := r.prompt("wait"); end.StopReason != "cancelled" || end.Err != nil {
			t.Errorf("ended with %q, %v", end.StopReason, end.Err)
		}
		if got := r.Said(); got != "waiting no more" {
			t.Errorf("the agent says %q", got)
		}
		r.Seen = nil
		r.says("hello", "hello from "+p.tag)
	}
}

func TestTurnGoesWrong(t *testing.T) { each(t, checkTurnGoesWrong) }

func checkTurnGoesWrong(t *testing.T, p peer) {
	r := open(t, p)
	end := r.prompt("fail")
	var e *event.AgentError
	if !errors.As(end.Err, &e) || e.Code != -32603 || e.Message != "the agent says no" {
		t.Errorf("ended with %q, %v", end.StopReason, end.Err)
	}
	if end = r.prompt("refuse"); end.StopReason != "refusal" || end.Err != nil || !r.Items(thread.UserMessage)[0].Excluded {
		t.Errorf("ended with %q, %v", end.StopReason, end.Err)
	}
	r.says("hello", "hello from "+p.tag)
}

func TestSessionsAtOnce(t *testing.T) { each(t, checkSessionsAtOnce) }

// checkSessionsAtOnce checks that one session works while another waits.
func checkSessionsAtOnce(t *testing.T, p peer) {
	r := open(t, p)
	first, firstThread := r.Session, r.Thread
	second := must.Get(r.Conn.NewSession(r.ctx(), acpclient.NewSession{Cwd: r.dir}))(t)
	if first.ID() == second.ID() {
		t.Fatalf("two sessions are called %q", first.ID())
	}
	must.Do(t, first.Prompt(event.Block{Text: "wait"}))
	r.Until("the first session waits", func() bool { return r.Said() == "waiting" })
	r.Session, r.Thread = second, thread.New("")
	r.says("hello", "hello from "+p.tag)
	r.Session, r.Thread = first, firstThread
	first.Cancel()
	r.Until("the first session ends", func() bool { return len(r.Items(thread.TurnEnd)) == 1 })
	if end := r.Items(thread.TurnEnd)[0].End; end.StopReason != "cancelled" || r.Said() != "waiting no more" {
		t.Errorf("ended with %q, said %q", end.StopReason, r.Said())
	}
}

func TestList(t *testing.T) { each(t, checkList) }

func checkList(t *testing.T, p peer) {
	r := connect(t, p)
	got, err := r.Conn.ListSessions(r.ctx(), "")
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got[0].ID != "earlier" || got[0].Title != "An earlier one" || got[0].Cwd != "/tmp" || got[0].Updated.Unix() != 1767323045 || got[1].ID != "oldest" {
		t.Errorf("got %+v", got)
	}
}

func TestLoad(t *testing.T) { each(t, checkLoad) }

func checkLoad(t *testing.T, p peer) {
	r := connect(t, p)
	_, err := r.Conn.LoadSession(r.ctx(), "never was", r.newSession())
	var e *event.AgentError
	if !errors.As(err, &e) || e.Code != -32002 {
		t.Errorf("a session that does not exist: %v", err)
	}
	r.Queue.Drain()
	if r.Session, err = r.Conn.LoadSession(r.ctx(), "earlier", r.newSession()); err != nil {
		t.Fatal(err)
	}
	var got []string
	r.Until("the history", func() bool { // over HTTP it may arrive after the answer, on another stream
		got = nil
		for _, it := range r.Thread.Items {
			if it.Kind == thread.UserMessage || it.Kind == thread.AgentMessage {
				got = append(got, string(it.Text))
			}
		}
		return len(got) >= 2
	})
	if !slices.Equal(got, []string{"what was asked", "what was answered"}) {
		t.Errorf("history %q", got)
	}
	if !p.v2 && (r.Thread.Mode != "code" || len(r.Thread.Modes) != 2) {
		t.Errorf("mode %q of %+v", r.Thread.Mode, r.Thread.Modes)
	}
	r.says("hello", "hello from "+p.tag)
}

// In the Python SDK, session/resume and session/close need an option for unstable methods.
func TestResumeAndClose(t *testing.T) {
	for _, p := range []peer{goPeer, tsPeer} {
		t.Run(p.tag, func(t *testing.T) {
			t.Parallel()
			checkResumeAndClose(t, p)
		})
	}
}

func checkResumeAndClose(t *testing.T, p peer) {
	r := connect(t, p)
	r.Session = must.Get(r.Conn.ResumeSession(r.ctx(), "earlier", r.newSession()))(t)
	r.Apply()
	if n := len(r.Thread.Items); n != 0 {
		t.Errorf("%d items without a replay: %s", n, r.transcript())
	}
	r.says("hello", "hello from "+p.tag)
	if err := r.Conn.CloseSession(r.ctx(), r.Session); err != nil {
		t.Error(err)
	}
	if err := r.Session.Prompt(event.Block{Text: "hello"}); err == nil {
		t.Error("a closed session accepts a prompt")
	}
}
