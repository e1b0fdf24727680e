package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/picture"
	"parley/internal/safetext"
	"parley/ui/widget"
)

// attached is an image that stands in a draft, as a token, from the moment it is
// asked for. Its bytes are read meanwhile: data and err may be read when done is
// closed.
type attached struct {
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

// pictures are the images of all drafts, also of those that wait or were sent:
// a token in a text means one of them as long as the process lives.
type pictures struct {
	of   map[rune]*attached
	next rune
	held int // bytes
	cmds []tea.Cmd
}

// maxPictures bounds the images that are held. Beyond it those go first that
// stand only in the history.
const maxPictures = 128 << 20

// pictureMsg says that an image was read, or why not.
type pictureMsg struct{ of *attached }

// do keeps a command until todo takes it: for where none can be returned.
func (p *pictures) do(cmd tea.Cmd) {
	if cmd != nil {
		p.cmds = append(p.cmds, cmd)
	}
}

func (p *pictures) todo() tea.Cmd {
	cmds := p.cmds
	p.cmds = nil
	return tea.Batch(cmds...)
}

// add makes an image of what load will bring.
func (p *pictures) add(name, text string, load func() (Picture, error)) *attached {
	if p.of == nil {
		// Tokens of a run before, in drafts and the history, mean nothing.
		p.of, p.next = map[rune]*attached{}, widget.FirstToken+rand.N(rune(widget.LastToken-widget.FirstToken)/2)
	}
	if p.next > widget.LastToken {
		return nil
	}
	a := &attached{token: p.next, name: safetext.Line(name, 60), text: text, done: make(chan struct{})}
	p.next++
	p.of[a.token] = a
	p.do(func() tea.Msg {
		var pic Picture
		pic, a.err = load()
		a.data, a.mime = pic.Data, pic.MimeType
		close(a.done)
		return pictureMsg{a}
	})
	return a
}

// label is what the chip of an image says.
func (p *pictures) label(token rune) (string, bool) {
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
func (p *pictures) words(text string) string {
	return replaceTokens(text, func(token rune) string {
		if label, ok := p.label(token); ok || p.of[token] == nil {
			return label
		}
		return p.of[token].text
	})
}

// lasting is what of a text means something to another run: the path of an image does,
// a token does not.
func (p *pictures) lasting(text string) string {
	return replaceTokens(text, func(token rune) string {
		if a := p.of[token]; a != nil {
			return a.text
		}
		return ""
	})
}

func replaceTokens(text string, with func(token rune) string) string {
	if !widget.HasTokens(text) {
		return text
	}
	var b strings.Builder
	for _, piece := range widget.SplitTokens(text) {
		if token, ok := widget.Token(piece); ok {
			piece = with(token)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// textOf is the draft that blocks were made of.
func (p *pictures) textOf(blocks []event.Block) string {
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

// handle labels an image that was read; what is none becomes the text again.
func (msg pictureMsg) handle(m *Model) tea.Cmd {
	a := msg.of
	if a.failed = a.err != nil; !a.failed {
		a.loaded, a.size = true, len(a.data)
		m.pictures.held += a.size
		m.forgetPictures()
	}
	for _, c := range m.chats() {
		c.composer.Relabel(a.token, a.text)
	}
	if a.failed && !errors.Is(a.err, fs.ErrNotExist) && !errors.Is(a.err, context.Canceled) {
		return m.chat.say(safetext.Line(a.err.Error(), 200))
	}
	return nil
}

// forgetPictures lets go of the oldest images that no draft needs.
func (m *Model) forgetPictures() {
	tokens := []rune{}
	for token := range m.pictures.of {
		tokens = append(tokens, token)
	}
	slices.Sort(tokens)
	for _, token := range tokens {
		a := m.pictures.of[token]
		if m.pictures.held <= maxPictures {
			return
		}
		if a.loaded && !slices.ContainsFunc(m.chats(), func(c *chat) bool { return c.needs(token) }) {
			m.pictures.held -= a.size
			delete(m.pictures.of, token)
		}
	}
}

// needs tells whether an image stands in something that is yet to be sent.
func (c *chat) needs(token rune) bool {
	texts := append(c.Unsettled(), c.composer.Value())
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, token) })
}

// takesImages tells whether prompts to the agent may hold images.
func (c *chat) takesImages() bool {
	return c.Agent.Conn() != nil && c.Agent.Conn().Client.Agent().Image
}

const noImages = "this agent takes no images"

// pasteImage is ctrl+v: the image in the clipboard.
func (c *chat) pasteImage() tea.Cmd {
	from := c.m.opts.Pictures
	switch {
	case from == nil:
		return c.say("the clipboard cannot be read here")
	case c.ReadOnly || c.Agent.Conn() == nil:
		return c.say("there is no agent to show it to")
	case !c.takesImages():
		return c.say(noImages)
	}
	ctx := c.m.w.Context()
	c.attach1("clipboard", "", func() (Picture, error) { return from.Clipboard(ctx) })
	return c.m.pictures.todo()
}

// attach1 puts an image at the cursor.
func (c *chat) attach1(name, text string, load func() (Picture, error)) {
	if a := c.m.pictures.add(name, text, load); a != nil {
		c.composer.InsertToken(a.token)
	}
}

// pictureFile is how an image file is read.
func (c *chat) pictureFile(path string) func() (Picture, error) {
	full := path
	if rest, ok := strings.CutPrefix(path, "~/"); ok && c.m.opts.Home != "" {
		full = filepath.Join(c.m.opts.Home, rest)
	}
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.LocalDir(), full)
	}
	from, parent := c.m.opts.Pictures, c.m.w.Context()
	return func() (Picture, error) {
		ctx, stop := context.WithTimeout(parent, readPatience)
		defer stop()
		return from.Open(ctx, full)
	}
}

// pastePictures takes a paste that is nothing but paths of images, as dropped
// files are; false for any other.
func (c *chat) pastePictures(text string) bool {
	if c.m.opts.Pictures == nil || c.ReadOnly || c.Agent.Conn() == nil || c.shelling() {
		return false
	}
	paths := picture.Paths(text)
	if len(paths) == 0 {
		return false
	}
	if !c.takesImages() {
		c.sayNoImages(paths[0])
		return false
	}
	for i, path := range paths {
		if i > 0 {
			c.composer.Insert(" ")
		}
		instead := path
		if len(paths) == 1 {
			instead = strings.TrimSpace(text)
		}
		c.attach1(filepath.Base(path), instead, c.pictureFile(path))
	}
	c.history.Leave()
	return true
}

// noImagesMsg says that an image could not be taken along.
type noImagesMsg struct{ chat *chat }

func (msg noImagesMsg) handle(*Model) tea.Cmd {
	return msg.chat.say(noImages + ": the path stays text")
}

// sayNoImages says so if there is an image at a path.
func (c *chat) sayNoImages(path string) {
	load := c.pictureFile(path)
	c.m.pictures.do(func() tea.Msg {
		if _, err := load(); err != nil {
			return nil
		}
		return noImagesMsg{c}
	})
}

// pictureTyped takes the path of an image before a blank that was just typed.
func (c *chat) pictureTyped(msg tea.KeyPressMsg) {
	if line := c.composer.BeforeCursor(); msg.Text == " " && strings.HasSuffix(line, " ") {
		c.attachTyped(strings.TrimSuffix(line, " "), " ")
	}
}

// attachTyped makes an image of the path that a line ends in.
func (c *chat) attachTyped(line, behind string) {
	word := line[strings.LastIndexByte(line, ' ')+1:]
	if c.m.opts.Pictures == nil || c.ReadOnly || c.Agent.Conn() == nil || c.shelling() || !picture.Typed(word) {
		return
	}
	path := picture.Path(word)
	if !c.takesImages() {
		c.sayNoImages(path)
		return
	}
	c.composer.ReplaceBefore(len(word)+len(behind), "")
	c.attach1(filepath.Base(path), word, c.pictureFile(path))
	c.composer.Insert(behind)
}

// readPatience is how long reading what goes with a prompt may take.
const readPatience = 10 * time.Second
