// Package keeper keeps a parley running without a terminal. The keeper is a small process that starts parley
// at a pseudo terminal of its own. A terminal attaches to it by a socket: its keys go in, and what parley
// paints comes out. Every kept parley has a keeper, and knows no other.
//
// Three parties have their part here: the keeper itself (Serve), the terminal that attaches (Start, Attach), and
// the parley that is kept (Kept).
//
// On Windows nothing can be kept: ErrUnsupported says so.
package keeper

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"parley/internal/process"
)

// Command is the subcommand of parley that is a keeper; Serve implements it.
const Command = "keeper"

// ErrUnsupported is the error on systems without pseudo terminals that outlive a terminal.
var ErrUnsupported = errors.New("on Windows, parley cannot run without its terminal: run it in WSL")

// Status is what a kept parley does.
type Status struct {
	Agent  string    `json:"agent,omitempty"`
	Dir    string    `json:"dir,omitempty"`
	Title  string    `json:"title,omitempty"`
	State  State     `json:"state"`
	Since  time.Time `json:"since"`            // of the state
	Waits  string    `json:"waits,omitempty"`  // the first line of the open question
	Resume []string  `json:"resume,omitempty"` // the arguments of parley that resume it; nil if it cannot be resumed
	Screen bool      `json:"screen,omitempty"` // it draws a screen, and does not chat in lines
	// Clients is the socket by which other ACP clients join, "" if there is none.
	Clients string `json:"clients,omitempty"`
}

func (s Status) equal(o Status) bool {
	return s.Agent == o.Agent && s.Dir == o.Dir && s.Title == o.Title && s.State == o.State && s.Since.Equal(o.Since) &&
		s.Waits == o.Waits && s.Screen == o.Screen && slices.Equal(s.Resume, o.Resume) && s.Clients == o.Clients
}

// clipped returns the status with texts of a length that a list can show: titles and questions come from agents.
func (s Status) clipped() Status {
	for _, text := range []*string{&s.Agent, &s.Title, &s.Waits} {
		const most = 1000
		if len(*text) > most {
			*text = strings.ToValidUTF8((*text)[:most], "") + "…"
		}
	}
	return s
}

// State is what a kept parley is doing.
type State string

// The states. Waiting counts before Running: somebody has to answer.
const (
	Starting State = "starting"
	Idle     State = "idle"
	Running  State = "running" // a turn, work in the background, a command of the user's
	Waiting  State = "waiting" // a question is open
	Ended    State = "ended"   // its agent has ended
)

// Options say how a parley is kept.
type Options struct {
	Args     []string      // of parley
	Dir      string        // in which it starts; "" is this one
	Idle     time.Duration // after which it ends if it is idle and nothing is attached; 0: never
	Headless bool          // it starts at once, and not when a terminal attaches
}

// StartError says why Start has kept nothing.
type StartError struct{ Why string }

func (e *StartError) Error() string { return "start the keeper: " + e.Why }

// Outcome says why Attach has returned.
type Outcome int

// The outcomes.
const (
	EndedThere Outcome = iota // parley has ended
	Detached                  // the user wanted to
	Taken                     // another terminal has attached
	Lost                      // the keeper has gone
	Hangup                    // this process was told to end
)

// Change is something that happens to the terminal of a kept parley.
type Change struct {
	// Attached says that a terminal attaches: everything must be painted for it. Otherwise it leaves, and must be
	// restored first: see Keeper.Left.
	Attached bool     `json:"attached"`
	Environ  []string `json:"environ,omitempty"` // those of Variables that the terminal has, as NAME=value
}

// Variables are the variables of the environment that belong to a terminal and the place from which it is used.
var Variables = []string{
	"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LC_TERMINAL", "KITTY_WINDOW_ID", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR",
	"VTE_VERSION", "XTERM_VERSION", "WT_SESSION", "ConEmuANSI", "TMUX", "TMUX_PANE", "STY", "ZELLIJ", "ZELLIJ_SESSION_NAME", "NO_COLOR",
	"SSH_AUTH_SOCK", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "WINDOWID",
}

// Adopt sets the variables of the terminal that attaches in the environment of this process, for the programs that it
// starts from now on, and removes those that the terminal does not have.
func (c Change) Adopt() {
	for _, name := range Variables {
		os.Unsetenv(name)
	}
	for _, v := range ofTerminal(c.Environ) {
		name, value, _ := strings.Cut(v, "=")
		os.Setenv(name, value)
	}
}

// own are the variables that the keeper and terminals that attach need themselves.
var own = []string{"HOME", "PARLEY_STATE", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMPDIR", process.TreeVar}

// Withhold removes everything else from the environment of this process: secrets in it are for the parley that is
// kept, which removes them, too.
func Withhold() {
	process.Withhold(func(name string) bool { return !slices.Contains(own, name) && !slices.Contains(Variables, name) })
}

// ofTerminal returns those of Variables that an environment has.
func ofTerminal(environ []string) (out []string) {
	for _, v := range environ {
		if name, _, _ := strings.Cut(v, "="); slices.Contains(Variables, name) {
			out = append(out, v)
		}
	}
	return out
}

// The messages between the keeper and the parley that it keeps: lines of JSON over a socket of their own.
type (
	toKept struct {
		Change Change `json:"change"`
	}
	toKeeper struct {
		Left   bool    `json:"left,omitempty"`
		Detach bool    `json:"detach,omitempty"`
		Switch string  `json:"switch,omitempty"`
		Status *Status `json:"status,omitempty"`
	}
)

func line(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of this package can all be written
	}
	return append(b, '\n')
}
