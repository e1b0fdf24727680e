package composer

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/internal/attach"
	"parley/internal/finder"
	"parley/internal/memory"
	"parley/internal/picture"
	"parley/ui/layer"
)

// Screen is the screen with the composers of all pages.
type Screen interface {
	// Context is cancelled when the screen ends.
	Context() context.Context
	// Composers returns those of all pages, Front the one of the page that is shown.
	Composers() []*Composer
	Front() *Composer
	// HistoryChanged is called when the entries of all composers have changed.
	HistoryChanged()
	// Quitting reports whether the screen is about to end.
	Quitting() bool
}

// Options of a Store. Interfaces and functions may be nil: what they do is not available
// then.
type Options struct {
	Env    *layer.Env
	Screen Screen
	Files  finder.Files
	Images *attach.Images // of all prompts
	// OpenPicture reads an image file, and ClipboardPicture the image in the clipboard.
	OpenPicture      func(ctx context.Context, path string) (picture.Image, error)
	ClipboardPicture func(ctx context.Context) (picture.Image, error)
	History          memory.HistoryStore
	Drafts           memory.DraftStore
	Editor           func(text string) (Editing, error)
	Home             string // ~ in paths
}

// Store holds what all composers share: the images, the history of the project, and the
// saved drafts.
type Store struct {
	opts    Options
	images  images
	history history
	drafts  draftKeeper
}

// NewStore returns the store of a screen. [Store.New] returns its composers.
func NewStore(opts Options) *Store {
	return &Store{
		opts:    opts,
		images:  images{Images: cmp.Or(opts.Images, &attach.Images{}), open: opts.OpenPicture, clipboard: opts.ClipboardPicture, screen: opts.Screen, home: opts.Home},
		history: history{disk: opts.History, screen: opts.Screen},
		drafts:  draftKeeper{env: opts.Env, screen: opts.Screen, order: draftOrder{store: opts.Drafts}},
	}
}

// LoadHistory reads the history of the project.
func (s *Store) LoadHistory() tea.Cmd { return s.history.load() }

// After is called after every message to the screen. It updates the search for files and
// saves drafts.
func (s *Store) After(msg tea.Msg) tea.Cmd {
	var found tea.Cmd
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		found = s.opts.Screen.Front().mentions.refresh()
	}
	return tea.Batch(found, s.history.save(), s.drafts.after(msg))
}

// Leave saves the draft of a composer that is being closed.
func (s *Store) Leave(c *Composer) { s.drafts.leave(c) }

// FlushDrafts saves all drafts after the screen has ended, and the one in front also for
// the next session in the project.
func (s *Store) FlushDrafts() { s.drafts.flush() }

// FlushHistory writes the rest of the history after the screen has ended.
func (s *Store) FlushHistory() { s.history.flush() }

// say shows a line on the page in front.
func say(on Screen, text string) tea.Cmd { return on.Front().host.Say(text) }
