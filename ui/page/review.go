package page

import (
	tea "charm.land/bubbletea/v2"

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

// noteOnReview lets the user write a note below the line of the review that it is about.
func noteOnReview(c *Page, n notes.Note) tea.Cmd {
	at := c.Review.RowBelow(n)
	n.Path = c.NameOf(n.Path)
	return writeNote(c, n, at, nil)
}

// leftReview follows the review that the user has closed.
func leftReview(c *Page) tea.Cmd {
	var cmds []tea.Cmd
	if notes.Draft(c.Notes()) != nil {
		cmds = append(cmds, sayNotes(c))
	}
	if back := c.afterReview; back != nil {
		cmds = append(cmds, back())
	}
	return tea.Batch(cmds...)
}
