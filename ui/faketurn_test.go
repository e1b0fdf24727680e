package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"parley/acpclient/jsonrpc"
)

// turn is one prompt on the agent's side.
type turn struct {
	a       *agent
	n       int // how many prompts the agent has got with this one
	session string
	text    string
	ctx     context.Context
	stop    chan struct{} // closed by session/cancel
	halt    func()        // closes it
	before  chan struct{} // closed when the one before it is over
	done    chan struct{}
}

func (a *agent) prompted(params []byte) jsonrpc.Work {
	var p struct {
		SessionID string
		Prompt    []struct{ Text string }
	}
	json.Unmarshal(params, &p)
	var raw struct{ Prompt json.RawMessage }
	json.Unmarshal(params, &raw)
	t := &turn{a: a, session: p.SessionID, text: p.Prompt[0].Text, stop: make(chan struct{}), done: make(chan struct{})}
	t.halt = sync.OnceFunc(func() { close(t.stop) })
	a.mu.Lock()
	a.prompts = append(a.prompts, t.text)
	a.blocks = append(a.blocks, string(raw.Prompt))
	t.n = len(a.prompts)
	if earlier := a.turns[t.session]; len(earlier) > 0 {
		t.before = earlier[len(earlier)-1].done
	}
	a.turns[t.session] = append(a.turns[t.session], t)
	a.mu.Unlock()
	does := a.does()
	return func(ctx context.Context) (any, error) {
		t.ctx = ctx
		if does.protocol == "2" {
			answer := t.hold
			if does.holds != nil {
				answer = func() (string, error) { return does.holds(t) }
			}
			result, err := answer()
			if err != nil {
				t.leave()
			}
			return json.RawMessage(result), err
		}
		defer a.leaveTurn(t)
		reason := does.turn(t)
		switch reason {
		case "":
			return nil, jsonrpc.Errorf(-32603, "Internal error: the model is away")
		case "login":
			return nil, jsonrpc.Errorf(-32000, "who are you?")
		}
		return map[string]string{"stopReason": reason}, nil
	}
}

// hold is the default of an agent of v2 for a prompt: it waits for the turns before it, or is
// withdrawn.
func (t *turn) hold() (string, error) {
	if t.before != nil {
		select {
		case <-t.before:
		case <-t.ctx.Done():
			return t.withdrawn()
		case <-t.stop:
			return t.withdrawn()
		}
	}
	answer := t.inserted()
	go t.run()
	return answer, nil
}

// withdrawn answers a prompt that is no longer to be inserted.
func (t *turn) withdrawn() (string, error) { return "", jsonrpc.ErrRequestCancelled }

// leave ends a prompt that was not inserted. Those after it continue to wait.
func (t *turn) leave() {
	t.a.leaveTurn(t)
	go func() {
		if t.before != nil {
			select {
			case <-t.before:
			case <-t.a.life.Done():
			}
		}
		close(t.done)
	}()
}

// inserted makes a prompt of v2 part of the conversation and returns the response that says so.
func (t *turn) inserted() string {
	id := fmt.Sprintf("u%d", t.n)
	t.a.updateIn(t.session, `{"sessionUpdate":"user_message_chunk","messageId":"`+id+`","content":{"type":"text","text":`+quoted(t.text)+`}}`)
	return `{"messageId":"` + id + `"}`
}

// run runs a turn of v2, after the response to its prompt.
func (t *turn) run() {
	defer close(t.done)
	t.ctx = t.a.life
	time.Sleep(time.Millisecond)
	t.a.state(t.session, `"running"`)
	rest := `"error","error":{"code":-32603,"message":"the model is away"}`
	if reason := t.a.does().turn(t); reason != "" {
		rest = quoted(reason)
	}
	t.a.leaveTurn(t)
	t.a.state(t.session, `"idle","stopReason":`+rest)
}

func (t *turn) say(text string) {
	t.a.sayIn(t.session, "agent", text)
}

// until lets time pass, or returns early when the turn is stopped.
func (t *turn) until(d time.Duration) (stopped bool) {
	select {
	case <-time.After(d):
		return false
	case <-t.ctx.Done():
	case <-t.stop:
	}
	return true
}

// ask asks for permission.
func (t *turn) ask(tool, options string) string { return t.a.ask(t.session, tool, options) }
