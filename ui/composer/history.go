package composer

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/atomicfile"
	"parley/internal/memory"
	"parley/internal/words"
	"parley/ui/widget/list"
)

// history is the prompts of earlier runs in the project, and those to be added to it.
type history struct {
	disk    memory.HistoryStore
	pages   Pages
	entries []string
	unsaved []string // not written yet
	writing []string // being written
	failed  bool     // the user was told that saving fails
}

// historyMsg brings the history of the project.
type historyMsg struct {
	history *history
	entries []string
	added   bool
	err     error
}

// load reads the history of the project.
func (h *history) load() tea.Cmd {
	if h.disk == nil {
		return nil
	}
	return func() tea.Msg {
		entries, err := h.disk.Load()
		return historyMsg{history: h, entries: entries, err: err}
	}
}

// add adds a text to be written.
func (h *history) add(text string) {
	if h.disk != nil && strings.TrimSpace(text) != "" {
		h.unsaved = append(h.unsaved, text)
	}
}

// save writes the new prompts in order and reads those of other runs.
func (h *history) save() tea.Cmd {
	if len(h.unsaved) == 0 || len(h.writing) > 0 {
		return nil
	}
	h.writing, h.unsaved = h.unsaved, nil
	texts := h.writing
	return func() tea.Msg {
		for _, text := range texts {
			if err := h.disk.Add(text); err != nil {
				return historyMsg{history: h, added: true, err: err}
			}
		}
		entries, err := h.disk.Load()
		return historyMsg{h, entries, true, err}
	}
}

// Handle updates the history of all composers. The first error is shown.
func (msg historyMsg) Handle() tea.Cmd {
	h := msg.history
	if msg.added {
		h.writing = nil
	}
	if msg.err != nil {
		if h.failed {
			return nil
		}
		h.failed = true
		return h.pages.say("History is not saved" + atomicfile.FreeSpaceAdvice(msg.err) + ": " + msg.err.Error())
	}
	h.entries = msg.entries
	for _, c := range h.pages() {
		c.recall.setOlder(msg.entries, c.PortableText)
		c.out.Add(HistoryChanged{})
	}
	return nil
}

// flush writes the rest after the screen has ended.
func (h *history) flush() {
	for _, text := range append(h.writing, h.unsaved...) {
		if h.disk.Add(text) != nil {
			return
		}
	}
}

// AddToHistory adds a text to the history of the page and of the project.
func (c *Composer) AddToHistory(text string) {
	c.AddToRunHistory(text)
	c.store.history.add(c.PortableText(text))
}

// AddToRunHistory adds a text to the history of the page for this run only.
func (c *Composer) AddToRunHistory(text string) { c.recall.add(text) }

// AddDraftToHistory adds the draft to the history, unless it is empty.
func (c *Composer) AddDraftToHistory() {
	if draft := c.Value(); strings.TrimSpace(draft) != "" {
		c.AddToHistory(draft)
	}
}

// Entries returns the history, the newest first, with the text as Value. Only the beginning
// of a long text is shown and searched.
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
			hint = words.Count(n+1, "line")
		}
		items = append(items, list.Item{Title: words.OneLine(c.DisplayText(title)), Hint: hint, Value: text})
	}
	return items
}
