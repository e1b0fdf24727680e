package fakeagent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/acpclient/jsonrpc"
)

// Login is the stop reason of a turn that fails with a request to log in.
const Login = "login"

// Turn is one prompt, as the agent sees it.
type Turn struct {
	Agent   *Agent
	Session string
	Text    string          // the text of its first block
	Blocks  string          // JSON
	Cwd     string          // working directory of the session
	N       int             // number of prompts received, including this one
	Ctx     context.Context // ends with the request, later with the connection

	stop     chan struct{} // closed by session/cancel
	halt     func()
	previous chan struct{} // closed when the previous turn is over; nil if there is none
	done     chan struct{}
}

func (a *Agent) prompted(params []byte) jsonrpc.Work {
	var in struct {
		SessionID string
		Prompt    []struct{ Text string }
	}
	var raw struct{ Prompt json.RawMessage }
	json.Unmarshal(params, &in)
	json.Unmarshal(params, &raw)
	t := &Turn{Agent: a, Session: in.SessionID, Text: in.Prompt[0].Text, Blocks: string(raw.Prompt), stop: make(chan struct{}), done: make(chan struct{})}
	t.halt = sync.OnceFunc(func() { close(t.stop) })
	a.mu.Lock()
	a.prompts, a.blocks = append(a.prompts, t.Text), append(a.blocks, t.Blocks)
	t.N, t.Cwd = len(a.prompts), a.dirs[t.Session]
	if others := a.turns[t.Session]; len(others) > 0 {
		t.previous = others[len(others)-1].done
	}
	a.turns[t.Session] = append(a.turns[t.Session], t)
	a.mu.Unlock()
	turn, hold := a.script.does()
	return func(ctx context.Context) (any, error) {
		t.Ctx = ctx
		if a.script.Protocol != "2" {
			defer t.finish()
			return answerOf(turn(t))
		}
		result, err := hold(t)
		if err != nil {
			t.refused()
			return nil, err
		}
		go t.run(turn)
		return json.RawMessage(result), nil
	}
}

// answerOf returns the answer of ACP v1 to a prompt, given the stop reason of its turn or the answer as
// JSON.
func answerOf(reason string) (any, error) {
	switch reason {
	case "":
		return nil, jsonrpc.Errorf(-32603, "Internal error: the model is away")
	case Login:
		return nil, jsonrpc.Errorf(-32000, "who are you?")
	}
	if reason[0] == '{' || reason == "null" {
		return json.RawMessage(reason), nil
	}
	return map[string]string{"stopReason": reason}, nil
}

// finish ends the turn on the agent's side.
func (t *Turn) finish() {
	t.leave()
	close(t.done)
}

func (t *Turn) leave() {
	t.Agent.mu.Lock()
	defer t.Agent.mu.Unlock()
	t.Agent.turns[t.Session] = slices.DeleteFunc(t.Agent.turns[t.Session], func(o *Turn) bool { return o == t })
}

// refused removes a prompt that was not accepted. Later prompts still wait for the turn before it.
func (t *Turn) refused() {
	t.leave()
	go func() {
		if t.previous != nil {
			select {
			case <-t.previous:
			case <-t.Agent.connCtx.Done():
			}
		}
		close(t.done)
	}()
}

// MidTurn reports whether another turn was running when the prompt arrived.
func (t *Turn) MidTurn() bool {
	if t.previous == nil {
		return false
	}
	select {
	case <-t.previous:
		return false
	default:
		return true
	}
}

// AcceptInOrder waits for the earlier turns, then adds a prompt of ACP v2 to the conversation and returns
// the answer that says so. Until then the prompt may be withdrawn.
func (t *Turn) AcceptInOrder() (string, error) {
	if t.previous != nil {
		select {
		case <-t.previous:
		case <-t.Ctx.Done():
			return "", jsonrpc.ErrRequestCancelled
		case <-t.stop:
			return "", jsonrpc.ErrRequestCancelled
		}
	}
	return t.Accept()
}

// Accept is AcceptInOrder without waiting.
func (t *Turn) Accept() (string, error) {
	id := fmt.Sprintf("u%d", t.N)
	t.Agent.Update(t.Session, `{"sessionUpdate":"user_message_chunk","messageId":"`+id+`","content":{"type":"text","text":`+Quote(t.Text)+`}}`)
	return `{"messageId":"` + id + `"}`, nil
}

// run runs a turn of ACP v2, after its prompt was answered.
func (t *Turn) run(turn func(*Turn) string) {
	defer close(t.done)
	t.Ctx = t.Agent.connCtx
	time.Sleep(time.Millisecond)
	t.Agent.State(t.Session, `"running"`)
	rest := `"error","error":{"code":-32603,"message":"the model is away"}`
	switch reason := turn(t); reason {
	case "":
	case Login:
		rest = `"error","error":{"code":-32000,"message":"who are you?"}`
	default:
		rest = Quote(reason)
	}
	t.leave()
	t.Agent.State(t.Session, `"idle","stopReason":`+rest)
}

// Say sends a chunk of the answer.
func (t *Turn) Say(text string) { t.Agent.Say(t.Session, "agent", text) }

// Update sends a session/update, given as JSON.
func (t *Turn) Update(update string) { t.Agent.Update(t.Session, update) }

// Ask asks for permission and returns the outcome.
func (t *Turn) Ask(tool, options string) string {
	return t.Agent.Ask(context.Background(), t.Session, tool, options)
}

// Elicit asks for a form or a page.
func (t *Turn) Elicit(params string) { t.Agent.Elicit(context.Background(), params) }

// Stopped returns a channel that is closed by session/cancel.
func (t *Turn) Stopped() <-chan struct{} { return t.stop }

// Wait waits for d, or until the turn is stopped or the connection ends.
func (t *Turn) Wait(d time.Duration) (stopped bool) {
	select {
	case <-time.After(d):
		return false
	case <-t.Ctx.Done():
	case <-t.stop:
	}
	return true
}

// WaitThroughStop waits for d even if the turn is stopped. It returns early if the connection ends.
func (t *Turn) WaitThroughStop(d time.Duration) {
	select {
	case <-time.After(d):
	case <-t.Agent.connCtx.Done():
	}
}

// Wait waits for d before the answer, or until the request or the connection ends.
func (c *Call) Wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.Ctx.Done():
	}
}
