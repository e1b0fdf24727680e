package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/page"
)

// showReview opens the review of what the agent of a page has changed, and those of the pages that are
// compared with it.
func (m *Model) showReview(c *page.Page) tea.Cmd {
	cmds := []tea.Cmd{c.StartReview(c.Review.Start)}
	for _, other := range m.compared(m.Front) {
		if other != c && other.Changes.Journal() != nil && c.Review.Open() {
			cmds = append(cmds, other.StartReview(other.Review.Start))
		}
	}
	return tea.Batch(cmds...)
}

// readReviews reads the files that the reviews on the screen show.
func (m *Model) readReviews() tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range m.divided().columns {
		cmds = append(cmds, c.Review.Read())
	}
	return tea.Batch(cmds...)
}

// followReview lets the reviews of pages that are compared show the file that the one in front shows, and
// closes them with it.
func (m *Model) followReview() {
	open := m.Front.Review.Open()
	closed := !open && m.reviewed == m.Front
	if m.reviewed = nil; open {
		m.reviewed = m.Front
	}
	for _, c := range m.compared(m.Front) {
		switch {
		case c == m.Front:
		case closed:
			c.Review.Close()
		case open && c.Review.Open():
			c.Review.Follow(m.Front.Review.Shown())
		}
	}
}
