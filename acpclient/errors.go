package acpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/redact"
	"parley/internal/safetext"
)

// AgentError is an error that the agent answered with. Its text is safe to
// show.
type AgentError struct {
	Doing   string // what was being tried
	Code    int
	Message string
	Detail  string
	Data    json.RawMessage // as it came, not safe to show

	// Unsent says that the agent has answered nothing: the request could not be sent,
	// or its answer not be had. Then nobody knows whether the agent has it.
	Unsent bool
}

func (e *AgentError) Error() string {
	s := e.Doing + ": the agent answered: " + e.Message
	if e.Unsent {
		s = e.Doing + ": " + e.Message
	}
	if e.Detail != "" && e.Detail != e.Message {
		s += ": " + e.Detail
	}
	return fmt.Sprintf("%s (%d)", s, e.Code)
}

// AuthRequired tells whether the agent wants a login first (-32000).
func (e *AgentError) AuthRequired() bool { return e.Code == jsonrpc.CodeAuthRequired }

// CutOff tells whether a turn with this error was cut by the network: nobody knows
// whether the agent has its prompt, or what became of it.
func CutOff(err error) bool {
	var lost *LostError
	var answered *AgentError
	return errors.As(err, &lost) || errors.As(err, &answered) && answered.Unsent
}

// explain makes an error of a call readable and safe.
func (c *Client) explain(doing string, err error) error {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		var from struct{ Transport bool }
		json.Unmarshal(e.Data, &from)
		return &AgentError{Doing: doing, Unsent: from.Transport, Code: e.Code, Message: safetext.Line(plainMessage(e.Message), 2000), Detail: safetext.Line(e.Detail(), 2000), Data: e.Data}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// plainMessage is what a message says that is JSON by itself: gemini hands on what its
// server has answered, which may be wrapped several times.
func plainMessage(message string) string {
	for range 4 {
		var outer struct {
			Error   json.RawMessage
			Message string
		}
		if !strings.HasPrefix(strings.TrimSpace(message), "{") || json.Unmarshal([]byte(message), &outer) != nil {
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

func (c *Client) closedError() error {
	if err := c.Err(); err != nil {
		return err
	}
	return ErrClosed
}

// ErrUntaken is why a connection ended whose messages nobody took.
var ErrUntaken = errors.New("the agent went on talking while the screen could not show it: the connection was ended before memory ran out")

// ExitError says that a launched agent is gone, and what it left behind. Its
// strings are safe to show, and have no secrets.
type ExitError struct {
	Code   int    // exit code, -1 when a signal ended it or it still ran
	Signal string // "" unless a signal ended it
	Stderr []string
	Cause  error
}

func (e *ExitError) Error() string {
	switch {
	case errors.Is(e.Cause, ErrUntaken):
		return ErrUntaken.Error()
	case e.Signal != "":
		return "the agent was ended by " + e.Signal
	case e.Code >= 0:
		return fmt.Sprintf("the agent exited with code %d", e.Code)
	}
	return "the agent closed the connection"
}

// Unwrap makes it match ErrClosed and the cause.
func (e *ExitError) Unwrap() []error { return []error{ErrClosed, e.Cause} }

// exitError composes it after the process was reaped.
func exitError(p *transport.Stdio, cause error) error {
	e := &ExitError{Code: -1, Cause: cause}
	select {
	case <-p.Exit():
		if state := p.ExitState(); state.Exited && state.Signal == "" {
			e.Code = state.Code
		} else {
			e.Signal = state.Signal
		}
	case <-time.After(time.Second):
	}
	for _, l := range p.Stderr().Tail(20) {
		if l = safetext.Line(redact.Command(l), 500); l != "" {
			e.Stderr = append(e.Stderr, l)
		}
	}
	return e
}

// StartError says that an agent could not be launched at all.
type StartError struct {
	Command string
	Err     error
}

func (e *StartError) Error() string {
	if errors.Is(e.Err, exec.ErrNotFound) || errors.Is(e.Err, fs.ErrNotExist) {
		return fmt.Sprintf("start the agent: %s: not found; `parley agents` lists what there is", e.Command)
	}
	return fmt.Sprintf("start the agent: %s: %v", e.Command, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// mapError is the one place where an error of a service becomes what the agent
// is told.
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

// notFoundData adds the path to the error for a file that is not there.
func notFoundData(err error, path string) error {
	if e := mapError(err); e.Code == jsonrpc.CodeResourceNotFound {
		return e.WithData(map[string]string{"uri": path})
	}
	return err
}

// quirks are ways of single agents that this side makes up for.
type quirks struct {
	// missingFileIsEmpty: gemini reads a file before it creates it, and gives
	// up on any error instead of taking "not found" for what it is.
	missingFileIsEmpty bool
	// errorsAsText: gemini hands its model String(error) of what a file request ended
	// with, and of an object that is "[object Object]": the model never learns that the
	// user has refused a write, or has had another text written.
	errorsAsText bool
	// keyAsText: gemini takes the key of a login as a string, others as a member.
	keyAsText bool
}

func quirksOf(agentName string) quirks {
	gemini := strings.Contains(strings.ToLower(agentName), "gemini")
	return quirks{missingFileIsEmpty: gemini, errorsAsText: gemini, keyAsText: gemini}
}

// readError is fileError without the error that the agent cannot live with.
func (q quirks) readError(err error) error {
	if q.missingFileIsEmpty && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return q.fileError(err)
}

// fileError is an error of a file request in the shape in which the agent's model gets it.
func (q quirks) fileError(err error) error {
	if err != nil && q.errorsAsText {
		return mapError(err).AsText()
	}
	return err
}
