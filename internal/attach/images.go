package attach

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/picture"
	"parley/internal/safetext"
	"parley/internal/token"
	"parley/internal/words"
)

// Image is an image in a text, where a token is in its place. Its file is read in a task, by Read: the
// content may be read after done is closed.
type Image struct {
	Token rune
	Text  string // the text that it replaced; "" for the clipboard

	name  string // safe to show
	done  chan struct{}
	image picture.Image
	err   error

	loaded, failed bool // for the front end's goroutine only
	size           int
}

// Read reads the image, once.
func (a *Image) Read(load func() (picture.Image, error)) {
	a.image, a.err = load()
	close(a.done)
}

// Images holds the images of all drafts and prompts. A token means the same image as long as the process
// lives. It belongs to the front end's goroutine.
type Images struct {
	of   map[rune]*Image
	next rune
	held int // bytes
}

// maxImages is how many bytes of images are held. Beyond it, images that are only in the history are
// dropped, the oldest first.
const maxImages = 128 << 20

// Add adds an image, which is to be read. It returns nil if there are too many.
func (p *Images) Add(name, text string) *Image {
	if p.of == nil {
		// Start at a random token, so that tokens of earlier runs mean nothing.
		p.of, p.next = map[rune]*Image{}, token.First+rand.N(rune(token.Last-token.First)/2)
	}
	if p.next > token.Last {
		return nil
	}
	a := &Image{Token: p.next, name: safetext.Line(name, 60), Text: text, done: make(chan struct{})}
	p.next++
	p.of[a.Token] = a
	return a
}

// Loaded records that an image was read, and returns the error if it could not be. needed reports
// whether an image may still be sent.
func (p *Images) Loaded(a *Image, needed func(token rune) bool) error {
	if a.failed = a.err != nil; a.failed {
		return a.err
	}
	a.loaded, a.size = true, len(a.image.Data)
	p.held += a.size
	for _, t := range slices.Sorted(maps.Keys(p.of)) {
		if p.held <= maxImages {
			break
		}
		if a := p.of[t]; a.loaded && !needed(t) {
			p.held -= a.size
			delete(p.of, t)
		}
	}
	return nil
}

// Label returns the text that stands for an image on the screen, false if it is not available.
func (p *Images) Label(token rune) (string, bool) {
	a := p.of[token]
	switch {
	case a == nil || a.failed:
		return "", false
	case a.loaded:
		return fmt.Sprintf("[image %s %s]", a.name, words.Bytes(a.size)), true
	}
	return "[image " + a.name + "]", true
}

// Display returns a text with the labels of its images.
func (p *Images) Display(text string) string {
	return replaceTokens(text, func(t rune) string {
		if label, ok := p.Label(t); ok || p.of[t] == nil {
			return label
		}
		return p.of[t].Text
	})
}

// Portable returns a text with the paths of its images instead of their tokens, which mean nothing to
// another run.
func (p *Images) Portable(text string) string {
	return replaceTokens(text, func(t rune) string {
		if a := p.of[t]; a != nil {
			return a.Text
		}
		return ""
	})
}

func replaceTokens(text string, with func(token rune) string) string {
	if !token.In(text) {
		return text
	}
	var b strings.Builder
	for _, piece := range token.Split(text) {
		if t, ok := token.Of(piece); ok {
			piece = with(t)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// TextOf returns the prompt from which blocks were made.
func (p *Images) TextOf(blocks []event.Block) string {
	text := ""
	for _, b := range blocks {
		if b.URI != "" {
			continue
		}
		text += b.Text
		for _, a := range p.of {
			if len(b.Image) > 0 && a.loaded && len(a.image.Data) > 0 && &a.image.Data[0] == &b.Image[0] {
				text += string(a.Token)
			}
		}
	}
	return text
}
