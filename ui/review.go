package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/ui/layer"
	"parley/ui/review"
	"parley/ui/status"
)

// showReview opens the review of what the agent has changed in the session, and those of the pages that
// are compared with this one.
func (c *chat) showReview() tea.Cmd {
	cmds := []tea.Cmd{c.startReview(c.review.Start)}
	for _, other := range c.m.compared() {
		if other != c && other.Journal() != nil && c.review.Open() {
			cmds = append(cmds, other.startReview(other.review.Start))
		}
	}
	return tea.Batch(cmds...)
}

// readReviews reads the files that the reviews on the screen show.
func (m *Model) readReviews() tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range m.columns() {
		cmds = append(cmds, c.review.Read())
	}
	return tea.Batch(cmds...)
}

// reviewing is the review as a layer. The reviews of pages that are compared are closed together.
type reviewing struct {
	*review.Review
	c *chat
}

func (l reviewing) Key(p layer.Press) (tea.Cmd, bool) {
	cmd, taken := l.Review.Key(p)
	if !l.Open() {
		for _, c := range l.c.m.compared() {
			c.review.Close()
		}
	}
	return cmd, taken
}

// followReview lets the reviews of pages that are compared show the file that the one in front shows.
func (m *Model) followReview() {
	for _, c := range m.compared() {
		if c != m.chat && m.chat.review.Open() && c.review.Open() {
			c.review.Follow(m.chat.review.Shown())
		}
	}
}

// startReview calls start with the session's changes, if they are recorded.
func (c *chat) startReview(start func(*review.Changes) tea.Cmd) tea.Cmd {
	changes := c.changes()
	if changes == nil {
		return c.say(notRecorded)
	}
	c.panels.reading = nil
	c.toast = status.Toast{} // the offer; when it went, the diff would move
	return start(changes)
}

// changes returns the session's changes; nil if they are not recorded.
func (c *chat) changes() *review.Changes {
	if j := c.Journal(); j != nil {
		return &review.Changes{Journal: j, Short: c.panels.short}
	}
	return nil
}

// offerReview says how to review what a turn has changed.
func (c *chat) offerReview(files int) tea.Cmd {
	if c.review.Open() {
		return c.review.Refresh()
	}
	if files == 0 || c.Compared() != nil || c.toast.At(c.m.Now()) != "" {
		return nil
	}
	return c.say(words.Count(files, "file") + " changed · " + c.m.Keys.ChatKey(intent.ShowReview) + " reviews")
}

// reviewHost implements review.Host for a page.
type reviewHost struct{ c *chat }

func (h reviewHost) HasKeys() bool          { return h.c.m.chat == h.c }
func (h reviewHost) Compared() bool         { return h.c.Session.Compared() != nil }
func (h reviewHost) Named(path string) bool { return h.c.Thread.NamesFile(path) }
func (h reviewHost) Changed()               { h.c.CountLines(0) }
func (h reviewHost) OpenFile(path string, n int) tea.Cmd {
	return conversation(h).openAt(event.Location{Path: path, Line: n})
}
