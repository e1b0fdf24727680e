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

// ErrClosed is what everything ends with once the connection is over.
var ErrClosed = errors.New("connection closed")

// ErrVersion means that the agent speaks no version of ACP that parley speaks.
var ErrVersion = errors.New("no common protocol version")

// ErrUntaken is why a connection ended whose messages nobody took.
var ErrUntaken = errors.New("the agent went on talking while the screen could not show it: the connection was ended before memory ran out")

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

// authRequired is the code of ACP for that.
const authRequired = -32000

// AuthRequired tells whether the agent wants a login first (-32000).
func (e *AgentError) AuthRequired() bool { return e.Code == authRequired }

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

// ExitError says that a launched agent is gone, and what it wrote last. Its
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

// LostError says that there is no connection to a remote agent, or no longer one.
// What the agent does meanwhile nobody knows. Its text is safe to show and holds
// no secrets.
type LostError struct {
	Place string // the URL without user and query
	Cause error
}

func (e *LostError) Error() string {
	why := strings.TrimPrefix(e.Cause.Error(), ErrClosed.Error()+": ")
	if why == ErrClosed.Error() {
		why = "the other side has ended it"
	}
	return fmt.Sprintf("no connection to %s: %s", safetext.Line(e.Place, 200), safetext.Line(why, 500))
}

// Unwrap makes it match ErrClosed and the cause.
func (e *LostError) Unwrap() []error { return []error{ErrClosed, e.Cause} }

// Unauthorized tells whether the server wants other credentials: then trying
// again is of no use.
func (e *LostError) Unauthorized() bool {
	var cause interface{ Unauthorized() bool }
	return errors.As(e.Cause, &cause) && cause.Unauthorized()
}

// Again tells whether it makes sense to try again by itself: the cause knows, or it
// does.
func (e *LostError) Again() bool {
	var cause interface{ Again() bool }
	return !errors.As(e.Cause, &cause) || cause.Again()
}

// CutOff tells whether a turn with this error was cut by the network: nobody knows
// whether the agent has its prompt, or what became of it.
func CutOff(err error) bool {
	var lost *LostError
	var answered *AgentError
	return errors.As(err, &lost) || errors.As(err, &answered) && answered.Unsent
}
