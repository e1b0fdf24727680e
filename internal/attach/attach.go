// Package attach makes the content of a prompt: its text with the images that it contains and the files
// that it mentions.
package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/finder"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/internal/token"
)

// expansion converts a prompt with images or mentions of files to blocks.
type expansion struct {
	text     string
	info     event.AgentInfo
	read     finder.ReadFunc
	roots    []string
	mentions []mention.Mention
	long     bool // the mentions have not been searched for yet
	images   map[rune]*Image
}

// Recipient is the agent and the session that a prompt goes to.
type Recipient struct {
	Agent event.AgentInfo
	Roots []string // directories whose files may be mentioned, the session's first
	// Withheld is set for an agent that runs elsewhere and gets no files. Mentions stay text
	// then, and Withheld is called if there are any.
	Withheld func()
}

// NoImages says that an agent does not take images.
const NoImages = "This agent does not accept images"

// Expand returns a function that converts a prompt to blocks and says what is missing; nil if the prompt
// is plain text. The function may block and is called on any goroutine. If read is nil, an @ has no
// meaning.
func (p *Images) Expand(text string, read finder.ReadFunc, to Recipient) func(context.Context) (blocks []event.Block, notes []string) {
	// A long text is searched in the task: here it would delay the next key.
	named := read != nil && strings.IndexByte(text, '@') >= 0
	long := named && len(text) > 64<<10
	var mentions []mention.Mention
	if named && !long {
		mentions = mentionsIn(text)
	}
	if to.Withheld != nil {
		if len(mentions) > 0 {
			to.Withheld()
		}
		long, mentions = false, nil
	}
	if !long && len(mentions) == 0 && !token.In(text) {
		return nil
	}
	e := &expansion{text: text, info: to.Agent, read: read, roots: to.Roots, mentions: mentions, long: long, images: map[rune]*Image{}}
	for _, piece := range token.Split(text) {
		if t, ok := token.Of(piece); ok {
			e.images[t] = p.of[t]
		}
	}
	return e.blocks
}

// blocks returns the text with the images in their places, and then the mentioned files.
// notes say what is missing.
func (e *expansion) blocks(ctx context.Context) (blocks []event.Block, notes []string) {
	if e.long {
		e.mentions = mentionsIn(e.text)
	}
	text := ""
	flush := func() {
		if text != "" && (strings.TrimSpace(text) != "" || len(e.images) == 0) {
			blocks = append(blocks, event.Block{Text: text})
		}
		text = ""
	}
	for _, piece := range token.Split(e.text) {
		t, ok := token.Of(piece)
		if !ok {
			text += piece
			continue
		}
		b, instead, note := e.image(ctx, e.images[t])
		if text += instead; note != "" {
			notes = append(notes, note)
		}
		if b.Image != nil {
			flush()
			blocks = append(blocks, b)
		}
	}
	flush()
	files, more := e.mentioned(ctx)
	return append(blocks, files...), append(notes, more...)
}

// image returns the block of an image, or the text to send instead.
func (e *expansion) image(ctx context.Context, a *Image) (b event.Block, instead, note string) {
	if a == nil {
		return b, "", "An image is no longer available"
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return b, a.Text, a.name + " was not read in time"
	}
	switch {
	case a.err != nil:
		return b, a.Text, ""
	case !e.info.Image:
		return b, a.Text, NoImages
	}
	return event.Block{Image: a.image.Data, MimeType: a.image.MimeType, Name: a.name}, "", ""
}

// maxEmbedded is how many bytes of files are embedded in one prompt.
const maxEmbedded = 4 << 20

// mentioned returns the mentioned files: embedded if the agent takes that, else as links. A
// mention of no file stays text.
func (e *expansion) mentioned(ctx context.Context) (blocks []event.Block, notes []string) {
	room := maxEmbedded
	for _, m := range e.mentions {
		f, err := e.read(ctx, e.roots, m.Path, m.From, m.To)
		if errors.Is(err, finder.ErrNoFile) {
			continue
		}
		b := event.Block{URI: f.URI, Name: f.Name}
		switch {
		case err != nil && f.URI == "":
			notes = append(notes, "@"+fileWord(m)+" is sent as text: "+safetext.Line(err.Error(), 120))
			continue
		case err != nil:
			notes = append(notes, fileWord(m)+" is sent as a link: "+safetext.Line(err.Error(), 120))
		case f.Text == nil:
			if f.NoTextReason != "a directory" && e.info.EmbeddedContext {
				notes = append(notes, fileWord(m)+" is sent as a link: "+f.NoTextReason)
			}
		case e.info.EmbeddedContext && len(*f.Text) <= room:
			room -= len(*f.Text)
			b.Content = f.Text
		}
		blocks = append(blocks, b)
	}
	return blocks, notes
}

// mentionsIn returns the mentions in a prompt, each once.
func mentionsIn(text string) []mention.Mention {
	const most = 50
	var out []mention.Mention
	for _, m := range mention.Find(text) {
		same := func(o mention.Mention) bool { return o.Path == m.Path && o.From == m.From && o.To == m.To }
		if len(out) < most && !slices.ContainsFunc(out, same) {
			out = append(out, m)
		}
	}
	return out
}

func fileWord(m mention.Mention) string {
	if m.From == 0 {
		return safetext.Line(m.Path, 60)
	}
	return fmt.Sprintf("%s:%d-%d", safetext.Line(m.Path, 60), m.From, m.To)
}
