// Package terminal runs commands for an agent: the services behind ACP v1's terminal/* (PROTOCOL 2.2), without
// anything of the protocol itself.
//
// A terminal is a command with its output, known by an id that is unique for the life of the Service and good only in
// the session that created it. Standard input is empty; output and error output go into one pipe in the order they
// were written. Every command leads its own process group without a controlling terminal; killing or releasing ends
// the whole group. Memory is bounded: of the output only the newest bytes are kept.
//
// A command may be attended instead, which is the user's choice alone: then it has a pseudo terminal for its streams and
// as its controlling terminal, to which a front end attaches the user's keyboard, one at a time (Attach). One that was
// started without can be started anew that way (TakeOver). What it prints is kept all the same, with the line breaks
// that the pseudo terminal makes turned back; so is what the pseudo terminal echoes of the keys. The keys themselves are
// kept nowhere.
//
// All methods may be called from any goroutine. Kill, Release, TakeOver, CloseSession and Close wait for processes to end,
// WaitForExit for as long as the command runs; the others do not block. Whether a command may run at all is decided
// before Create is called; what it can do then is up to Options.Confine.
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
	// ErrTooMany says that the session runs as many commands as it may; the error tells how many.
	ErrTooMany = errors.New("terminal: too many commands are running")
	// ErrTooManyKept says that the session has as many terminals as it may that were not released; the error tells how
	// many.
	ErrTooManyKept = errors.New("terminal: too many terminals are not released")
	// ErrInvalid says that a command could not be meant: empty, or with an impossible variable name.
	ErrInvalid = errors.New("terminal: invalid command")
	// ErrClosed says that the Service was closed.
	ErrClosed = errors.New("terminal: closed")
	// ErrNoPTY says that there are no pseudo terminals: on Windows never, elsewhere when none is left.
	ErrNoPTY = errors.New("terminal: no pseudo terminal")
	// ErrExited says that a command has ended, or is about to, and so cannot be taken over.
	ErrExited = errors.New("terminal: the command has ended")
	// ErrNotAttended says that a command has no terminal of its own to attach to.
	ErrNotAttended = errors.New("terminal: the command has no terminal of its own")
	// ErrAttached says that a front end is attached already, or that somebody is just taking the command over.
	ErrAttached = errors.New("terminal: somebody has the command's keyboard already")
	// ErrInputFull says that a command does not read what is typed, so that some of it was dropped.
	ErrInputFull = errors.New("terminal: the command does not read its input")
)

const (
	defaultMaxOutput     = 4 << 20
	defaultMaxPerSession = 32
	defaultMaxKept       = 256
	defaultGrace         = 200 * time.Millisecond

	// keepExited is how many finished terminals of a session keep all their output when they are not released; older
	// ones keep keepOldOutput bytes. Some agents never release. With the commands that run, it bounds what a session
	// holds in memory.
	keepExited    = 16
	keepOldOutput = 4 << 10

	readBuffer = 32 << 10
	// drainWait is how long after the end of a command its output may go on before it counts as complete: a child left
	// in the background can hold the pipe open for ever. What comes later is kept but not notified.
	drainWait = 500 * time.Millisecond
	// drainLimit bounds what is still notified after drainWait: more than a pipe holds comes from somebody alive.
	drainLimit = 1 << 20
	// endWait is the longest wait for a killed process to disappear.
	endWait = 5 * time.Second
)

// Options configure a Service. The zero value is usable.
type Options struct {
	Environ       []string      // environment of all commands, "NAME=value"; nil = os.Environ()
	Attended      []string      // environment of attended ones in its place; nil = Environ
	Shell         string        // runs command lines, with -c; "" = $SHELL, sh for agents where that is no POSIX shell; on Windows cmd
	MaxOutput     int           // most bytes of output kept per terminal, whatever the agent allows; 0 = 4 MiB
	MaxPerSession int           // most commands running at once in a session; 0 = 32
	MaxKept       int           // most terminals of a session that are not released, running or not; 0 = 256, negative = any
	Grace         time.Duration // between SIGTERM and SIGKILL; 0 = 200 ms, negative = SIGKILL at once
	// Confine changes a command of a session just before it is started, so that it can do less; nil: they start as they
	// are. An error keeps the command from being started. It may be called by several goroutines.
	Confine func(sessionID string, cmd *exec.Cmd) error
	// Notify is told of every change, or nil. Each terminal calls it from a goroutine of its own: in order for one
	// terminal (Started, Data and Waiting any number of times, Exit, Released), in parallel for several. While it blocks, the
	// command may have to wait with its output. It must not call Kill, Release, TakeOver, CloseSession or Close.
	Notify func(Change)
}

// EnvVar is a variable of a command's environment.
type EnvVar struct{ Name, Value string }

// Command says what to run. With no Args, a Command that reads like a command line runs in the shell.
type Command struct {
	Command     string
	Args        []string
	Shell       bool     // Command is a line of the user for their own shell, whatever it looks like
	Env         []EnvVar // over the environment of the Service; of the same name the last one wins
	Dir         string   // absolute; required
	OutputLimit *uint64  // most bytes of output kept; nil = as many as the Service keeps
	Attended    bool     // it gets a terminal of its own, for the user to attach to
	Ref         uint64   // the caller's: it comes back with Change.Started
}

// ExitStatus tells how a command ended: with a code, or (Code nil) by the signal named, "SIGKILL".
type ExitStatus struct {
	Code   *int
	Signal string
}

// Output is what a terminal keeps of its output.
type Output struct {
	Text      string      // valid UTF-8 of at most the limit's bytes; the beginning is missing when Truncated
	Truncated bool        // something was dropped, now or before
	Exit      *ExitStatus // nil while the command runs
}

// Change is one event in the life of a terminal; one of the last five fields is set.
type Change struct {
	Session, ID string

	Started  *Command
	Data     []byte  // new output as it is kept, owned by the receiver; may end within a character
	Waiting  WaitFor // what the command seems to wait for, with nobody attached; more Data, or the Exit, ends that
	Exit     *ExitStatus
	Released bool
}
