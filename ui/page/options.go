package page

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/shell"
)

// Options of the screen.
type Options struct {
	workspace.FrontEnd
	composer.Tools

	// TypedAgent makes an agent from a command line or URL that the user has typed.
	// nil: only those in Agents can be started.
	TypedAgent func(line string) (workspace.Spec, error)
	// Copy copies a text to the clipboard with a program of this machine and returns its
	// name; "" if there is none. It is called on its own goroutine. nil: OSC 52 is used.
	Copy func(ctx context.Context, text string) (tool string, err error)
	// Terminal is what the terminal can do, as far as it is known now, and Profile what one with an environment can do.
	Terminal tty.Profile
	Profile  func(environ []string) tty.Profile
	// OpenFile prepares the user's editor on a file, at a line (0: unknown). It is called
	// on its own goroutine. nil: there is no editor.
	OpenFile func(path string, line int) (tea.ExecCommand, error)
	// NoMouse leaves the mouse to the terminal; with NoCopyOnSelect, selecting text does
	// not copy it.
	NoMouse, NoCopyOnSelect bool
	// Shell runs the user's own commands. nil: there are none.
	Shell *shell.Runner
	// FileEditor is Editor for the text of the file at path. The editor gets the text
	// unchanged, in a temporary file.
	FileEditor func(text, path string) (composer.Editing, error)
	Branch     string         // of the worktree, "" without one
	Theme      string         // a name of package theme, "" or "auto" for the terminal's own
	Keys       *intent.Keymap // nil: the default one
	SidePanel  string         // auto, on, off; "" is auto
	Density    string         // how much is shown at first: normal, everything, quiet; "" is normal

	// PreferEnd has ending come first when the user leaves a kept parley.
	PreferEnd bool

	// OnIdle is called, on its own goroutine, when a turn, a history or a connection has
	// ended and nothing is running on any page. It may be nil.
	OnIdle func()
	// Inline keeps the terminal's own screen and writes the conversation into its
	// scrollback.
	Inline bool
}

// Refresh says that something shown for a while is to disappear.
type Refresh struct{}

// Handle implements layer.Message.
func (Refresh) Handle() tea.Cmd { return nil }

// Later redraws the screen after d, when something shown for a while is to disappear.
func Later(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return Refresh{} })
}
