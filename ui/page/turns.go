package page

import (
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
func showTurns(c *Page) tea.Cmd {
	var prompts []panel.Prompt
	for _, it := range c.Thread.Prompts() {
		prompts = append(prompts, panel.Prompt{Text: promptOf(c, it.Index), At: it.At, Item: it.Index})
	}
	if len(prompts) == 0 {
		return c.say("No prompts yet")
	}
	copied := func(item int) tea.Cmd {
		text := string(c.Thread.Items[item].Text)
		return c.copyText(func() string { return text })
	}
	c.Panels.Show(panel.Turns(c.screen.Keys, prompts, c.screen.Now(), panel.TurnActions{Show: c.goTo, Copy: copied, Edit: with(c, editAgain), Restore: with(c, showRestore), Fork: with(c, forkAfter)}))
	return nil
}

// promptOf returns the text of a prompt without the commands that went with it.
func promptOf(c *Page, item int) string {
	_, text := carried.Split(string(c.Thread.Items[item].Text))
	return text
}

// refuse says why something was not done, in the list if one is open.
func refuse(c *Page, why string) tea.Cmd {
	l := c.Panels.List()
	if l == nil {
		return c.say(why)
	}
	l.Note = why
	return nil
}

// editAgain puts a prompt into the composer. A draft goes into the history, and a queued prompt that
// was being edited back to its place.
func editAgain(c *Page, item int) tea.Cmd {
	if c.ReadOnly {
		return refuse(c, c.WhyReadOnly())
	}
	text := promptOf(c, item)
	if _, editing := c.Prompts.Queue.Edited(); editing {
		c.Prompts.Queue.Return(c.Composer.Value())
	} else if !c.Composer.Empty() {
		c.Composer.AddToHistory(c.Composer.Value())
	}
	c.Panels.open = nil
	c.Composer.ClosePopup()
	c.focus(false)
	c.Composer.SetValue(c.slash().typed(text))
	return nil
}

// showRestore asks whether to restore the files to before the turn of a prompt.
func showRestore(c *Page, item int) tea.Cmd {
	prompt, from := words.OneLine(promptOf(c, item)), c.Panels.List()
	again := func() tea.Cmd {
		if from != nil {
			c.Panels.Show(from)
		}
		return showRestore(c, item)
	}
	err := c.Changes.CanRestore(item, func(r workspace.Restorable) {
		if len(r.Files)+len(r.Refused) == 0 {
			refuse(c, "Nothing to restore: no files have changed since this prompt")
			return
		}
		c.Panels.Show(panel.Restore(naming(c), prompt, r.Files, r.Refused, func() tea.Cmd { return restore(c, prompt, r) }, func() tea.Cmd {
			c.ReturnTo(again)
			return c.StartReview(func(s *review.Changes) tea.Cmd { return c.Review.StartSince(s, r.Turn) })
		}))
	})
	if err != nil {
		return refuse(c, "Not restored: "+err.Error())
	}
	return nil
}

// restore restores files to before the turn of a prompt. What became of them is said, and noted in the
// transcript.
func restore(c *Page, prompt string, r workspace.Restorable) tea.Cmd {
	err := c.Changes.Restore(r, func(results []undo.Result) {
		c.Changes.Undone(results, true)
		note, refused := describe.Undone(results, true, " to before “"+text.Truncate(prompt, 60, "…")+"”", c.short)
		c.own().View.Changed([]int{c.Thread.AddNotice(withRefused(note, refused), strings.Join(refused, "\n"))})
		c.Changes.Count(0)
		said, _ := describe.Undone(results, true, "", c.short)
		c.Say(withRefused(said, refused))
	})
	if err != nil {
		return c.say("Not restored: " + err.Error())
	}
	return nil
}

// fork continues the conversation after the turn of a prompt in another session.
func fork(c *Page, prompt int) tea.Cmd {
	if err := c.Fork(prompt, c.Heading()); err != nil {
		return refuse(c, "Not forked: "+err.Error())
	}
	c.Panels.open = nil
	return nil
}

// forkHere forks after the last turn.
func forkHere(c *Page) tea.Cmd {
	all := c.Thread.Prompts()
	if len(all) == 0 {
		return c.say("No prompts yet")
	}
	return fork(c, all[len(all)-1].Index)
}
