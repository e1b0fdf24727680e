package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"

	"parley/internal/safetext"
)

// ErrClosed is the error of every operation once the connection has ended.
var ErrClosed = errors.New("connection closed")

// ErrNoSession means that the session that was asked for does not exist, or the agent refuses it.
var ErrNoSession = errors.New("no such session")

// ErrVersion means that the agent and parley have no version of ACP in common.
var ErrVersion = errors.New("no common protocol version")

// ErrQueueFull means that a connection ended because too many of its events were waiting.
var ErrQueueFull = errors.New("the agent sent more than the screen could show; the connection was closed to save memory")

// AgentError is an error answer of the agent. Its text is safe to show.
type AgentError struct {
	Op      string // what was being tried
	Code    int
	Message string
	Detail  string
	Data    json.RawMessage // verbatim, not safe to show

	// NoResponse means that there is no answer: the request could not be sent or its answer
	// not be received. It is then unknown whether the agent has the request.
	NoResponse bool
}

func (e *AgentError) Error() string {
	s := e.Op + ": the agent answered: " + e.Message
	if e.NoResponse {
		s = e.Op + ": " + e.Message
	}
	if e.Detail != "" && e.Detail != e.Message {
		s += ": " + e.Detail
	}
	return fmt.Sprintf("%s (%d)", s, e.Code)
}

// authRequired is ACP's code for a missing login.
const authRequired = -32000

// AuthRequired reports whether the agent wants a login first (-32000).
func (e *AgentError) AuthRequired() bool { return e.Code == authRequired }

// StartError means that an agent could not be started.
type StartError struct {
	Command string
	Err     error
}

func (e *StartError) Error() string {
	if errors.Is(e.Err, exec.ErrNotFound) || errors.Is(e.Err, fs.ErrNotExist) {
		return fmt.Sprintf("cannot start %q: command not found", e.Command)
	}
	why := e.Err
	if of, ok := errors.AsType[*fs.PathError](why); ok && of.Op == "fork/exec" { // it names the program again
		why = of.Err
	}
	return fmt.Sprintf("cannot start %q: %v", e.Command, why)
}

func (e *StartError) Unwrap() error { return e.Err }

// ExitError means that a launched agent has exited, with the last lines it wrote. Its
// strings are safe to show and free of secrets.
type ExitError struct {
	Code   int    // exit code, -1 if a signal ended it or it still ran
	Signal string // "" unless a signal ended it
	Stderr []string
	Cause  error
}

func (e *ExitError) Error() string {
	switch {
	case errors.Is(e.Cause, ErrQueueFull):
		return ErrQueueFull.Error()
	case e.Signal != "":
		return "the agent was ended by " + e.Signal
	case e.Code >= 0:
		return fmt.Sprintf("the agent exited with code %d", e.Code)
	}
	return "the agent closed the connection"
}

// Unwrap makes it match ErrClosed and the cause.
func (e *ExitError) Unwrap() []error { return []error{ErrClosed, e.Cause} }

// LostError means that a remote agent cannot be reached, or no longer. What the agent
// does meanwhile is unknown. Its text is safe to show and free of secrets.
type LostError struct {
	URL    string // the URL without user and query
	Cause  error
	Advice string // what to type about it, safe to show; "" if nothing is known
}

func (e *LostError) Error() string {
	why := strings.TrimPrefix(e.Cause.Error(), ErrClosed.Error()+": ")
	why = strings.TrimPrefix(why, "connect to "+e.URL+": ")
	if why == ErrClosed.Error() {
		why = "the other side has ended it"
	}
	text := fmt.Sprintf("no connection to %s: %s", safetext.Line(e.URL, 200), safetext.Line(why, 500))
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Unwrap makes it match ErrClosed and the cause.
func (e *LostError) Unwrap() []error { return []error{ErrClosed, e.Cause} }

// Retryable reports whether an automatic retry makes sense.
func (e *LostError) Retryable() bool {
	var cause interface{ Retryable() bool }
	return !errors.As(e.Cause, &cause) || cause.Retryable()
}

// InterruptedByNetwork reports whether the network interrupted a turn with this error. It is then
// unknown whether the agent has the prompt and how far it got.
func InterruptedByNetwork(err error) bool {
	var lost *LostError
	var answered *AgentError
	return errors.As(err, &lost) || errors.As(err, &answered) && answered.NoResponse
}
