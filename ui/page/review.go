package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/words"
)

// offerReview says how to review what a turn has changed.
func (c *Page) offerReview(files int) tea.Cmd {
	if c.Review.Open() {
		return c.Review.Refresh()
	}
	if files == 0 || c.Compared() != nil || c.toast.At(c.screen.Now()) != "" {
		return nil
	}
	return c.say(words.Count(files, "file") + " changed · " + c.screen.Keys.ChatKey(intent.ShowReview) + " reviews")
}

// reviewHost implements review.Host for a page.
type reviewHost struct{ c *Page }

func (h reviewHost) HasKeys() bool          { return h.c.InFront() }
func (h reviewHost) Compared() bool         { return h.c.Session.Compared() != nil }
func (h reviewHost) Named(path string) bool { return h.c.Thread.NamesFile(path) }
func (h reviewHost) Changed()               { h.c.Changes.Count(0) }
func (h reviewHost) OpenFile(path string, n int) tea.Cmd {
	return openAt(h.c, event.Location{Path: path, Line: n})
}

func (h reviewHost) WriteNote(n notes.Note) tea.Cmd {
	at := h.c.Review.RowBelow(n)
	n.Path = h.c.NameOf(n.Path)
	return writeNote(h.c, n, at, nil)
}

func (h reviewHost) Notes(path string) (on []notes.Note) {
	path = h.c.NameOf(path)
	for _, n := range h.c.Notes() {
		if !n.Undone && n.Path == path {
			on = append(on, n)
		}
	}
	return on
}

func (h reviewHost) Left() tea.Cmd {
	var cmds []tea.Cmd
	if notes.Draft(h.c.Notes()) != nil {
		cmds = append(cmds, sayNotes(h.c))
	}
	if back := h.c.afterReview; back != nil {
		cmds = append(cmds, back())
	}
	return tea.Batch(cmds...)
}

func (h reviewHost) Undid(n notes.Note) {
	n.Path = h.c.NameOf(n.Path)
	h.c.SetNotes(notes.Undo(h.c.Notes(), n))
}

func (h reviewHost) Redid(path string) {
	h.c.SetNotes(notes.Redo(h.c.Notes(), h.c.NameOf(path)))
}

func (h reviewHost) Rewrote(path, before, after string) {
	h.c.SetNotes(notes.Move(h.c.Notes(), h.c.NameOf(path), before, after))
}
