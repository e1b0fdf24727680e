package acpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// This file handles the messages of the agent in a replay.

// answered handles an answer of the agent.
func (r *Replay) answered(m jsonrpc.Message) {
	if _, ok := jsonscan.Int(m.ID); !ok {
		r.unnamed(m.Err)
		return
	}
	key := m.Key()
	req := r.asked[key]
	delete(r.asked, key)
	if req != nil && req.answered != nil {
		req.answered(m.Result, m.Err)
	}
}

// unnamed handles an answer without an id, as jsonrpc.Peer does: after a while it
// becomes the answer to the only open request.
func (r *Replay) unnamed(err error) {
	e, ok := err.(*jsonrpc.Error)
	if !ok || e.Code != jsonrpc.CodeParseError && e.Code != jsonrpc.CodeInvalidRequest || len(r.asked) != 1 || r.nameless != nil {
		return
	}
	for key, req := range r.asked {
		r.nameless = &nameless{at: r.now, key: key, req: req, err: err}
	}
}

// attach stops waiting for a better answer than one without an id.
func (r *Replay) attach() {
	n := r.nameless
	if r.nameless = nil; n == nil || r.asked[n.key] != n.req {
		return
	}
	delete(r.asked, n.key)
	if n.req.answered != nil {
		current := r.client.in.current
		r.client.in.current = 0
		n.req.answered(nil, n.err)
		r.client.in.current = current
	}
}

// notified handles a notification of the agent.
func (r *Replay) notified(m jsonrpc.Message) {
	if m.Method == "session/update" && r.concerns(m) {
		r.client.sessionUpdated(m.Params)
	}
}

// concerns reports whether a message belongs to the session or to a sub-agent of it. Only the
// session's own updates announce sub-agents, so the Client knows no others.
func (r *Replay) concerns(m jsonrpc.Message) bool {
	id := m.Session()
	return id == r.id || id != "" && r.client.sessions.session(id) != nil
}

// requested handles a request of the agent.
func (r *Replay) requested(m jsonrpc.Message) {
	if !r.concerns(m) || r.known() == nil {
		return
	}
	switch m.Method {
	case "session/request_permission":
		q := &question{id: m.Key()}
		r.asking = q
		q.work = r.client.surface.request(r.client, jsonrpc.Request{ID: bytes.Clone(m.ID), Method: m.Method, Params: bytes.Clone(m.Params), Session: m.Session()})
		if r.asking = nil; q.key != 0 {
			r.questions = append(r.questions, q)
		}
	case "terminal/create":
		if c, err := wire.DecodeCreateTerminal(m.Params); err == nil {
			r.calls[m.Key()] = &terminalCall{method: m.Method, line: commandLine(c.Command, c.Args), cwd: c.Cwd}
		}
	case "terminal/output", "terminal/wait_for_exit", "terminal/release":
		if ref, err := wire.DecodeTerminalRef(m.Params); err == nil {
			r.calls[m.Key()] = &terminalCall{method: m.Method, id: ref.TerminalID}
		}
	}
}

// question is a question of the agent. It implements PendingQuestion: when its work runs the
// decision is known.
type question struct {
	id       string // the key of the request's id
	key      uint64 // 0: it was not shown
	work     jsonrpc.Work
	decision Decision
}

func (q *question) Key() uint64                   { return q.key }
func (q *question) Judge()                        {}
func (q *question) Wait(context.Context) Decision { return q.decision }

// answeredQuestions implements Permissions with the answers of the log.
type answeredQuestions Replay

func (a *answeredQuestions) Ask(Question) PendingQuestion {
	a.lastKey++
	a.asking.key = a.lastKey
	return a.asking
}

func (a *answeredQuestions) CancelSession(string) {} // the log has the answers

func (r *Replay) answer(q *question, d Decision) {
	r.questions = slices.DeleteFunc(r.questions, func(o *question) bool { return o == q })
	q.decision = d
	q.work(context.Background())
}

// terminalCall is a request of the agent to one of parley's terminals.
type terminalCall struct{ method, id, line, cwd string }

// terminalShown is one of these terminals, with as much output as the agent got.
type terminalShown struct {
	id, output string
	over       bool
}

// served handles the answer to such a request.
func (r *Replay) served(s *Session, call *terminalCall, result []byte) {
	switch call.method {
	case "terminal/create":
		var created wire.CreateTerminalResponse
		if json.Unmarshal(result, &created) == nil && created.TerminalID != "" {
			r.terminal(created.TerminalID)
			s.post(event.TerminalStarted{For: s.localContext(), ID: created.TerminalID, Command: safetext.Line(call.line, maxPhrase), Cwd: safetext.Line(call.cwd, maxPhrase)})
		}
	case "terminal/output":
		var got wire.TerminalOutputResponse
		if json.Unmarshal(result, &got) != nil {
			return
		}
		t := r.terminal(call.id)
		if more, ok := strings.CutPrefix(got.Output, t.output); !ok {
			s.post(event.TerminalReplaced{For: s.localContext(), ID: t.id, Data: []byte(got.Output)})
		} else if more != "" {
			s.post(event.TerminalOutput{For: s.localContext(), ID: t.id, Data: []byte(more)})
		}
		if t.output = got.Output; got.ExitStatus != nil {
			r.exited(t, *got.ExitStatus)
		}
	case "terminal/wait_for_exit":
		var status wire.ExitStatus
		if json.Unmarshal(result, &status) == nil {
			r.exited(r.terminal(call.id), status)
		}
	case "terminal/release": // it was killed if it was still running
		r.exited(r.terminal(call.id), wire.ExitStatus{})
	}
}

func (r *Replay) terminal(id string) *terminalShown {
	t := r.terminals[id]
	if t == nil {
		t = &terminalShown{id: id}
		r.terminals[id] = t
		r.started = append(r.started, t)
	}
	return t
}

// exited posts the exit of a terminal, once.
func (r *Replay) exited(t *terminalShown, status wire.ExitStatus) {
	if t.over {
		return
	}
	t.over = true
	e := event.TerminalExited{For: event.For{Session: r.id}, ID: t.id, Code: status.ExitCode}
	if status.Signal != nil {
		e.Signal = safetext.Line(*status.Signal, 40)
	}
	r.client.opts.Sink.Post(e)
}

// commandLine returns a command as one would type it.
func commandLine(command string, args []string) string {
	line := command
	for _, a := range args {
		plain := func(c rune) bool {
			return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./-", c)
		}
		if a == "" || strings.ContainsFunc(a, func(c rune) bool { return !plain(c) }) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		line += " " + a
	}
	return line
}
