package acpclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
)

const (
	running = `{"sessionUpdate":"state_update","state":"running"}`
	idle    = `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`
)

func userMessage(id, text string) string {
	return `{"sessionUpdate":"user_message","messageId":"` + id + `","content":[{"type":"text","text":"` + text + `"}]}`
}

// case 143: the answer to a prompt does not end the turn, idle does.
func TestCase143IdleEndsTheTurn(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.session.Prompt(event.Block{Text: "hi"})
		k.update(userMessage("u", "hi"))
		k.answer("session/prompt", 0, `"result":{"messageId":"u"}`)
		k.update(running)
		if n := len(k.ends()); n != 0 || !k.session.Running() {
			t.Errorf("%d turns have ended, running %v", n, k.session.Running())
		}
		k.wantState(thread.Running)
		k.update(idle)
		if ends := k.ends(); len(ends) != 1 || ends[0].StopReason != "end_turn" || k.session.Running() {
			t.Errorf("ended %v, running %v", ends, k.session.Running())
		}
		k.wantState(thread.Idle)
	})
}

// case 144: the user's message and the answer that names it arrive in any order, and the
// prompt is in the transcript once.
func TestCase144OneBubble(t *testing.T) {
	upsert := func(k *v2Talk) { k.update(userMessage("u", "hi there")) }
	chunks := func(k *v2Talk) {
		for _, piece := range []string{"hi ", "there"} {
			k.update(`{"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"` + piece + `"}}`)
		}
	}
	answer := func(k *v2Talk) { k.answer("session/prompt", 0, `"result":{"messageId":"u"}`) }
	nameless := func(k *v2Talk) { k.answer("session/prompt", 0, `"result":{}`) }
	for _, order := range [][]func(*v2Talk){{upsert, answer}, {answer, upsert}, {chunks, answer}, {answer, chunks}, {upsert, nameless}, {nameless, upsert}, {nameless, chunks}, {answer}, {nameless}} {
		talkV2(t, nil, func(t *testing.T, k *v2Talk) {
			k.session.Prompt(event.Block{Text: "hi there"})
			if k.settle(); len(k.thread.Held) != 1 || k.thread.Held[0].Text != "hi there" {
				t.Fatalf("held %v", k.thread.Held)
			}
			k.wantLines("")
			for _, step := range order {
				step(k)
				k.wantLines("user hi there")
				if len(k.thread.Held) != 0 || k.thread.Items[0].At.IsZero() {
					t.Errorf("held %v, %+v", k.thread.Held, k.thread.Items[0])
				}
			}
			k.update(running, idle)
			if n := len(k.ends()); n != 1 {
				t.Errorf("%d ends", n)
			}
		})
	}
}

// case 144: the agent's version of the prompt is shown, and messages of other users are
// shown as well.
func TestCase144OtherMessages(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(userMessage("x", "from elsewhere"))
		k.session.Prompt(event.Block{Text: "/cmd"})
		k.answer("session/prompt", 0, `"result":{"messageId":"u"}`)
		k.update(userMessage("u", "expanded"))
		k.wantLines("user from elsewhere | user expanded")
		k.update(running, idle)
		// The answer tells apart two prompts that look alike.
		k.session.Prompt(event.Block{Text: "same"})
		k.update(userMessage("foreign", "same"))
		k.wantLines("user from elsewhere | user expanded | user same")
		k.answer("session/prompt", 1, `"result":{"messageId":"mine"}`)
		k.wantLines("user from elsewhere | user expanded | user same | user same")
		k.update(userMessage("mine", "same"))
		k.wantLines("user from elsewhere | user expanded | user same | user same")
	})
}

// case 152: states as the agent reports them. A repeated idle completes nothing, and an
// unknown state counts as busy.
func TestCase152States(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.wantState(thread.Idle)
		for _, step := range []struct {
			update string
			want   thread.State
			ends   int
		}{
			{idle, thread.Idle, 0}, {running, thread.Running, 0}, {`{"sessionUpdate":"state_update","state":"requires_action"}`, thread.Waiting, 0},
			{running, thread.Running, 0}, {idle, thread.Idle, 1}, {idle, thread.Idle, 1}, {`{"sessionUpdate":"state_update","state":"idle"}`, thread.Idle, 1},
			{`{"sessionUpdate":"state_update","state":"_pondering"}`, thread.Running, 1}, {`{"sessionUpdate":"state_update"}`, thread.Running, 1},
			{`{"sessionUpdate":"state_update","state":"idle","stopReason":"bored"}`, thread.Idle, 2},
		} {
			k.update(step.update)
			k.wantState(step.want)
			if n := len(k.ends()); n != step.ends {
				t.Errorf("after %s %d turns have ended, want %d", step.update, n, step.ends)
			}
		}
		if e := k.ends()[1]; e.StopReason != "bored" { // case 158
			t.Errorf("got %+v", e)
		}
	})
}

// case 152: an idle that crossed the prompt is not its end; an agent that never reports
// running is busy until idle.
func TestCase152StaleIdle(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.session.Prompt(event.Block{Text: "a"})
		k.update(idle)
		k.wantState(thread.Running)
		k.answer("session/prompt", 0, `"result":{}`)
		k.wantState(thread.Running)
		k.update(idle)
		k.wantState(thread.Idle)
		if n := len(k.ends()); n != 1 {
			t.Errorf("%d turns have ended", n)
		}
	})
}

// An answer that arrives after its turn has ended starts no other.
func TestLateAnswerToAPrompt(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.session.Prompt(event.Block{Text: "a"})
		k.update(userMessage("u", "a"), running, idle)
		k.answer("session/prompt", 0, `"result":{"messageId":"u"}`)
		k.wantState(thread.Idle)
		if n := len(k.ends()); n != 1 || k.session.Running() {
			t.Errorf("%d turns have ended, running %v", n, k.session.Running())
		}
	})
}

// case 159: prompts are sent during a turn, wait below the transcript, and can be
// withdrawn.
func TestCase159HeldPrompts(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.session.Prompt(event.Block{Text: "one"})
		k.update(userMessage("1", "one"), running)
		k.answer("session/prompt", 0, `"result":{"messageId":"1"}`)
		link := event.Block{URI: "file:///w/a", Name: "a"}
		for _, text := range []string{"two", "three"} {
			must.Do(t, k.session.Prompt(event.Block{Text: text}, link))
		}
		k.wantLines("user one")
		held := k.thread.Held
		if len(held) != 2 || held[0].Text != "two" || held[1].Text != "three" {
			t.Fatalf("held %v", held)
		}
		k.session.Withdraw(held[0].Key)
		k.session.Withdraw(12345)
		cancels := k.got("$/cancel_request")
		if len(cancels) != 1 || string(cancels[0].Params) != `{"requestId":`+string(k.got("session/prompt")[1].ID)+`}` {
			t.Fatalf("got %v", cancels)
		}
		k.answer("session/prompt", 1, `"error":{"code":-32800,"message":"Request cancelled"}`)
		k.settle()
		failed, ok := k.events[len(k.events)-1].(event.PromptFailed)
		if !ok || !failed.Withdrawn || failed.Key != held[0].Key || failed.Blocks[0].Text != "two" || failed.Blocks[1].URI != link.URI || failed.Blocks[1].Name != link.Name {
			t.Errorf("got %+v", k.events[len(k.events)-1])
		}
		if len(k.thread.Held) != 1 || len(k.ends()) != 0 {
			t.Errorf("held %v, ended %v", k.thread.Held, k.ends())
		}
		k.update(idle, userMessage("3", "three"))
		k.answer("session/prompt", 2, `"result":{"messageId":"3"}`)
		k.update(running)
		k.wantState(thread.Running)
		k.wantLines("user one | user three")
		if last := k.thread.Items[len(k.thread.Items)-1]; last.Turn != 2 || k.thread.Turn != 2 {
			t.Errorf("turn %d of %d", last.Turn, k.thread.Turn)
		}
	})
}

// A cancel returns held prompts to the user, and so does the end of the connection.
func TestHeldPromptsAreReturned(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.session.Prompt(event.Block{Text: "one"})
		k.update(userMessage("1", "one"), running)
		k.answer("session/prompt", 0, `"result":{"messageId":"1"}`)
		k.session.Prompt(event.Block{Text: "two"})
		k.session.Cancel()
		k.session.Cancel()
		k.wantState(thread.Cancelling)
		if n := len(k.got("session/cancel")); n != 1 {
			t.Errorf("cancelled %d times", n)
		}
		k.answer("session/prompt", 1, `"error":{"code":-32800,"message":"Request cancelled"}`)
		k.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}`)
		if ends := k.ends(); len(ends) != 1 || ends[0].StopReason != "cancelled" || len(k.thread.Held) != 0 {
			t.Errorf("ended %v, held %v", ends, k.thread.Held)
		}
		k.session.Prompt(event.Block{Text: "three"})
		k.settle()
		k.conn.Close()
		var back []event.PromptFailed
		for _, e := range k.settle() {
			if e, ok := e.(event.PromptFailed); ok {
				back = append(back, e)
			}
		}
		if len(back) != 1 || back[0].Withdrawn || back[0].Blocks[0].Text != "three" || !errors.Is(back[0].Err, event.ErrClosed) {
			t.Errorf("got %+v", back)
		}
		k.wantState(thread.Ended)
	})
}

// A prompt that the agent refuses ends the turn that it started.
func TestPromptRefused(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.session.Prompt(event.Block{Text: "one"})
		k.answer("session/prompt", 0, `"error":{"code":-32000,"message":"Authentication required"}`)
		var agent *event.AgentError
		if ends := k.ends(); len(ends) != 1 || !errors.As(ends[0].Err, &agent) || !agent.AuthRequired() || k.session.Running() {
			t.Errorf("got %+v", ends)
		}
		k.wantState(thread.Idle)
		if len(k.thread.Held) != 0 {
			t.Errorf("held %v", k.thread.Held)
		}
	})
}

const options = `"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"z","name":"Hm","kind":"_maybe"}]`

// ask sends a permission request.
func (k *v2Talk) ask(id, rest string) {
	k.say(`{"jsonrpc":"2.0","id":"` + id + `","method":"session/request_permission","params":{"sessionId":"s","title":"May I ` + id + `?",` + rest + options + `}}`)
	k.settle()
}

// outcome returns the answer to a request, "" while it is open.
func (k *v2Talk) outcome(id string) string {
	for _, m := range k.got("") {
		if string(m.ID) == `"`+id+`"` {
			return string(m.Result) + string(m.Error)
		}
	}
	return ""
}

// case 151: questions have their own title; a command is shown and not run; an unknown
// subject is a question like any other.
func TestCase151Permissions(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(running, `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit a","kind":"edit"}`)
		k.ask("tool", `"description":"because","subject":{"type":"tool_call","toolCall":{"toolCallId":"c","status":"pending","content":[{"type":"diff","changes":[{"operation":"move","path":"/w/b","oldPath":"/w/a"}],"patch":{"format":"git_patch","text":"@@ -1 +1 @@"}}]}},`)
		k.ask("command", `"subject":{"type":"command","command":"rm -rf x","cwd":"/w","toolCallId":"c"},`)
		k.ask("future", `"subject":{"type":"_x","secret":1},`)
		k.ask("plain", ``)
		k.wantState(thread.Waiting)
		asks := k.asks.open
		if len(asks) != 4 {
			t.Fatalf("%d questions", len(asks))
		}
		for i, title := range []string{"tool", "command", "future", "plain"} {
			if asks[i].Title != "May I "+title+"?" || *asks[i].Tool.Title != asks[i].Title {
				t.Errorf("got %+v", asks[i].Question)
			}
		}
		if c := *asks[0].Tool.Content; len(c) != 2 || c[0].Block.Text != "because" || c[1].Block.Text != "move /w/a to /w/b\n@@ -1 +1 @@" || len(*asks[0].Tool.Locations) != 2 {
			t.Errorf("got %+v", c)
		}
		if q := asks[1]; q.Command != "rm -rf x" || q.Cwd != "/w" || string(q.Tool.RawInput) != `{"command":"rm -rf x","cwd":"/w"}` {
			t.Errorf("got %+v", q.Question)
		}
		if q := asks[2]; q.Subject != "_x" || !strings.Contains(string(q.Tool.RawInput), "secret") {
			t.Errorf("got %+v", q.Question)
		}
		if tool := k.thread.Tool("c"); tool.Title != "Edit a" || len(tool.Content) != 1 || tool.Content[0].Changes == nil {
			t.Errorf("the tool call is %+v", tool)
		}
		asks[1].done <- acpclient.Decision{OptionID: "y", By: "you"}
		if got := k.outcome("command"); got != `{"outcome":{"outcome":"selected","optionId":"y"}}` {
			t.Errorf("answered %s", got)
		}
		k.ask("broken", `"subject":{"type":"tool_call","toolCall":{}},`)
		if got := k.outcome("broken"); !strings.Contains(got, "-32602") || len(k.asks.open) != 4 {
			t.Errorf("a broken subject is answered %s", got)
		}
		// case 45: the agent withdraws a question.
		k.say(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"plain"}}`)
		if got := k.outcome("plain"); !strings.Contains(got, `"cancelled"`) {
			t.Errorf("withdrawn: %s", got)
		}
	})
}

// case 153: background work is reported, also while idle, and a cancel does not answer
// questions about it.
func TestCase153Background(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		state := func(background string) {
			k.update(`{"sessionUpdate":"state_update","state":"running"` + background + `}`)
			k.settle()
		}
		for _, background := range []string{``, `,"background":null`, `,"background":[]`} {
			if state(background); len(k.thread.Background) != 0 {
				t.Errorf("%q: %v", background, k.thread.Background)
			}
		}
		k.update(`{"sessionUpdate":"tool_call_update","toolCallId":"bg","status":"in_progress"}`, `{"sessionUpdate":"tool_call_update","toolCallId":"fg","status":"in_progress"}`)
		state(`,"background":[{"type":"tool_call","toolCallId":"bg"},{"type":"terminal","terminalId":"t"},{"type":"_x"}]`)
		if n := len(k.thread.Background); n != 3 {
			t.Errorf("%d pieces of background work", n)
		}
		k.ask("bg", `"subject":{"type":"tool_call","toolCall":{"toolCallId":"bg"}},`)
		k.ask("fg", `"subject":{"type":"tool_call","toolCall":{"toolCallId":"fg"}},`)
		k.ask("term", `"subject":{"type":"command","command":"x","cwd":"/","terminalId":"t"},`)
		k.ask("none", ``)
		k.session.Cancel()
		k.ask("late", `"subject":{"type":"tool_call","toolCall":{"toolCallId":"fg"}},`)
		for id, open := range map[string]bool{"bg": true, "fg": false, "term": true, "none": true, "late": false} {
			if got := k.outcome(id); (got == "") != open {
				t.Errorf("%s: got %q", id, got)
			}
		}
		k.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled","background":[{"type":"tool_call","toolCallId":"bg"}]}`)
		k.settle()
		if bg, fg := k.thread.Tool("bg"), k.thread.Tool("fg"); !bg.Live() || fg.Live() || len(k.thread.Background) != 1 {
			t.Errorf("bg %+v, fg %+v, %v", bg, fg, k.thread.Background)
		}
		if k.outcome("bg") != "" || k.outcome("term") == "" {
			t.Errorf("after idle: bg %q, term %q", k.outcome("bg"), k.outcome("term"))
		}
		k.session.Cancel() // nothing runs
		if n := len(k.got("session/cancel")); n != 1 {
			t.Errorf("cancelled %d times", n)
		}
	})
}

// case 153, older agents: without background information a cancel ends every question.
func TestCase153NoBackground(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(running)
		k.ask("tool", `"subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}},`)
		k.ask("none", ``)
		k.session.Cancel()
		for _, id := range []string{"tool", "none"} {
			if got := k.outcome(id); got != `{"outcome":{"outcome":"cancelled"}}` {
				t.Errorf("%s: %s", id, got)
			}
		}
	})
}

// case 154: single pieces of work can be cancelled while the agent says so.
func TestCase154CancelOne(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		tool := func(rest string) {
			k.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c"` + rest + `}`)
			k.settle()
		}
		refused := func(ctx context.Context) bool {
			return errors.Is(k.session.CancelTool(ctx, "c"), acpclient.ErrUnsupported)
		}
		if tool(`,"status":"in_progress"`); !refused(t.Context()) || k.thread.Tool("c").Cancelable {
			t.Error("not offered")
		}
		tool(`,"capabilities":{"cancel":{}}`)
		tool(`,"title":"x","capabilities":7`)
		if err := k.session.CancelTool(t.Context(), "c"); err != nil || !k.thread.Tool("c").Cancelable {
			t.Errorf("got %v", err)
		}
		if got := k.got("tool_call/cancel"); len(got) != 1 || string(got[0].Params) != `{"sessionId":"s","toolCallId":"c"}` || k.thread.Tool("c").Status != "in_progress" {
			t.Errorf("%v, %+v", got, k.thread.Tool("c"))
		}
		for _, none := range []string{`null`, `{}`, `{"cancel":null}`} {
			tool(`,"capabilities":{"cancel":{}}`)
			if tool(`,"capabilities":` + none); !refused(t.Context()) || k.thread.Tool("c").Cancelable {
				t.Errorf("%s still offers it", none)
			}
		}
		if err := k.session.CancelTerminal(t.Context(), "t"); !errors.Is(err, acpclient.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
		k.update(`{"sessionUpdate":"terminal_update","terminalId":"t","capabilities":{"cancel":{}}}`)
		k.settle()
		if err := k.session.CancelTerminal(t.Context(), "t"); err != nil || !k.thread.Terminal("t").Cancelable {
			t.Errorf("got %v", err)
		}
		tool(`,"status":"cancelled"`)
		if c := k.thread.Tool("c"); c.State() != thread.ToolCancelled {
			t.Errorf("got %+v", c)
		}
	})
}

// case 162: a turn may end with an error.
func TestCase162ErrorStop(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(running, `{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"overlo\u001b[31maded","data":"later"}}`)
		k.update(running, `{"sessionUpdate":"state_update","state":"idle","stopReason":"error"}`)
		ends := k.ends()
		var agent *event.AgentError
		if len(ends) != 2 || !errors.As(ends[0].Err, &agent) || agent.Code != -32603 || agent.Message != "overloaded" || agent.Detail != "later" || ends[1].Err == nil {
			t.Fatalf("got %+v", ends)
		}
		if last := k.thread.Items[0]; last.Kind != thread.TurnEnd || last.End.Err == nil {
			t.Errorf("got %+v", last)
		}
	})
}
