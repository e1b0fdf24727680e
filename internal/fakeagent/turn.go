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

// Login is what a turn returns that asks for a login.
const Login = "login"

// Turn is one prompt on the agent's side.
type Turn struct {
	Agent   *Agent
	Session string
	Text    string // of its first block
	Blocks  string // JSON
	N       int    // prompts that the agent was sent with this one

	ctx    context.Context // of the request, later of the connection
	stop   chan struct{}   // closed by session/cancel
	halt   func()
	before chan struct{} // closed when the turn before it is over; nil: there is none
	done   chan struct{}
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
	t.N = len(a.prompts)
	if others := a.turns[t.Session]; len(others) > 0 {
		t.before = others[len(others)-1].done
	}
	a.turns[t.Session] = append(a.turns[t.Session], t)
	a.mu.Unlock()
	turn, hold := a.script.does()
	return func(ctx context.Context) (any, error) {
		t.ctx = ctx
		if a.script.Protocol != "2" {
			defer t.over()
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

// answerOf is the answer of version 1 to a prompt whose turn ended so.
func answerOf(reason string) (any, error) {
	switch reason {
	case "":
		return nil, jsonrpc.Errorf(-32603, "Internal error: the model is away")
	case Login:
		return nil, jsonrpc.Errorf(-32000, "who are you?")
	}
	return map[string]string{"stopReason": reason}, nil
}

// over ends the turn on the agent's side.
func (t *Turn) over() {
	t.leave()
	close(t.done)
}

func (t *Turn) leave() {
	t.Agent.mu.Lock()
	defer t.Agent.mu.Unlock()
	t.Agent.turns[t.Session] = slices.DeleteFunc(t.Agent.turns[t.Session], func(o *Turn) bool { return o == t })
}

// refused is the end of a prompt that was not taken. Those after it wait for the turn
// before it.
func (t *Turn) refused() {
	t.leave()
	go func() {
		if t.before != nil {
			select {
			case <-t.before:
			case <-t.Agent.life.Done():
			}
		}
		close(t.done)
	}()
}

// MidTurn tells whether another turn was under way when the prompt came.
func (t *Turn) MidTurn() bool {
	if t.before == nil {
		return false
	}
	select {
	case <-t.before:
		return false
	default:
		return true
	}
}

// Take makes a prompt of version 2 part of the conversation once the turns before it
// are over, and returns the answer that says so. It may be withdrawn until then.
func (t *Turn) Take() (string, error) {
	if t.before != nil {
		select {
		case <-t.before:
		case <-t.ctx.Done():
			return "", jsonrpc.ErrRequestCancelled
		case <-t.stop:
			return "", jsonrpc.ErrRequestCancelled
		}
	}
	return t.Insert()
}

// Insert does so at once.
func (t *Turn) Insert() (string, error) {
	id := fmt.Sprintf("u%d", t.N)
	t.Agent.Update(t.Session, `{"sessionUpdate":"user_message_chunk","messageId":"`+id+`","content":{"type":"text","text":`+Quote(t.Text)+`}}`)
	return `{"messageId":"` + id + `"}`, nil
}

// run is a turn of version 2, after the answer to its prompt.
func (t *Turn) run(turn func(*Turn) string) {
	defer close(t.done)
	t.ctx = t.Agent.life
	time.Sleep(time.Millisecond)
	t.state(`"running"`)
	rest := `"error","error":{"code":-32603,"message":"the model is away"}`
	switch reason := turn(t); reason {
	case "":
	case Login:
		rest = `"error","error":{"code":-32000,"message":"who are you?"}`
	default:
		rest = Quote(reason)
	}
	t.leave()
	t.state(`"idle","stopReason":` + rest)
}

func (t *Turn) state(state string) {
	t.Agent.Update(t.Session, `{"sessionUpdate":"state_update","state":`+state+`}`)
}

// Say sends a piece of the answer.
func (t *Turn) Say(text string) {
	t.Agent.Update(t.Session, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":`+Quote(text)+`}}`)
}

// Update sends a session/update, given as JSON.
func (t *Turn) Update(update string) { t.Agent.Update(t.Session, update) }

// Ask asks for permission and returns the outcome.
func (t *Turn) Ask(tool, options string) string {
	return t.Agent.Ask(context.Background(), t.Session, tool, options)
}

// Elicit asks for a form or a page.
func (t *Turn) Elicit(params string) { t.Agent.Elicit(context.Background(), params) }

// Wait lets time pass, less of it when the turn is stopped or the connection ends.
func (t *Turn) Wait(d time.Duration) (stopped bool) {
	select {
	case <-time.After(d):
		return false
	case <-t.ctx.Done():
	case <-t.stop:
	}
	return true
}

// Ignore lets time pass, and does not care about being stopped; it ends with the
// connection.
func (t *Turn) Ignore(d time.Duration) {
	select {
	case <-time.After(d):
	case <-t.Agent.life.Done():
	}
}

// Wait lets time pass before the answer, less of it when the request or the connection
// ends.
func (c *Call) Wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.Ctx.Done():
	}
}
