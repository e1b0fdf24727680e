package app

import (
	"context"

	"parley/internal/cli"
	"parley/internal/memory"
	"parley/internal/record"
	"parley/ui"
	"parley/ui/composer"
	usershell "parley/ui/shell"
	"parley/ui/widget/editor"
)

// warnings has what the engine room warns of said on the screen.
func warnings(setup *cli.Setup) <-chan string {
	const most = 16 // that wait to be said: more would only push each other away
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
	cli.TellIgnored(setup.Warn)
	return lines
}

// remember gives the screen what it needs for typing: a shell, an editor, and a
// memory of what was typed. The shell is to be closed.
func remember(ctx context.Context, opts *ui.Options, setup *cli.Setup, place cli.Place) (close func()) {
	s := cli.NewShell()
	opts.Shell = ownShell{s}
	opts.Editor = func(text string) (composer.Editing, error) {
		e, err := cli.NewEditing(ctx, text, place.Cwd)
		return composer.Editing{Command: e.Command, Done: e.Done}, err
	}
	opts.FileEditor = func(text, path string) (composer.Editing, error) {
		e, err := cli.NewFileEditing(ctx, text, path, place.Cwd)
		return composer.Editing{Command: e.Command, Done: e.Done}, err
	}
	if history, kept := setup.Memory(place); history != nil {
		opts.History, opts.Drafts = history, drafts{kept}
	}
	return s.Close
}

// ownShell is a cli.Shell for the screen.
type ownShell struct{ *cli.Shell }

// Run implements shell.Runner.
func (s ownShell) Run(line, dir string, news func(usershell.News)) (stop func(), err error) {
	return s.Shell.Run(line, dir, func(n cli.ShellNews) { news(usershell.News(n)) })
}

// drafts is a memory.Drafts for the screen.
type drafts struct{ kept *memory.Drafts }

// Load implements composer.Drafts.
func (d drafts) Load(k composer.DraftKey) (composer.Draft, error) {
	draft, err := d.kept.Load(memory.Key(k))
	out := composer.Draft{Queued: draft.Queued, Session: draft.Session}
	for _, p := range draft.Parts {
		out.Parts = append(out.Parts, editor.Part(p))
	}
	return out, err
}

// Save implements composer.Drafts.
func (d drafts) Save(k composer.DraftKey, draft composer.Draft) error {
	out := memory.Draft{Queued: draft.Queued, Session: draft.Session}
	for _, p := range draft.Parts {
		out.Parts = append(out.Parts, memory.Part(p))
	}
	return d.kept.Save(memory.Key(k), out)
}
