package composer

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/attach"
	"parley/internal/picture"
	"parley/internal/safetext"
	"parley/internal/words"
)

// images reads the images of drafts.
type images struct {
	*attach.Images
	open      func(ctx context.Context, path string) (picture.Image, error)
	clipboard func(ctx context.Context) (picture.Image, error)
	ctx       context.Context
	pages     Pages
	home      string // ~ in paths
}

// imageMsg says that an image was read or could not be.
type imageMsg struct {
	images *images
	image  *attach.Image
}

// add adds an image, which the command loads.
func (p *images) add(name, text string, load func() (picture.Image, error)) (*attach.Image, tea.Cmd) {
	a := p.Add(name, text)
	if a == nil {
		return nil, nil
	}
	return a, func() tea.Msg {
		a.Read(load)
		return imageMsg{p, a}
	}
}

// Handle labels an image that was read. One that could not be becomes text again.
func (msg imageMsg) Handle() tea.Cmd {
	p, a := msg.images, msg.image
	err := p.Loaded(a, func(token rune) bool {
		return slices.ContainsFunc(p.pages(), func(c *Composer) bool { return c.needs(token) })
	})
	for _, c := range p.pages() {
		c.Relabel(a.Token, a.Text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, context.Canceled) {
		return p.pages.say(words.Sentence(safetext.Line(err.Error(), 200)))
	}
	return nil
}

// needs reports whether an image is in a text that may still be sent.
func (c *Composer) needs(token rune) bool {
	texts := append(c.state().Pending, c.Value())
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, token) })
}

// file returns a function that reads an image file. Relative paths start at dir.
func (p *images) file(path, dir string) func() (picture.Image, error) {
	full := path
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.home != "" {
		full = filepath.Join(p.home, rest)
	}
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	parent := p.ctx
	return func() (picture.Image, error) {
		ctx, stop := context.WithTimeout(parent, readPatience)
		defer stop()
		return p.open(ctx, full)
	}
}

// readPatience is how long reading an image may take.
const readPatience = 10 * time.Second
