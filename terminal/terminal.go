// Package terminal runs commands for an agent. It implements terminal/* of ACP v1 (PROTOCOL 2.2)
// but not the protocol itself. Whether a command may run is decided before [Service.Create] is
// called.
//
// A terminal is a command with its output. Its id is unique for the life of the [Service] and valid
// only in the session that created it. Standard input is empty; standard output and standard error
// share one pipe. Every command leads its own process group without a controlling terminal, and
// Kill and Release end the whole group. Only the newest output is kept, so memory is bounded.
//
// An attended command, which only the user can ask for, runs on a pseudo terminal instead.
// [Service.Attach] connects a front end to it, one at a time. [Service.TakeOver] restarts a running
// command that way. Its output is kept as well, with the pseudo terminal's line breaks converted
// back, and includes what the pseudo terminal echoes. Keys are never stored.
//
// All methods are safe for concurrent use. Kill, Release, TakeOver, CloseSession and Close wait for
// processes to end, WaitForExit for as long as the command runs; the others do not block.
// Options.Confine limits what a command can do.
package terminal

import (
	"errors"
	"os/exec"
	"time"
)

var (
	// ErrUnknown says that the session has no such terminal, or no longer.
	ErrUnknown = errors.New("terminal: unknown terminal")
	// ErrRelativeDir says that the working directory is not an absolute path.
	ErrRelativeDir = errors.New("terminal: working directory is not an absolute path")
	// ErrReleased is what a pending WaitForExit returns when the terminal is released.
	ErrReleased = errors.New("terminal: released")
	// ErrTooMany says that the session runs as many commands as it may; the error gives the limit.
	ErrTooMany = errors.New("terminal: too many commands are running")
	// ErrTooManyKept says that the session has as many unreleased terminals as it may; the error
	// gives the limit.
	ErrTooManyKept = errors.New("terminal: too many terminals are not released")
	// ErrInvalid says that a command is empty or has an invalid variable name.
	ErrInvalid = errors.New("terminal: invalid command")
	// ErrClosed says that the Service was closed.
	ErrClosed = errors.New("terminal: closed")
	// ErrNoPTY says that no pseudo terminal is available: never on Windows, elsewhere if none is
	// free.
	ErrNoPTY = errors.New("terminal: no pseudo terminal")
	// ErrExited says that a command has ended, or is about to, and cannot be taken over.
	ErrExited = errors.New("terminal: the command has ended")
	// ErrNotAttended says that a command has no terminal to attach to.
	ErrNotAttended = errors.New("terminal: the command has no terminal of its own")
	// ErrAttached says that another front end is attached, or that the command is being taken over.
	ErrAttached = errors.New("terminal: somebody has the command's keyboard already")
	// ErrInputFull says that a command does not read its input, and that some of it was dropped.
	ErrInputFull = errors.New("terminal: the command does not read its input")
)

const (
	defaultMaxOutput     = 4 << 20
	defaultMaxPerSession = 32
	defaultMaxKept       = 256
	defaultGrace         = 200 * time.Millisecond

	// keepExited is how many finished terminals of a session keep all their output until they are
	// released; older ones keep keepOldOutput bytes. Some agents never release. This bounds the
	// memory of a session.
	keepExited    = 16
	keepOldOutput = 4 << 10

	readBuffer = 32 << 10
	// drainWait is how long output may continue after a command has ended before it counts as
	// complete: a child in the background can hold the pipe open forever. Later output is kept but
	// not notified.
	drainWait = 500 * time.Millisecond
	// drainLimit bounds the output notified after drainWait: more than a pipe holds means that
	// something still writes.
	drainLimit = 1 << 20
	// endWait is the longest wait for a killed process to disappear.
	endWait = 5 * time.Second
)

// Options configure a Service. The zero value is usable.
type Options struct {
	Environ       []string      // environment of all commands, "NAME=value"; nil = os.Environ()
	Attended      []string      // environment of attended ones in its place; nil = Environ
	Shell         string        // runs command lines, with -c; "" = $SHELL, sh for agents where that is no POSIX shell; on Windows cmd
	MaxOutput     int           // most bytes of output kept per terminal, even if the agent asks for more; 0 = 4 MiB
	MaxPerSession int           // most commands running at once in a session; 0 = 32
	MaxKept       int           // most unreleased terminals of a session, running or not; 0 = 256, negative = unlimited
	Grace         time.Duration // between SIGTERM and SIGKILL; 0 = 200 ms, negative = SIGKILL at once
	// Confine restricts a command just before it is started; nil starts it as it is. If it returns
	// an error, the command is not started. It may be called concurrently.
	Confine func(sessionID string, cmd *exec.Cmd) error
	// Notify, if not nil, is called for every change. Each terminal calls it from its own
	// goroutine, in order (Started, Data and Waiting any number of times, Exit, Released); several
	// terminals call it concurrently. While it blocks, the command may block on its output. It must
	// not call Kill, Release, TakeOver, CloseSession or Close.
	Notify func(Change)
}

// EnvVar is a variable of a command's environment.
type EnvVar struct{ Name, Value string }

// Command says what to run. Without Args, a Command that reads like a command line runs in the
// shell.
type Command struct {
	Command     string
	Args        []string
	Shell       bool     // Command is a line that the user typed for their own shell
	Env         []EnvVar // added to the environment of the Service; the last of the same name wins
	Dir         string   // absolute; required
	OutputLimit *uint64  // most bytes of output kept; nil = the limit of the Service
	Attended    bool     // run it on a pseudo terminal that the user can attach to
	Ref         uint64   // chosen by the caller; returned in Change.Started
}

// ExitStatus says how a command ended: with a code or, if Code is nil, by the named signal
// ("SIGKILL").
type ExitStatus struct {
	Code   *int
	Signal string
}

// Output is what a terminal keeps of its output.
type Output struct {
	Text      string      // valid UTF-8 within the limit; without its beginning if Truncated
	Truncated bool        // some output was dropped
	Exit      *ExitStatus // nil while the command runs
}

// Change is one event in the life of a terminal; one of the last five fields is set.
type Change struct {
	Session, ID string

	Started  *Command
	Data     []byte  // new output as it is kept, owned by the receiver; may end within a character
	Waiting  WaitFor // what the command seems to wait for while no front end is attached; ends with the next Data or Exit
	Exit     *ExitStatus
	Released bool
}
