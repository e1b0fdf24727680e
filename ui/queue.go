package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// queued is a row of the list of queued prompts.
type queued struct {
	at   int
	text string
}

// showQueue lists the queued prompts, the next one first.
func (p *panels) showQueue() tea.Cmd {
	c := p.c
	l := &panel.List{OpenedBy: intent.ShowQueue, Title: "Queue", Empty: "No queued prompts", List: list.New(nil), Items: p.queueItems}
	l.Foot = panel.Foot(c.m.Keys, intent.Hint{Action: "enter edit"}, intent.Hint{Key: intent.MoveUp, Action: "earlier"},
		intent.Hint{Key: intent.MoveDown, Action: "later"}, intent.Hint{Key: intent.CloseEntry, Action: "drop"})
	l.Same = func(a, b any) bool { return a.(queued).text == b.(queued).text }
	l.List.SetItems(l.Items())
	l.Choose = func(it list.Item) tea.Cmd {
		at, editing := c.Edited()
		switch q := it.Value.(queued); {
		case editing:
			c.ReturnEdited(c.composer.Value())
			if q.at >= at {
				q.at++
			}
			it.Value = q
		case !c.composer.Empty():
			c.composer.AddDraftToHistory()
		}
		return p.withQueued(func(at int) { c.composer.SetValue(c.TakeQueued(at)) })(it)
	}
	choose := func(at int) {
		l.SetItems(l.Items())
		if l.List.Filter() == "" {
			l.List.Select(at)
		}
	}
	move := func(n int) func(list.Item) tea.Cmd {
		return p.withQueued(func(at int) { choose(c.MoveQueued(at, n)) })
	}
	l.Keys = map[intent.Intent]func(list.Item) tea.Cmd{
		intent.MoveUp: move(-1), intent.MoveDown: move(1),
		intent.CloseEntry: p.withQueued(func(at int) {
			c.composer.AddToHistory(c.DropQueued(at))
			choose(at)
		}),
	}
	p.show(l)
	return nil
}

func (p *panels) queueItems() (items []list.Item) {
	for i, text := range p.c.Queued() {
		items = append(items, list.Item{Title: strconv.Itoa(i+1) + "  " + strings.Join(strings.Fields(p.c.composer.DisplayText(text)), " "), Value: queued{i, text}})
	}
	return items
}

// withQueued does something with a queued prompt, if it was not sent since the list was drawn.
func (p *panels) withQueued(do func(at int)) func(list.Item) tea.Cmd {
	return panel.With(func(q queued) tea.Cmd {
		all := p.c.Queued()
		if q.at >= len(all) || all[q.at] != q.text {
			if q.at = slices.Index(all, q.text); q.at < 0 {
				return p.c.say("It was sent meanwhile")
			}
		}
		do(q.at)
		return nil
	})
}
