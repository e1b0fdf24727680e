package composer

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/ui/widget/list"
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
	disk    History
	screen  Screen
	entries []string
	wait    []string // not written yet
	writing []string // being written
	failed  bool     // that it does not work was said
}

// pastMsg is the history as it is now.
type pastMsg struct {
	past    *past
	entries []string
	added   bool
	err     error
}

// load reads the history of the project.
func (p *past) load() tea.Cmd {
	if p.disk == nil {
		return nil
	}
	return func() tea.Msg {
		entries, err := p.disk.Load()
		return pastMsg{past: p, entries: entries, err: err}
	}
}

// add has a text written.
func (p *past) add(text string) {
	if p.disk != nil && strings.TrimSpace(text) != "" {
		p.wait = append(p.wait, text)
	}
}

// save writes what was sent, in order, and reads what others have sent.
func (p *past) save() tea.Cmd {
	if len(p.wait) == 0 || len(p.writing) > 0 {
		return nil
	}
	p.writing, p.wait = p.wait, nil
	texts := p.writing
	return func() tea.Msg {
		for _, text := range texts {
			if err := p.disk.Add(text); err != nil {
				return pastMsg{past: p, added: true, err: err}
			}
		}
		entries, err := p.disk.Load()
		return pastMsg{p, entries, true, err}
	}
}

// Handle takes the history. That it cannot be kept is said once.
func (msg pastMsg) Handle() tea.Cmd {
	p := msg.past
	if msg.added {
		p.writing = nil
	}
	if msg.err != nil {
		if p.failed {
			return nil
		}
		p.failed = true
		return say(p.screen, "History is not saved"+atomicfile.Room(msg.err)+": "+msg.err.Error())
	}
	p.entries = msg.entries
	for _, c := range p.screen.Composers() {
		c.recall.before(msg.entries, c.Lasting)
	}
	p.screen.HistoryChanged()
	return nil
}

// flush writes what was not written when the screen ended.
func (p *past) flush() {
	for _, text := range append(p.writing, p.wait...) {
		if p.disk.Add(text) != nil {
			return
		}
	}
}

// Keep puts a text into the history: of the page, and of the project.
func (c *Composer) Keep(text string) {
	c.Remember(text)
	c.store.past.add(c.Lasting(text))
}

// Remember puts a text into the history of the page, for this run only.
func (c *Composer) Remember(text string) { c.recall.add(text) }

// KeepDraft puts the draft, if there is any, into the history.
func (c *Composer) KeepDraft() {
	if draft := c.Value(); strings.TrimSpace(draft) != "" {
		c.Keep(draft)
	}
}

// Entries are what was sent before, the newest first, each with its text as Value. Of a
// long one the beginning is shown and searched.
func (c *Composer) Entries() []list.Item {
	const most = 500
	items := make([]list.Item, 0, len(c.recall.entries))
	seen := make(map[string]bool, len(c.recall.entries))
	for _, text := range slices.Backward(c.recall.entries) {
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
		items = append(items, list.Item{Title: strings.Join(strings.Fields(c.Words(title)), " "), Hint: hint, Value: text})
	}
	return items
}
