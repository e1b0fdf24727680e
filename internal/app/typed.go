package app

import (
	"context"

	"parley/internal/cli"
	"parley/internal/record"
	"parley/ui"
	"parley/ui/composer"
	usershell "parley/ui/shell"
)

// warnings returns a channel of setup's warnings, for the screen.
func warnings(setup *cli.Setup) <-chan string {
	const most = 16 // waiting lines; more would only replace each other on the screen
	lines := make(chan string, most)
	setup.Warn = func(line string) {
		select {
		case lines <- line:
		default:
		}
	}
	if _, err := record.StateDir(); err != nil {
		setup.Warn("HOME is not set: no history, drafts, logs or copies for undo are kept")
	}
	cli.WarnSkippedPrograms(setup.Warn)
	return lines
}

// addTyping gives the screen what typing needs: a shell, an editor, the history and drafts. Call
// close to end the shell.
func addTyping(ctx context.Context, opts *ui.Options, setup *cli.Setup, place cli.Directories) (close func()) {
	s := cli.NewShell()
	opts.Shell = &usershell.Runner{Close: s.Close, Run: func(line, dir string, env []string, news func(usershell.Output)) (stop func(), err error) {
		return s.Run(line, dir, env, func(n cli.ShellOutput) { news(usershell.Output(n)) })
	}}
	opts.Editor = func(text string) (composer.Editing, error) {
		e, err := cli.NewEditing(ctx, text, place.Cwd)
		return composer.Editing{Command: e.Command, Done: e.Done}, err
	}
	opts.FileEditor = func(text, path string) (composer.Editing, error) {
		e, err := cli.NewFileEditing(ctx, text, path, place.Cwd)
		return composer.Editing{Command: e.Command, Done: e.Done}, err
	}
	if history, store := setup.Memory(place); history != nil {
		opts.History, opts.Drafts = history, store
	}
	return s.Close
}
