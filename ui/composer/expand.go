package composer

import (
	"context"
	"errors"
	"strings"

	"parley/acpclient/event"
	"parley/internal/finder"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/ui/widget/editor"
)

// expansion converts a prompt with images or mentions of files to blocks.
type expansion struct {
	text     string
	info     event.AgentInfo
	files    finder.Files
	roots    []string
	mentions []mention.Mention
	long     bool // the mentions have not been searched for yet
	pictures map[rune]*image
}

// Recipient is the agent and the session that a prompt goes to.
type Recipient struct {
	Agent event.AgentInfo
	Roots []string // directories whose files may be mentioned, the session's first
	// Withheld is set for an agent that runs elsewhere and gets no files. Mentions stay text
	// then, and Withheld is called if there are any.
	Withheld func()
}

// Expand returns a function that converts a prompt to blocks; nil if the prompt is plain
// text.
func (s *Store) Expand(text string, to Recipient) func(context.Context) ([]event.Block, []string) {
	// A long text is searched in the task: here it would delay the next key.
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

// blocks returns the text with the images in their places, and then the mentioned files.
// notes say what is missing.
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

// image returns the block of an image, or the text to send instead.
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

// maxEmbedded is how many bytes of files are embedded in one prompt.
const maxEmbedded = 4 << 20

// mentioned returns the mentioned files: embedded if the agent takes that, else as links. A
// mention of no file stays text.
func (e *expansion) mentioned(ctx context.Context) (blocks []event.Block, notes []string) {
	room := maxEmbedded
	for _, m := range e.mentions {
		f, err := e.files.Read(ctx, e.roots, m.Path, m.From, m.To)
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
