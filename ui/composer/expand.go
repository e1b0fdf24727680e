package composer

import (
	"context"
	"errors"
	"strings"

	"parley/acpclient/event"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/ui/widget/editor"
)

// expansion makes blocks of a prompt that mentions files, or holds images.
type expansion struct {
	text     string
	info     event.AgentInfo
	files    Files
	roots    []string
	mentions []mention.Mention
	long     bool // mentions are still to be found
	pictures map[rune]*image
}

// Recipient is what expanding a prompt has to know of the agent and the session that it
// goes to.
type Recipient struct {
	Agent event.AgentInfo
	Roots []string // directories whose files may be mentioned, the session's own first
	// Withheld is not nil for an agent that has other files: for it mentions are text, and
	// Withheld is told when there are any.
	Withheld func()
}

// Expand returns what makes blocks of a prompt; nil where it is plain text.
func (s *Store) Expand(text string, to Recipient) func(context.Context) ([]event.Block, []string) {
	// A long text is looked through elsewhere, not between two keys.
	named := s.opts.Files != nil && strings.IndexByte(text, '@') >= 0
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
	if !long && len(mentions) == 0 && !editor.HasTokens(text) {
		return nil
	}
	e := &expansion{text: text, info: to.Agent, files: s.opts.Files, roots: to.Roots, mentions: mentions, long: long, pictures: map[rune]*image{}}
	for _, piece := range editor.SplitTokens(text) {
		if token, ok := editor.Token(piece); ok {
			e.pictures[token] = s.images.of[token]
		}
	}
	return e.blocks
}

// blocks are the text as it was typed, images where they are in it, and then
// the files that it mentions. Notes say what could not be had.
func (e *expansion) blocks(ctx context.Context) (blocks []event.Block, notes []string) {
	if e.long {
		e.mentions = mentionsIn(e.text)
	}
	text := ""
	flush := func() {
		if text != "" && (strings.TrimSpace(text) != "" || len(e.pictures) == 0) {
			blocks = append(blocks, event.Block{Text: text})
		}
		text = ""
	}
	for _, piece := range editor.SplitTokens(e.text) {
		token, ok := editor.Token(piece)
		if !ok {
			text += piece
			continue
		}
		b, instead, note := e.image(ctx, e.pictures[token])
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

// image is the block of an image, or the text to have in its place.
func (e *expansion) image(ctx context.Context, a *image) (b event.Block, instead, note string) {
	if a == nil {
		return b, "", "An image is no longer available"
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return b, a.text, a.name + " was not read in time"
	}
	switch {
	case a.err != nil:
		return b, a.text, ""
	case !e.info.Image:
		return b, a.text, noImages
	}
	return event.Block{Image: a.data, MimeType: a.mime, Name: a.name}, "", ""
}

// maxEmbedded bounds the texts that go along with one prompt, in bytes.
const maxEmbedded = 4 << 20

// mentioned are the files: embedded where the agent takes that, else links. What
// is no file stays text.
func (e *expansion) mentioned(ctx context.Context) (blocks []event.Block, notes []string) {
	room := maxEmbedded
	for _, m := range e.mentions {
		f, err := e.files.Read(ctx, e.roots, m.Path, m.From, m.To)
		if errors.Is(err, ErrNoFile) {
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
			if f.Why != "a directory" && e.info.EmbeddedContext {
				notes = append(notes, fileWord(m)+" is sent as a link: "+f.Why)
			}
		case e.info.EmbeddedContext && len(*f.Text) <= room:
			room -= len(*f.Text)
			b.Content = f.Text
		}
		blocks = append(blocks, b)
	}
	return blocks, notes
}
