package thread

import (
	"time"

	"parley/acpclient/event"
)

// Shell is a command of the user, run independently of the agent. Its output is kept
// like that of any command.
type Shell struct {
	Key            uint64
	Dir            string
	Terminal       *Terminal
	Started, Ended time.Time // zero: not yet
	Err            error     // why it could not be run
	Stopped        bool      // by the user
}

// Waiting reports whether the command waits for an earlier one.
func (s *Shell) Waiting() bool { return s.Started.IsZero() && s.Live() }

// Live reports whether the command runs or is going to.
func (s *Shell) Live() bool { return !s.Terminal.Exited }

// The events of the user's commands. They come from the front end that runs the
// commands, not from an agent. The front end chooses the keys, one for each command of a
// thread.
type (
	// ShellAsked adds a command.
	ShellAsked struct {
		event.For
		Key          uint64
		Command, Dir string
		At           time.Time
	}
	// ShellStarted says that the command runs.
	ShellStarted struct {
		event.For
		Key uint64
		Dir string // in which it runs
		At  time.Time
	}
	// ShellOutput appends raw output. Cut means that output before it is missing.
	ShellOutput struct {
		event.For
		Key  uint64
		Data []byte
		Cut  bool
	}
	// ShellEnded ends the command, whether it ran or not.
	ShellEnded struct {
		event.For
		Key     uint64
		Code    *int
		Signal  string
		Err     error
		Stopped bool
		At      time.Time
	}
)

// shell applies an event of a user's command.
func (t *transcript) shell(e event.Event) {
	switch e := e.(type) {
	case ShellAsked:
		t.Shells++
		t.add(&Item{Kind: ShellCommand, At: e.At, Shell: &Shell{Key: e.Key, Dir: e.Dir, Terminal: &Terminal{Command: e.Command, Cwd: e.Dir}}})
	case ShellStarted:
		if it := t.shellItem(e.Key); it != nil {
			it.Shell.Started, it.Shell.Dir, it.Shell.Terminal.Cwd = e.At, e.Dir, e.Dir
			t.touch(it)
		}
	case ShellOutput:
		if it := t.shellItem(e.Key); it != nil {
			it.Shell.Terminal.put(e.Data, e.Cut)
			t.touch(it)
		}
	case ShellEnded:
		if it := t.shellItem(e.Key); it != nil && it.Shell.Live() {
			t.Shells--
			s := it.Shell
			s.Ended, s.Err, s.Stopped = e.At, e.Err, e.Stopped
			s.Terminal.Exited, s.Terminal.Code, s.Terminal.Signal = true, e.Code, e.Signal
			t.touch(it)
		}
	}
}

// shellItem returns the item of a command, nil if there is none. It looks at the newest
// first.
func (t *transcript) shellItem(key uint64) *Item {
	for i := len(t.Items) - 1; i >= 0; i-- {
		if s := t.Items[i].Shell; s != nil && s.Key == key {
			return t.Items[i]
		}
	}
	return nil
}

// Shell returns the user's command with this key, nil if there is none.
func (t *transcript) Shell(key uint64) *Shell {
	if it := t.shellItem(key); it != nil {
		return it.Shell
	}
	return nil
}

// CarryShells moves the running commands of a thread that this one replaces.
func (t *transcript) CarryShells(from *Thread) {
	for _, it := range from.Items {
		if it.Shell != nil && it.Shell.Live() {
			t.Shells++
			t.add(&Item{Kind: ShellCommand, At: it.At, Shell: it.Shell})
		}
	}
}
