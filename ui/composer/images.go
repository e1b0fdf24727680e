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
	"parley/internal/words"
	"parley/ui/widget/editor"
)

// image is an image in a draft, where a token is in its place. Its file is read in a task:
// data and err may be read after done is closed.
type image struct {
	token rune
	name  string // safe to show
	text  string // the text that it replaced; "" for the clipboard

	done chan struct{}
	data []byte
	mime string
	err  error

	loaded, failed bool // for the screen's goroutine only
	size           int
}

// images holds the images of all drafts and prompts. A token means the same image as long
// as the process lives.
type images struct {
	disk   Pictures
	screen Screen
	home   string // ~ in paths
	of     map[rune]*image
	next   rune
	held   int // bytes
}

// maxPictures is how many bytes of images are held. Beyond it, images that are only in the
// history are dropped, the oldest first.
const maxPictures = 128 << 20

// imageMsg says that an image was read or could not be.
type imageMsg struct {
	images *images
	image  *image
}

// add adds an image, which the command loads.
func (p *images) add(name, text string, load func() (Picture, error)) (*image, tea.Cmd) {
	if p.of == nil {
		// Start at a random token, so that tokens of earlier runs mean nothing.
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

// label returns the text of an image's chip.
func (p *images) label(token rune) (string, bool) {
	a := p.of[token]
	switch {
	case a == nil || a.failed:
		return "", false
	case a.loaded:
		return fmt.Sprintf("[image %s %s]", a.name, words.Bytes(a.size)), true
	}
	return "[image " + a.name + "]", true
}

// words returns a text with the labels of its images.
func (p *images) words(text string) string {
	return replaceTokens(text, func(token rune) string {
		if label, ok := p.label(token); ok || p.of[token] == nil {
			return label
		}
		return p.of[token].text
	})
}

// lasting returns a text with the paths of its images instead of their tokens, which mean
// nothing to another run.
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

// textOf returns the draft from which blocks were made.
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

// Handle labels an image that was read. One that could not be becomes text again.
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

// forget drops the oldest images that no draft needs, down to maxPictures.
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

// needs reports whether an image is in a text that may still be sent.
func (c *Composer) needs(token rune) bool {
	texts := append(c.host.PendingPrompts(), c.Value())
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, token) })
}

// file returns a function that reads an image file. Relative paths start at dir.
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

// readPatience is how long reading an image may take.
const readPatience = 10 * time.Second
