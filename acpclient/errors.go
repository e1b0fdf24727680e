package acpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/jsonscan"
	"parley/internal/lazy"
	"parley/internal/redact"
	"parley/internal/safetext"
)

// explain makes an error of a call readable and safe to show.
func (c *Client) explain(doing string, err error) error {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		var from struct{ Transport bool }
		json.Unmarshal(e.Data, &from)
		return &event.AgentError{Op: doing, NoResponse: from.Transport, Code: e.Code, Message: safetext.Line(plainMessage(e.Message), 2000), Detail: safetext.Line(plainMessage(e.Detail()), 2000), Data: e.Data}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// callFailed is explain for a call that its goroutine has waited for. If the connection has ended, it waits
// for the reason, such as the exit code of the agent.
func (c *Client) callFailed(doing string, err error) error {
	if errors.Is(err, event.ErrClosed) {
		select {
		case <-c.ended:
			err = c.Err()
		case <-c.closing: // by this side
		}
	}
	return c.explain(doing, err)
}

// plainMessage returns the message inside a message that is JSON: gemini passes on its
// server's answer, which may be wrapped several times and be a list.
func plainMessage(message string) string {
	for range 4 {
		var outer struct {
			Error   json.RawMessage
			Message string
		}
		raw := []byte(strings.TrimSpace(message))
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
			raw = list[0]
		}
		if jsonscan.KindOf(raw) != jsonscan.Object || json.Unmarshal(raw, &outer) != nil {
			break
		}
		var inner struct{ Message string }
		var text string
		if json.Unmarshal(outer.Error, &inner) != nil {
			json.Unmarshal(outer.Error, &text)
		}
		next := cmp.Or(inner.Message, text, outer.Message)
		if next == "" {
			break
		}
		message = next
	}
	return message
}

// exitError describes the exit of the agent after its process was reaped.
func exitError(p *transport.Stdio, cause error) error {
	e := &event.ExitError{Code: -1, Cause: cause}
	select {
	case <-p.Exit():
		if state := p.ExitState(); state.Exited && state.Signal == "" {
			e.Code = state.Code
		} else {
			e.Signal = state.Signal
		}
	case <-time.After(time.Second):
	}
	e.Stderr = stderrTail(p)
	return e
}

// routine matches lines that only say what was done and how long it took, such as
// "[session/create] phase=settings durationMs=15". failing matches those that may say more.
var (
	routine = lazy.Regexp(`^\[[\w/.:-]+\](\s+\w+=\S*)+\s*$`)
	failing = lazy.Regexp(`(?i)err|fail|fatal|panic|warn|denied|refused`)
)

// stderrTail returns the last lines of an agent's stderr that may say why it has ended: each
// once, without routine, safe to show and free of secrets.
func stderrTail(p *transport.Stdio) (lines []string) {
	const most = 20
	for _, l := range slices.Backward(p.Stderr().Tail(10 * most)) {
		if routine().MatchString(l) && !failing().MatchString(l) {
			continue
		}
		if l = safetext.Line(redact.Command(l), 500); l != "" && len(lines) < most && !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	slices.Reverse(lines)
	return lines
}

// mapError maps errors of services to the errors that the agent gets. It is the only
// place that does.
func mapError(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return jsonrpc.ErrRequestCancelled
	case errors.Is(err, fs.ErrNotExist):
		return jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "Resource not found: %v", err)
	case errors.Is(err, fs.ErrInvalid):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: %v", err)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "%v", err)
}

// notFoundData adds the path to the error for a missing file.
func notFoundData(err error, path string) error {
	if e := mapError(err); e.Code == jsonrpc.CodeResourceNotFound {
		return e.WithData(map[string]string{"uri": path})
	}
	return err
}

// quirks are the workarounds for single agents.
type quirks struct {
	// missingFileIsEmpty: gemini reads a file before it creates it, and gives up on any
	// error, including "not found".
	missingFileIsEmpty bool
	// errorsAsText: gemini passes String(error) of a file request to its model, which is
	// "[object Object]" for an object: the model does not learn that the user has
	// refused or changed a write.
	errorsAsText bool
	// keyAsText: gemini accepts the key of a login as a string, other agents as a
	// member.
	keyAsText bool
	// marksOwnTurns: claude begins turns of v1 by itself and marks their end.
	marksOwnTurns bool
}

func quirksOf(agentName string) quirks {
	name := strings.ToLower(agentName)
	gemini := strings.Contains(name, "gemini")
	return quirks{missingFileIsEmpty: gemini, errorsAsText: gemini, keyAsText: gemini, marksOwnTurns: strings.Contains(name, "claude-agent-acp")}
}

// readError is fileError without the error that makes the agent give up.
func (q quirks) readError(err error) error {
	if q.missingFileIsEmpty && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return q.fileError(err)
}

// fileError returns an error of a file request in a form that the agent's model can
// read.
func (q quirks) fileError(err error) error {
	if err != nil && q.errorsAsText {
		return mapError(err).AsText()
	}
	return err
}
