package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/ui/intent"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// work is something that goes on: a tool call, a command of the agent's, or
// something in the background of which the agent only tells the kind.
type work struct {
	title, hint string
	tool        *thread.Tool // nil for the others
	terminal    string       // the id, "" for the others
	run         *shellRun    // the user's own command; nil for the others
	stops       bool         // it can be stopped by itself
	own         bool         // the terminal is one that parley runs for the agent
}

// work lists what goes on in the session, the newest last. In the background it
// goes on whatever the turn does.
func (c *chat) work() []work {
	var out []work
	told := map[string]bool{}
	background := map[string]bool{}
	for _, b := range c.Thread.Background {
		background[b.Type+"\x00"+b.ID] = true
	}
	for _, it := range c.Thread.Items {
		t := it.Tool
		if t == nil || !t.Live() {
			continue
		}
		w := work{title: t.Title, tool: t, stops: t.Cancelable, hint: "in the turn"}
		if t.StillRunning {
			w.hint = "still running after its turn"
			if t.Stopped {
				w.hint = "still running, the turn was stopped"
			}
		}
		if cmd := transcript.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
			w.title = cmd
		}
		for _, id := range terminalsOf(t) {
			term := c.Thread.Terminal(id)
			if term != nil && term.Cancelable && !term.Exited && !t.Cancelable {
				w.terminal, w.stops = id, true
			}
			if term != nil && !term.Foreign && term.Command != "" && !term.Exited && c.Agent.Conn() != nil && c.Agent.Conn().KillTerminal != nil {
				w.terminal, w.stops, w.own = id, true, true
			}
			if background["terminal\x00"+id] {
				w.hint = "in the background"
			}
			told["terminal\x00"+id] = true
		}
		if background["tool_call\x00"+t.ID] {
			w.hint = "in the background"
		}
		told["tool_call\x00"+t.ID] = true
		out = append(out, w)
	}
	for _, r := range c.m.runs {
		if r.chat == c {
			out = append(out, work{title: "! " + r.line, hint: "yours", run: r, stops: true})
		}
	}
	for _, b := range c.Thread.Background {
		if told[b.Type+"\x00"+b.ID] {
			continue
		}
		w := work{title: strings.TrimSpace(strings.ReplaceAll(b.Type, "_", " ") + " " + safetext.Line(b.ID, 60)), hint: "in the background"}
		if t := c.Thread.Tool(b.ID); b.Type == "tool_call" && t != nil {
			w.title, w.tool, w.stops = t.Title, t, t.Cancelable
		}
		if t := c.Thread.Terminal(b.ID); b.Type == "terminal" && t != nil {
			w.terminal, w.stops = b.ID, t.Cancelable
			if t.Command != "" {
				w.title = t.Command
			}
		}
		out = append(out, w)
	}
	return out
}

func terminalsOf(t *thread.Tool) []string {
	var ids []string
	for _, content := range t.Content {
		if content.Terminal != "" {
			ids = append(ids, content.Terminal)
		}
	}
	return ids
}

// same tells whether two rows stand for the same piece of work.
func (w work) same(other work) bool {
	return w.tool == other.tool && w.terminal == other.terminal && w.run == other.run && (w.tool != nil || w.terminal != "" || w.run != nil || w.title == other.title)
}

// workItems are the rows of what goes on: those shown before keep their places, and
// say so when they are over.
func (c *chat) workItems(shown []widget.Item) []widget.Item {
	now := c.work()
	var items []widget.Item
	add := func(w work) {
		hint := w.hint
		if w.stops {
			hint += " · " + c.m.listKey(intent.CloseEntry) + " stops"
			if key := c.m.Keys.Label(intent.List, intent.TakeOver); w.own && key != "" && c.Agent.Conn().TakeOver != nil {
				hint += " · " + key + " takes over"
			}
		}
		items = append(items, widget.Item{Title: strings.Join(strings.Fields(w.title), " "), Hint: hint, Value: w})
	}
	for _, it := range shown {
		old := it.Value.(work)
		i := slices.IndexFunc(now, old.same)
		if i < 0 {
			old.hint, old.stops = "over", false
			add(old)
			continue
		}
		add(now[i])
		now = slices.Delete(now, i, i+1)
	}
	for _, w := range now {
		add(w)
	}
	return items
}

// refreshWork brings the list of what goes on up to date, while it is open.
func (m *Model) refreshWork() {
	c := m.chat
	if c.goingOn == nil || c.picker != c.goingOn {
		c.goingOn = nil
		return
	}
	c.goingOn.refresh(c.workItems(c.goingOn.list.Items()), func(a, b any) bool { return a.(work).same(b.(work)) })
}

// showWork lists what goes on, each with its stop key.
func (c *chat) showWork() tea.Cmd {
	hints := []hint{{intent.CloseEntry, "stops it"}, {does: "enter shows it"}}
	if conn := c.Agent.Conn(); conn != nil && conn.TakeOver != nil {
		hints = slices.Insert(hints, 1, hint{intent.TakeOver, "takes it over"})
	}
	p := &picker{title: "going on", foot: c.m.foot(hints...), empty: "nothing is going on", list: widget.NewList(c.workItems(nil))}
	c.goingOn = p
	p.choose = func(it widget.Item) tea.Cmd {
		w := it.Value.(work)
		if w.run != nil {
			c.showItem(func(it *thread.Item) bool { return it.Shell != nil && it.Shell.Key == w.run.key })
			return nil
		}
		if w.tool == nil {
			return c.say("the agent shows nothing of it")
		}
		c.showTool(w.tool)
		return nil
	}
	p.keys = map[intent.Intent]func(widget.Item) tea.Cmd{intent.CloseEntry: func(it widget.Item) tea.Cmd {
		w, ok := it.Value.(work)
		switch {
		case !ok:
			return nil
		case !w.stops:
			p.note = "the agent does not let this be stopped by itself; esc stops the turn"
			return nil
		}
		if w.run != nil {
			p.note = "stopped"
			return c.stopRun(w.run)
		}
		p.note = "asked the agent to stop it"
		if w.own {
			p.note = "stopped"
		}
		return c.stopWork(w)
	}}
	p.keys[intent.TakeOver] = func(it widget.Item) tea.Cmd {
		w, ok := it.Value.(work)
		if !ok {
			return nil
		}
		return keyboard{c}.takeOver(p, w)
	}
	c.picker = p
	return nil
}

// showTool selects a tool call in the transcript.
func (c *chat) showTool(t *thread.Tool) {
	c.showItem(func(it *thread.Item) bool { return it.Tool == t })
}

// showItem selects the item that is meant.
func (c *chat) showItem(is func(*thread.Item) bool) {
	if i := slices.IndexFunc(c.Thread.Items, is); i >= 0 {
		c.focus(true)
		c.view.SelectItem(i)
	}
}
