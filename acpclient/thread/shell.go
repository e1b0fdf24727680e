package thread

import (
	"time"

	"parley/acpclient/event"
)

// Shell is a command of the user's own, run beside the agent. Its output is kept
// as that of any command.
type Shell struct {
	Key            uint64
	Dir            string
	Terminal       *Terminal
	Started, Ended time.Time // zero: not yet
	Err            error     // why it could not be run
	Stopped        bool      // by the user
}

// Waiting tells whether it is another one's turn.
func (s *Shell) Waiting() bool { return s.Started.IsZero() && s.Live() }

// Live tells whether it runs, or will.
func (s *Shell) Live() bool { return !s.Terminal.Exited }

// The events of the user's own commands. No agent sends them: whoever runs the
// commands makes them. Keys are the maker's, each for one command of a thread.
type (
	// ShellAsked adds a command.
	ShellAsked struct {
		event.For
		Key          uint64
		Command, Dir string
		At           time.Time
	}
	// ShellStarted says that it runs.
	ShellStarted struct {
		event.For
		Key uint64
		At  time.Time
	}
	// ShellOutput is new output, raw. With Cut something before it is missing.
	ShellOutput struct {
		event.For
		Key  uint64
		Data []byte
		Cut  bool
	}
	// ShellEnded ends it, whether it ran or not.
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

// shell applies what became of a command of the user's.
func (t *Thread) shell(e event.Event) {
	switch e := e.(type) {
	case ShellAsked:
		t.add(&Item{Kind: ShellCommand, At: e.At, Shell: &Shell{Key: e.Key, Dir: e.Dir, Terminal: &Terminal{Command: e.Command, Cwd: e.Dir}}})
	case ShellStarted:
		if it := t.shellItem(e.Key); it != nil {
			it.Shell.Started = e.At
			t.touch(it)
		}
	case ShellOutput:
		if it := t.shellItem(e.Key); it != nil {
			it.Shell.Terminal.put(e.Data, e.Cut)
			t.touch(it)
		}
	case ShellEnded:
		if it := t.shellItem(e.Key); it != nil && it.Shell.Live() {
			s := it.Shell
			s.Ended, s.Err, s.Stopped = e.At, e.Err, e.Stopped
			s.Terminal.Exited, s.Terminal.Code, s.Terminal.Signal = true, e.Code, e.Signal
			t.touch(it)
		}
	}
}

// shellItem finds a command; the newest are looked at first. nil where there is
// none.
func (t *Thread) shellItem(key uint64) *Item {
	for i := len(t.Items) - 1; i >= 0; i-- {
		if s := t.Items[i].Shell; s != nil && s.Key == key {
			return t.Items[i]
		}
	}
	return nil
}

// Shell returns the command of the user's with this key; nil where there is none.
func (t *Thread) Shell(key uint64) *Shell {
	if it := t.shellItem(key); it != nil {
		return it.Shell
	}
	return nil
}

// CarryShells takes the commands over that still run in another thread, which
// this one takes the place of.
func (t *Thread) CarryShells(from *Thread) {
	for _, it := range from.Items {
		if it.Shell != nil && it.Shell.Live() {
			t.add(&Item{Kind: ShellCommand, At: it.At, Shell: it.Shell})
		}
	}
}
