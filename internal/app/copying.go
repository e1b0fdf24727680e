package app

import (
	"context"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/cli"
	"parley/internal/clipboard"
	"parley/internal/config"
	"parley/ui"
)

// lend gives the screen the ways out of it: the clipboard, the mouse, the editor
// on a file.
func lend(ctx context.Context, opts *ui.Options, c *config.Config, place cli.Place) {
	opts.Copy = clipboard.Write
	opts.Multiplexer = multiplexer(os.Getenv)
	opts.NoMouse = c.Mouse != nil && !*c.Mouse
	opts.NoCopyOnSelect = c.CopyOnSelect != nil && !*c.CopyOnSelect
	opts.OpenFile = func(path string, line int) (tea.ExecCommand, error) {
		return cli.OpenFile(ctx, path, line, place.Cwd)
	}
}

// multiplexer is what stands between parley and the terminal, "" for nothing
// that is known.
func multiplexer(env func(string) string) string {
	switch {
	case env("TMUX") != "":
		return "tmux"
	case env("STY") != "" && strings.HasPrefix(env("TERM"), "screen"):
		return "screen"
	}
	return ""
}
