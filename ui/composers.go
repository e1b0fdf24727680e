package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/composer"
)

// composers are those of all pages.
type composers struct{ m *Model }

func (h composers) front() *composer.Composer { return h.m.Front.Composer }
func (h composers) quitting() bool            { return h.m.Quitting }

func (h composers) all() []*composer.Composer {
	var out []*composer.Composer
	for _, c := range h.m.chats() {
		out = append(out, c.Composer)
	}
	return out
}

func (h composers) historyChanged() {
	for _, c := range h.m.chats() {
		if l := c.Panels.ListOf(intent.SearchHistory); l != nil {
			l.SetItems(c.Composer.Entries())
		}
	}
}

// newStore makes the store that the composers share.
func newStore(m *Model) *composer.Store {
	o, h := m.Options, composers{m}
	return composer.NewStore(composer.Options{Env: &m.Env, Context: m.Workspace.Context(), FindFiles: o.FindFiles,
		Pages: composer.Pages{All: h.all, Front: h.front, HistoryChanged: h.historyChanged, Quitting: h.quitting}, Images: m.Workspace.Images(), OpenPicture: o.OpenPicture, ClipboardPicture: o.ClipboardPicture, History: o.History, Drafts: o.Drafts, Editor: o.Editor, Home: o.Home})
}

// after updates the composers after a message.
func (h composers) after(msg tea.Msg) tea.Cmd {
	for _, c := range h.m.chats() {
		if c.Composer.Empty() { // no queued prompt is being edited any longer
			c.Prompts.Queue.EndEdit()
		}
	}
	return h.m.Store.After(msg)
}
