package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/ui/review"
)

// askReview asks for the review of this page and of those that are compared with it.
func (c *Page) askReview() tea.Cmd { return c.out.Add(ForScreen{Intent: intent.ShowReview}) }

// StartReview calls start with the session's changes, if they are recorded.
func (c *Page) StartReview(start func(*review.Changes) tea.Cmd) tea.Cmd {
	changes := c.Recorded()
	if changes == nil {
		return c.say(notRecorded)
	}
	c.Panels.reading = nil
	c.DropToast() // the offer; when it went, the diff would move
	return start(changes)
}

// Recorded returns the session's changes; nil if they are not recorded.
func (c *Page) Recorded() *review.Changes {
	if j := c.Changes.Journal(); j != nil {
		return &review.Changes{Journal: j, Short: c.short}
	}
	return nil
}

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
	return conversation(h).openAt(event.Location{Path: path, Line: n})
}
