package composer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/ui/widget/editor"
)

// image is one that is in a draft, as a token, from the moment it is
// asked for. Its bytes are read meanwhile: data and err may be read when done is
// closed.
type image struct {
	token rune
	name  string // safe to show
	text  string // what it was made of; "" for the clipboard

	done chan struct{}
	data []byte
	mime string
	err  error

	loaded, failed bool // screen's goroutine only
	size           int
}

// images are those of all drafts, also of those that wait or were sent: a token in a text
// means one of them as long as the process lives.
type images struct {
	disk   Pictures
	screen Screen
	home   string // ~ in paths
	of     map[rune]*image
	next   rune
	held   int // bytes
}

// maxPictures bounds the images that are held. Beyond it those go first that are only
// in the history.
const maxPictures = 128 << 20

// imageMsg says that an image was read, or why not.
type imageMsg struct {
	images *images
	image  *image
}

// add makes an image of what load will bring.
func (p *images) add(name, text string, load func() (Picture, error)) (*image, tea.Cmd) {
	if p.of == nil {
		// Tokens of a run before, in drafts and the history, mean nothing.
		p.of, p.next = map[rune]*image{}, editor.FirstToken+rand.N(rune(editor.LastToken-editor.FirstToken)/2)
	}
	if p.next > editor.LastToken {
		return nil, nil
	}
	a := &image{token: p.next, name: safetext.Line(name, 60), text: text, done: make(chan struct{})}
	p.next++
	p.of[a.token] = a
	return a, func() tea.Msg {
		var pic Picture
		pic, a.err = load()
		a.data, a.mime = pic.Data, pic.MimeType
		close(a.done)
		return imageMsg{p, a}
	}
}

// label is what the chip of an image says.
func (p *images) label(token rune) (string, bool) {
	a := p.of[token]
	switch {
	case a == nil || a.failed:
		return "", false
	case a.loaded:
		return fmt.Sprintf("[image %s %s]", a.name, event.ByteCount(a.size)), true
	}
	return "[image " + a.name + "]", true
}

// words is a text with its images in words.
func (p *images) words(text string) string {
	return replaceTokens(text, func(token rune) string {
		if label, ok := p.label(token); ok || p.of[token] == nil {
			return label
		}
		return p.of[token].text
	})
}

// lasting is what of a text means something to another run: the path of an image does,
// a token does not.
func (p *images) lasting(text string) string {
	return replaceTokens(text, func(token rune) string {
		if a := p.of[token]; a != nil {
			return a.text
		}
		return ""
	})
}

func replaceTokens(text string, with func(token rune) string) string {
	if !editor.HasTokens(text) {
		return text
	}
	var b strings.Builder
	for _, piece := range editor.SplitTokens(text) {
		if token, ok := editor.Token(piece); ok {
			piece = with(token)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// textOf is the draft that blocks were made of.
func (p *images) textOf(blocks []event.Block) string {
	text := ""
	for _, b := range blocks {
		text += b.Text
		for _, a := range p.of {
			if len(b.Image) > 0 && a.loaded && len(a.data) > 0 && &a.data[0] == &b.Image[0] {
				text += string(a.token)
			}
		}
	}
	return text
}

// Handle labels an image that was read; what is none becomes the text again.
func (msg imageMsg) Handle() tea.Cmd {
	p, a := msg.images, msg.image
	if a.failed = a.err != nil; !a.failed {
		a.loaded, a.size = true, len(a.data)
		p.held += a.size
		p.forget()
	}
	for _, c := range p.screen.Composers() {
		c.Relabel(a.token, a.text)
	}
	if a.failed && !errors.Is(a.err, fs.ErrNotExist) && !errors.Is(a.err, context.Canceled) {
		return say(p.screen, safetext.Line(a.err.Error(), 200))
	}
	return nil
}

// forget lets go of the oldest images that no draft needs.
func (p *images) forget() {
	for _, token := range slices.Sorted(maps.Keys(p.of)) {
		if p.held <= maxPictures {
			return
		}
		if a := p.of[token]; a.loaded && !slices.ContainsFunc(p.screen.Composers(), func(c *Composer) bool { return c.needs(token) }) {
			p.held -= a.size
			delete(p.of, token)
		}
	}
}

// needs tells whether an image is in something that is yet to be sent.
func (c *Composer) needs(token rune) bool {
	texts := append(c.host.Unsettled(), c.Value())
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, token) })
}

// file is how an image file is read, of which the path begins in dir.
func (p *images) file(path, dir string) func() (Picture, error) {
	full := path
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.home != "" {
		full = filepath.Join(p.home, rest)
	}
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	parent := p.screen.Context()
	return func() (Picture, error) {
		ctx, stop := context.WithTimeout(parent, readPatience)
		defer stop()
		return p.disk.Open(ctx, full)
	}
}

// readPatience is how long reading what goes with a prompt may take.
const readPatience = 10 * time.Second
