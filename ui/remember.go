package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/ui/intent"
	"parley/ui/panel"
	"parley/ui/widget"
)

// History keeps what was sent in a project, over runs. Its methods may wait, and
// are called on goroutines of their own.
type History interface {
	Load() ([]string, error) // oldest first
	Add(text string) error
}

// past is what the history of the project holds besides what this run added, and
// what is to be added to it.
type past struct {
	entries []string
	wait    []string // not written yet
	writing []string // being written
	failed  bool     // that it does not work was said
}

// pastMsg is the history as it is now.
type pastMsg struct {
	entries []string
	added   bool
	err     error
}

// loadPast reads the history of the project.
func (m *Model) loadPast() tea.Cmd {
	h := m.opts.History
	if h == nil {
		return nil
	}
	return func() tea.Msg {
		entries, err := h.Load()
		return pastMsg{entries: entries, err: err}
	}
}

// keepPast writes what was sent, in order, and reads what others have sent.
func (m *Model) keepPast() tea.Cmd {
	h, p := m.opts.History, &m.past
	if h == nil || len(p.wait) == 0 || len(p.writing) > 0 {
		return nil
	}
	p.writing, p.wait = p.wait, nil
	texts := p.writing
	return func() tea.Msg {
		for _, text := range texts {
			if err := h.Add(text); err != nil {
				return pastMsg{added: true, err: err}
			}
		}
		entries, err := h.Load()
		return pastMsg{entries, true, err}
	}
}

// handle takes the history. That it cannot be kept is said once.
func (msg pastMsg) handle(m *Model) tea.Cmd {
	if msg.added {
		m.past.writing = nil
	}
	if msg.err != nil {
		if m.past.failed {
			return nil
		}
		m.past.failed = true
		return m.chat.say("the history is not kept" + atomicfile.Room(msg.err) + ": " + msg.err.Error())
	}
	m.past.entries = msg.entries
	for _, c := range m.chats() {
		c.history.Before(msg.entries, m.pictures.lasting)
		if l := c.panels.listOf(intent.SearchHistory); l != nil {
			l.SetItems(c.historyItems())
		}
	}
	return nil
}

// keep puts a text into the history: of the page, and of the project.
func (c *chat) keep(text string) {
	c.history.Add(text)
	if text = c.m.pictures.lasting(text); c.m.opts.History != nil && strings.TrimSpace(text) != "" {
		c.m.past.wait = append(c.m.past.wait, text)
	}
}

// flushPast writes what was not written when the screen ended.
func (m *Model) flushPast() {
	if h := m.opts.History; h != nil {
		for _, text := range append(m.past.writing, m.past.wait...) {
			if h.Add(text) != nil {
				return
			}
		}
	}
}

// searchHistory lists what was sent before, the newest first. The draft stays
// until something is chosen.
func (c *chat) searchHistory() tea.Cmd {
	c.panels.show(&panel.List{Of: intent.SearchHistory, Title: "history", Foot: "enter takes it · esc", Empty: "nothing was sent yet", List: widget.NewRecent(c.historyItems()), Same: func(a, b any) bool { return a == b }, Leaves: true, Choose: func(it widget.Item) tea.Cmd {
		if draft := c.composer.Value(); strings.TrimSpace(draft) != "" {
			c.keep(draft) // as ctrl+c does
		}
		c.composer.SetValue(it.Value.(string))
		c.history.Leave()
		c.refreshPopup()
		return nil
	}})
	return c.m.loadPast() // others may have added to it
}

// historyItems are the entries, the newest first. Of a long one the beginning is
// shown and searched.
func (c *chat) historyItems() []widget.Item {
	const most = 500
	entries := c.history.Entries()
	items := make([]widget.Item, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for _, text := range slices.Backward(entries) {
		if seen[text] {
			continue
		}
		seen[text] = true
		title := text
		if len(title) > most {
			title = strings.ToValidUTF8(title[:most], "") + "…"
		}
		hint := ""
		if n := strings.Count(strings.TrimRight(text, "\n"), "\n"); n > 0 {
			hint = fmt.Sprintf("%d lines", n+1)
		}
		items = append(items, widget.Item{Title: strings.Join(strings.Fields(c.m.pictures.words(title)), " "), Hint: hint, Value: text})
	}
	return items
}

// remembers is what is done behind every message: what was sent, typed or queued
// by it is kept, and commands whose page has gone are ended.
func (m *Model) remembers(msg tea.Msg) tea.Cmd {
	m.stopOrphans()
	for _, c := range m.chats() {
		c.settleEdit()
	}
	return tea.Batch(m.keepPast(), m.keepDrafts(msg))
}

// settled is how long nothing must have changed until a draft is kept.
const settled = time.Second
