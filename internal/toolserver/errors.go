package toolserver

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"

	"parley/acpclient/jsonrpc"
	"parley/internal/safetext"
)

// maxErrorText bounds the text of an error, in bytes.
const maxErrorText = 1000

// missing is an error and its meaning if something does not exist.
type missing struct {
	error
	means string
}

func (e missing) Unwrap() error { return e.error }

func noFile(path string, err error) error { return missing{err, "There is no such file: " + path} }

func noCommand(err error) error {
	return missing{err, "There is no such command, or no such working directory."}
}

// errorText describes an error to a model.
func errorText(err error) string {
	var told *jsonrpc.Error
	var of missing
	says := ""
	switch {
	case errors.Is(err, errStopped):
		says = "The user stopped this."
	case errors.Is(err, errWithdrawn):
		says = "The session is over: its files and commands are no longer available."
	case errors.Is(err, errBusy):
		says = "Too many calls are under way at once. Wait for some of them to end."
	case errors.Is(err, context.Canceled):
		says = "The call was cancelled."
	case errors.As(err, &told): // meant for the caller
		says = strings.TrimPrefix(strings.TrimPrefix(told.Message, "Invalid params: "), "terminal: ")
	case (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) && errors.As(err, &of):
		says = of.means
	default:
		says = strings.TrimPrefix(strings.TrimSuffix(err.Error(), ": "+fs.ErrInvalid.Error()), "terminal: ")
	}
	return safetext.Line(says, maxErrorText)
}
