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

// Options of a Store. History and Drafts may be nil: they are not stored then.
type Options struct {
	Tools
	Env     *layer.Env
	Context context.Context // cancelled when the screen ends
	Pages   Pages
	Images  *attach.Images // of all prompts
	History memory.HistoryStore
	Drafts  memory.DraftStore
	Home    string // ~ in paths
}

// Tools are what composers use of this machine. They may block, and are called from any goroutine. What
// those that are nil do is not available.
type Tools struct {
	// FindFiles finds the files that are mentioned.
	FindFiles finder.FindFunc
	// OpenPicture reads an image file, and ClipboardPicture the image in the clipboard.
	OpenPicture      func(ctx context.Context, path string) (picture.Image, error)
	ClipboardPicture func(ctx context.Context) (picture.Image, error)
	// Editor prepares the user's editor on a text.
	Editor func(text string) (Editing, error)
}

// Pages returns the composers of the open pages, that of the page in front first.
type Pages func() []*Composer

// say shows a line on the page in front.
func (p Pages) say(text string) tea.Cmd { return p()[0].out.Say(text) }

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
		images:  images{Images: cmp.Or(opts.Images, &attach.Images{}), open: opts.OpenPicture, clipboard: opts.ClipboardPicture, ctx: opts.Context, pages: opts.Pages, home: opts.Home},
		history: history{disk: opts.History, pages: opts.Pages},
		drafts:  draftKeeper{env: opts.Env, pages: opts.Pages, order: draftOrder{store: opts.Drafts}},
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
		found = s.opts.Pages()[0].mentions.refresh()
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
