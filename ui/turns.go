package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/carried"
	"parley/internal/describe"
	"parley/internal/text"
	"parley/internal/undo"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/panel"
	"parley/ui/review"
)

// showTurns lists the prompts of the session.
func (p *panels) showTurns() tea.Cmd {
	c := p.c
	var prompts []panel.Prompt
	for _, it := range c.Thread.Prompts() {
		prompts = append(prompts, panel.Prompt{Text: p.promptOf(it.Index), At: it.At, Item: it.Index})
	}
	if len(prompts) == 0 {
		return c.say("No prompts yet")
	}
	copied := func(item int) tea.Cmd {
		text := string(c.Thread.Items[item].Text)
		return c.copyText(func() string { return text })
	}
	p.show(panel.Turns(c.m.Keys, prompts, c.m.Now(), panel.TurnActions{Show: p.goTo, Copy: copied, Edit: p.editAgain, Restore: p.showRestore, Fork: p.fork}))
	return nil
}

// promptOf returns the text of a prompt without the commands that went with it.
func (p *panels) promptOf(item int) string {
	_, text := carried.Split(string(p.c.Thread.Items[item].Text))
	return text
}

// refuse says why something was not done, in the list if one is open.
func (p *panels) refuse(why string) tea.Cmd {
	l := p.list()
	if l == nil {
		return p.c.say(why)
	}
	l.Note = why
	return nil
}

// editAgain puts a prompt into the composer. A draft goes into the history, and a queued prompt that
// was being edited back to its place.
func (p *panels) editAgain(item int) tea.Cmd {
	c := p.c
	if c.ReadOnly {
		return p.refuse(c.readOnlyReason())
	}
	text := p.promptOf(item)
	if _, editing := c.Edited(); editing {
		c.ReturnEdited(c.composer.Value())
	} else if !c.composer.Empty() {
		c.composer.AddToHistory(c.composer.Value())
	}
	p.open = nil
	c.composer.ClosePopup()
	c.focus(false)
	c.composer.SetValue(c.typedForm(text))
	return nil
}

// showRestore asks whether to restore the files to before the turn of a prompt.
func (p *panels) showRestore(item int) tea.Cmd {
	c := p.c
	prompt := words.OneLine(p.promptOf(item))
	err := c.CanRestore(item, func(r workspace.Restorable) {
		if len(r.Files)+len(r.Refused) == 0 {
			p.refuse("Nothing to restore: no files have changed since this prompt")
			return
		}
		p.show(panel.Restore(p.naming(), prompt, r.Files, r.Refused, func() tea.Cmd { return p.restore(prompt, r) }, func() tea.Cmd {
			return c.startReview(func(s *review.Changes) tea.Cmd { return c.review.StartSince(s, r.Turn) })
		}))
	})
	if err != nil {
		return p.refuse("Not restored: " + err.Error())
	}
	return nil
}

// restore restores files to before the turn of a prompt. What became of them is said, and noted in the
// transcript.
func (p *panels) restore(prompt string, r workspace.Restorable) tea.Cmd {
	c := p.c
	err := c.Restore(r, func(results []undo.Result) {
		c.NoteUndone(results, true)
		note, refused := describe.Undone(results, true, " to before “"+text.Truncate(prompt, 60, "…")+"”", p.short)
		c.view.Changed([]int{c.Thread.AddNotice(withRefused(note, refused), strings.Join(refused, "\n"))})
		c.CountLines(0)
		said, _ := describe.Undone(results, true, "", p.short)
		c.Say(withRefused(said, refused))
	})
	if err != nil {
		return c.say("Not restored: " + err.Error())
	}
	return nil
}

// fork continues the conversation after the turn of a prompt in another session.
func (p *panels) fork(prompt int) tea.Cmd {
	if err := p.c.Fork(prompt, cmp.Or(p.c.Title(), firstPrompt(p.c.Thread))); err != nil {
		return p.refuse("Not forked: " + err.Error())
	}
	p.open = nil
	return nil
}

// forkHere forks after the last turn.
func (p *panels) forkHere() tea.Cmd {
	all := p.c.Thread.Prompts()
	if len(all) == 0 {
		return p.c.say("No prompts yet")
	}
	return p.fork(all[len(all)-1].Index)
}
