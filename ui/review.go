package ui

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/panel"
	"parley/ui/review"
	"parley/ui/status"
	"parley/ui/transcript"
)

// showReview opens the review of what the agent has changed in the session, and those of the pages that
// are compared with this one.
func (c *chat) showReview() tea.Cmd {
	cmds := []tea.Cmd{c.startReview(c.review.Start)}
	for _, other := range c.m.compared() {
		if other != c && other.Recorded() != nil && c.review.Open() {
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
func (c *chat) startReview(start func(review.Store) tea.Cmd) tea.Cmd {
	if c.changes() == nil {
		return c.say(notRecorded)
	}
	c.panels.reading = nil
	c.toast = status.Toast{} // the offer; when it went, the diff would move
	return start(c.changes())
}

// changes returns the session's changes; nil if they are not recorded.
func (c *chat) changes() *changeStore {
	conn := c.Recorded()
	if conn == nil || c.ACP == nil {
		return nil
	}
	return &changeStore{conn, c.ACP.ID(), c.cwd, c.m.opts.Home}
}

// offerReview says how to review what a turn has changed.
func (c *chat) offerReview(files int) tea.Cmd {
	if c.review.Open() {
		return c.review.Refresh()
	}
	if files == 0 || c.Compared() != nil || c.toast.At(c.m.Now()) != "" {
		return nil
	}
	key := c.m.Keys.Label(intent.Chat, intent.ShowReview)
	if key == "" {
		key = "/review"
	}
	return c.say(panel.CountFiles(files) + " changed · " + key + " reviews")
}

// reviewHost implements review.Host for a page.
type reviewHost struct{ c *chat }

func (h reviewHost) Say(text string) tea.Cmd         { return h.c.say(text) }
func (h reviewHost) HasKeys() bool                   { return h.c.m.chat == h.c }
func (h reviewHost) Compared() bool                  { return h.c.Session.Compared() != nil }
func (h reviewHost) Do(i intent.Intent) tea.Cmd      { return h.c.panels.Do(i) }
func (h reviewHost) Copy(text func() string) tea.Cmd { return h.c.copyText(text) }
func (h reviewHost) Named(path string) bool          { return h.c.Thread.NamesFile(path) }
func (h reviewHost) Changed()                        { h.c.CountLines(0) }
func (h reviewHost) OpenFile(path string, n int) tea.Cmd {
	return conversation(h).openAt(event.Location{Path: path, Line: n})
}

// changeStore implements review.Store for a session, on other goroutines than the screen's.
type changeStore struct {
	conn      *workspace.Connection
	session   string
	cwd, home string
}

func (s *changeStore) Since(turn int) (files []review.File, turns []int) {
	for _, f := range s.conn.Changes(s.session) {
		turns = append(turns, f.Turn)
	}
	slices.Sort(turns)
	name := func(path string) string {
		if path == "" {
			return ""
		}
		return safetext.Line(transcript.ShortenHome(transcript.RelativePath(path, s.cwd), s.home), 300)
	}
	for _, f := range s.conn.Since(s.session, turn) {
		files = append(files, review.File{Name: filepath.ToSlash(name(f.Path)), From: filepath.ToSlash(name(f.From)), Path: f.Path, Kind: f.Kind, Modes: f.Modes, By: safetext.Line(f.By, 100),
			NoUndoReason: safetext.Line(f.NoUndoReason, 300), Turn: f.Turn, Undone: f.Undone, Disk: f.Disk, Link: f.Link, Before: f.Before, After: f.After, Version: f.Version, Handle: f})
	}
	return files, slices.Compact(turns)
}

func (s *changeStore) NotRecorded() []string { return s.conn.Gaps(s.session) }

func (s *changeStore) Texts(f review.File) (before, after string, ok bool) {
	return s.conn.Texts(s.session, f.Handle.(workspace.FileChange))
}

func (s *changeStore) Undo(f review.File) error {
	return outcomeOf(s.conn.Undo(context.Background(), s.session, []workspace.FileChange{f.Handle.(workspace.FileChange)}, false))
}

func (s *changeStore) Redo(f review.File) error {
	return outcomeOf(s.conn.Redo(context.Background(), s.session, []workspace.FileChange{f.Handle.(workspace.FileChange)}))
}

var errSessionClosed = errors.New("the session is closed")

func outcomeOf(results []workspace.UndoResult) error {
	if len(results) == 0 {
		return errSessionClosed
	}
	return results[0].Err
}

func (s *changeStore) Rewrite(f review.File, content string) error {
	return s.conn.Rewrite(context.Background(), s.session, f.Handle.(workspace.FileChange), content)
}

func (s *changeStore) Stage(f review.File, content *string) error {
	return s.conn.Stage(context.Background(), s.session, f.Handle.(workspace.FileChange), content)
}
