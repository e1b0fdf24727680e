package app

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/internal/cli"
	"parley/internal/clipboard"
	"parley/internal/config"
	"parley/ui"
)

// addDesktop gives the screen access to the clipboard, the mouse and the editor.
func addDesktop(ctx context.Context, opts *ui.Options, c *config.Config, place cli.Directories) {
	opts.Copy = clipboard.Write
	opts.NoMouse = c.Mouse != nil && !*c.Mouse
	opts.NoCopyOnSelect = c.CopyOnSelect != nil && !*c.CopyOnSelect
	opts.OpenFile = func(path string, line int) (tea.ExecCommand, error) {
		return cli.OpenFile(ctx, path, line, place.Cwd)
	}
}
