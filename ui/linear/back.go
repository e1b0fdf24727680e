package linear

import (
	"errors"
	"fmt"
	"strconv"

	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/words"
	"parley/internal/workspace"
)

// goBack handles the commands that go back to an earlier prompt of a session.
type goBack struct {
	*workspace.Session
	dialogs *dialogs
}

// prompt returns the index of the prompt with a number of /turns; of the last one for "".
func (b goBack) prompt(number string) (int, error) {
	all := b.Thread.Prompts()
	n := len(all)
	if number != "" {
		n, _ = strconv.Atoi(number)
	}
	switch {
	case len(all) == 0:
		return 0, errors.New("no prompts yet")
	case n < 1 || n > len(all):
		return 0, errors.New("no prompt has that number; /turns lists them")
	}
	return all[n-1].Index, nil
}

// fork continues the conversation after the turn of a prompt in another session.
func (b goBack) fork(number string) {
	out := b.dialogs.out
	prompt, err := b.prompt(number)
	if err == nil {
		err = b.Fork(prompt, title(b.Session))
	}
	if err != nil {
		out.say("Not forked: %s.", err)
		return
	}
	out.say("Opening another session.")
}

// restore asks whether to restore the files to before the turn of a prompt.
func (b goBack) restore(number string) {
	out, dir := b.dialogs.out, b.Session.Cwd()
	prompt, err := b.prompt(number)
	if err == nil {
		err = b.Changes.CanRestore(prompt, func(r workspace.Restorable) {
			for _, u := range r.Refused {
				out.say("Cannot be restored: %s: %s.", changeLine(u.Change, dir), safetext.Line(u.Err.Error(), 200))
			}
			if len(r.Files) == 0 {
				out.say("Nothing to restore.")
				return
			}
			for _, f := range r.Files {
				out.say("Can be restored: %s.", changeLine(f, dir))
			}
			b.dialogs.confirm(fmt.Sprintf("Restore files to before prompt %s, %s?", number, words.Count(len(r.Files), "file")), "Yes", "No", func() { b.restored(r) })
		})
	}
	if err != nil {
		out.say("Not restored: %s.", err)
	}
}

// restored restores the files and reports the outcome.
func (b goBack) restored(r workspace.Restorable) {
	refused := len(r.Refused)
	err := b.Changes.Restore(r, func(results []undo.Result) {
		reportUndo(b.dialogs.out, b.Session, true, results[:max(0, len(results)-refused)])
	})
	if err != nil {
		b.dialogs.out.say("Not restored: %s.", err)
	}
}
