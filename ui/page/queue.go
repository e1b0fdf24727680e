package page

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/carried"
	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// queued is a row of the list of queued prompts.
type queued struct {
	at   int
	text string
}

// showQueue lists the queued prompts, the next one first.
func showQueue(c *Page) tea.Cmd {
	l := &panel.List{OpenedBy: intent.ShowQueue, Title: "Queue", Empty: "No queued prompts", List: list.New(nil), Items: func() []list.Item { return queueItems(c) }}
	l.Foot = panel.Foot(c.screen.Keys, intent.Hint{Action: "enter edit"}, intent.Hint{Key: intent.MoveUp, Action: "earlier"},
		intent.Hint{Key: intent.MoveDown, Action: "later"}, intent.Hint{Key: intent.CloseEntry, Action: "drop"})
	l.Same = func(a, b any) bool { return a.(queued).text == b.(queued).text }
	l.List.SetItems(l.Items())
	l.Choose = func(it list.Item) tea.Cmd {
		at, editing := c.Prompts.Queue.Edited()
		switch q := it.Value.(queued); {
		case editing:
			c.Prompts.Queue.Return(c.Composer.Value())
			if q.at >= at {
				q.at++
			}
			it.Value = q
		case !c.Composer.Empty():
			c.Composer.AddDraftToHistory()
		}
		return withQueued(c, func(at int) { c.Composer.SetValue(c.Prompts.Queue.Take(at)) })(it)
	}
	choose := func(at int) {
		l.SetItems(l.Items())
		if l.List.Filter() == "" {
			l.List.Select(at)
		}
	}
	move := func(n int) func(list.Item) tea.Cmd {
		return withQueued(c, func(at int) { choose(c.Prompts.Queue.Move(at, n)) })
	}
	l.Keys = map[intent.Intent]func(list.Item) tea.Cmd{
		intent.MoveUp: move(-1), intent.MoveDown: move(1),
		intent.CloseEntry: withQueued(c, func(at int) {
			dropQueued(c, at)
			choose(at)
		}),
	}
	c.Panels.Show(l)
	return nil
}

func queueItems(c *Page) (items []list.Item) {
	for i, text := range c.Prompts.Queue.Texts() {
		items = append(items, list.Item{Title: strconv.Itoa(i+1) + "  " + strings.Join(strings.Fields(c.Composer.DisplayText(text)), " "), Value: queued{i, text}})
	}
	return items
}

// withQueued does something with a queued prompt, if it was not sent since the list was drawn.
func withQueued(c *Page, do func(at int)) func(list.Item) tea.Cmd {
	return panel.With(func(q queued) tea.Cmd {
		all := c.Prompts.Queue.Texts()
		if q.at >= len(all) || all[q.at] != q.text {
			if q.at = slices.Index(all, q.text); q.at < 0 {
				return c.say("It was sent meanwhile")
			}
		}
		do(q.at)
		return nil
	})
}

// unqueue removes the newest queued prompt, to edit or drop it. A prompt that the agent
// holds must be returned by the agent.
func unqueue(c *Page, edit bool) (tea.Cmd, bool) {
	if !edit && c.Prompts.Carried.Drop() {
		return nil, true
	}
	if takeUnconfirmed(c, edit) {
		return nil, true
	}
	if n := c.Prompts.Queue.Len(); n > 0 {
		if edit {
			c.Composer.SetValue(c.Prompts.Queue.Take(n - 1))
			return nil, true
		}
		dropQueued(c, n-1)
		return nil, true
	}
	if !c.Prompts.Withdraw(!edit) {
		return nil, false
	}
	return c.say("Asked the agent to return the prompt"), true
}

// dropQueued removes a queued prompt. The user's own can be recalled.
func dropQueued(c *Page, at int) {
	if p := c.Prompts.Queue.Drop(at); !p.OfClient() {
		c.Composer.AddToHistory(p.Text)
	}
}

// stopSending cancels the prompt whose files are being read; false if there is none.
func stopSending(c *Page) bool {
	text, ok := c.Prompts.StopSending()
	if ok {
		c.Composer.Prepend(text)
	}
	return ok
}

// walkQueue moves from the queued prompt in the composer to the previous or next one; each
// keeps its place. False if no queued prompt is being edited.
func walkQueue(c *Page, want intent.Intent) (tea.Cmd, bool) {
	at, editing := c.Prompts.Queue.Edited()
	if !editing || want != intent.HistoryBack && want != intent.HistoryForward {
		return nil, false
	}
	if at--; want == intent.HistoryForward {
		at += 2
	}
	if at < 0 {
		return c.say("This is the first queued prompt"), true
	}
	c.Prompts.Queue.Return(c.Composer.Value())
	if at >= c.Prompts.Queue.Len() {
		c.Composer.Reset()
		return nil, true
	}
	c.Composer.SetValue(c.Prompts.Queue.Take(at))
	return nil, true
}

// takeUnconfirmed moves the newest prompt that may not have arrived into the composer, or
// drops it.
func takeUnconfirmed(c *Page, edit bool) bool {
	p, ok := c.Prompts.Unconfirmed.Remove(true)
	switch {
	case !ok || !edit:
	case p.ID != 0: // as long as the user does not change it, it stays what it is
		c.Prompts.Queue.PutBack(workspace.Prompt{Text: workspace.ForAgent(p.Draft), ID: p.ID})
		c.Composer.SetValue(c.Prompts.Queue.Take(0))
	default:
		blocks, own := carried.Split(p.Draft)
		c.Prompts.Carried.Return(blocks)
		c.Composer.SetValue(c.slash().typed(own))
	}
	return ok
}
