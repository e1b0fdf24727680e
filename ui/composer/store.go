package composer

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/ui/layer"
)

// Screen is what the composers of all pages are on.
type Screen interface {
	// Context ends with the screen.
	Context() context.Context
	// Composers are those of all pages, and Front is the one in front.
	Composers() []*Composer
	Front() *Composer
	// HistoryChanged tells that the entries of all composers have changed.
	HistoryChanged()
	// Quitting tells whether the screen is about to end.
	Quitting() bool
}

// Options of a Store. Of what may wait, nil is allowed: it is not to be had then.
type Options struct {
	Env      *layer.Env
	Screen   Screen
	Files    Files
	Pictures Pictures
	History  History
	Drafts   Drafts
	Editor   func(text string) (Editing, error)
	Home     string // ~ in paths
}

// Store holds what all composers share: the images, the history of the project, and the
// drafts on the disk.
type Store struct {
	opts   Options
	images images
	past   past
	drafts keeper
}

// NewStore makes the store of a screen. Its composers are made with [Store.New].
func NewStore(opts Options) *Store {
	return &Store{
		opts:   opts,
		images: images{disk: opts.Pictures, screen: opts.Screen, home: opts.Home},
		past:   past{disk: opts.History, screen: opts.Screen},
		drafts: keeper{env: opts.Env, screen: opts.Screen, order: draftOrder{store: opts.Drafts}},
	}
}

// LoadHistory reads the history of the project.
func (s *Store) LoadHistory() tea.Cmd { return s.past.load() }

// After follows what a message to the screen has changed: which file may be meant, and
// what is to be kept.
func (s *Store) After(msg tea.Msg) tea.Cmd {
	var found tea.Cmd
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		found = s.opts.Screen.Front().mentions.look()
	}
	return tea.Batch(found, s.past.save(), s.drafts.after(msg))
}

// Leave keeps the draft of a composer that goes away.
func (s *Store) Leave(c *Composer) { s.drafts.leave(c) }

// FlushDrafts keeps all drafts when the screen has ended, and leaves the one in front to
// the next session in the project.
func (s *Store) FlushDrafts() { s.drafts.flush() }

// FlushHistory writes what was sent and not written when the screen ended.
func (s *Store) FlushHistory() { s.past.flush() }

// TextOf is the draft that blocks were made of.
func (s *Store) TextOf(blocks []event.Block) string { return s.images.textOf(blocks) }

// say shows a line on the page in front.
func say(on Screen, text string) tea.Cmd { return on.Front().host.Say(text) }
