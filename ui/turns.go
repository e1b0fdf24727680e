package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/ui/intent"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// twice is how soon a second esc has to follow.
const twice = 500 * time.Millisecond

// escaped is an esc that had nothing to close or to stop: the second one in a row
// shows the turns.
func (c *chat) escaped() tea.Cmd {
	now := c.m.Now()
	if now.Sub(c.escAt) < twice {
		c.escAt = time.Time{}
		return c.showTurns()
	}
	c.escAt = now
	return nil
}

// showTurns lists the prompts of the session, the newest last.
func (c *chat) showTurns() tea.Cmd {
	var items []widget.Item
	day := ""
	for _, it := range c.Thread.Items {
		if it.Kind != thread.UserMessage || it.Blank() {
			continue
		}
		_, text := transcript.SplitCarried(string(it.Text))
		first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if strings.TrimSpace(rest) != "" {
			first += " …"
		}
		item := widget.Item{Title: first, Detail: strings.Join(strings.Fields(rest[:min(len(rest), 2000)]), " "), Value: it.Index}
		if !it.At.IsZero() {
			item.Hint = it.At.Format("15:04")
			if d := it.At.Format("2 January 2006"); d != day && (day != "" || d != c.m.Now().Format("2 January 2006")) {
				item.Section = d
			}
			day = it.At.Format("2 January 2006")
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return c.say("there are no prompts yet")
	}
	list := widget.NewList(items)
	list.Select(len(items) - 1)
	c.picker = &picker{title: "turns", foot: c.m.foot(hint{does: "enter goes there"}, hint{intent.Copy, "copies"}, hint{intent.EditEntry, "edits"}), list: list, choose: func(it widget.Item) tea.Cmd {
		c.goTo(it.Value.(int))
		return nil
	}}
	c.picker.keys = map[intent.Intent]func(widget.Item) tea.Cmd{
		intent.Copy:      func(it widget.Item) tea.Cmd { return c.copyText(func() string { return c.promptOf(it) }) },
		intent.EditEntry: func(it widget.Item) tea.Cmd { return c.editAgain(it) },
	}
	return nil
}

// promptOf is the prompt of an item of the list, as it was sent.
func (c *chat) promptOf(it widget.Item) string {
	i, ok := it.Value.(int)
	if !ok {
		return ""
	}
	return string(c.Thread.Items[i].Text)
}

// goTo gives the keys to the transcript and goes to one of its items.
func (c *chat) goTo(item int) {
	c.focus(true)
	c.view.SelectItem(item)
	c.view.Step(transcript.ToTop)
}

// editAgain puts a prompt into the composer. A draft that stands there goes into
// the history.
func (c *chat) editAgain(it widget.Item) tea.Cmd {
	text := c.promptOf(it)
	if text == "" {
		return nil
	}
	_, text = transcript.SplitCarried(text)
	if !c.composer.Empty() {
		c.composer.Keep(c.composer.Value())
	}
	c.picker = nil
	c.composer.ClosePopup()
	c.focus(false)
	c.composer.SetValue(text)
	return nil
}
