package linear

import (
	"context"
	"errors"

	"parley/acpclient/event"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/composer"
)

// Bounds of what goes along with one prompt.
const (
	maxMentions = 50
	maxEmbedded = 4 << 20 // bytes
)

// expand reads the files that a prompt mentions with @; nil where it mentions none.
func (c *chat) expand(s *workspace.Session, text string) func(context.Context) ([]event.Block, []string) {
	found := mention.Find(text)
	files := c.opts.Files
	if len(found) == 0 || files == nil {
		return nil
	}
	if spec := s.Agent.Spec; spec.Remote && !spec.Shared {
		if !c.toldText {
			c.toldText = true
			c.say("Notice: this agent runs elsewhere and gets no files: what is behind @ stays text.")
		}
		return nil
	}
	found = found[:min(len(found), maxMentions)]
	roots, embeds := s.Roots(), s.Agent.Conn().Client.Agent().EmbeddedContext
	return func(ctx context.Context) ([]event.Block, []string) {
		blocks, notes := readFiles(ctx, files, roots, found, embeds)
		return append([]event.Block{{Text: text}}, blocks...), notes
	}
}

// readFiles are the files: embedded where the agent takes that, else links. What
// is no file stays text.
func readFiles(ctx context.Context, files composer.Files, roots []string, found []mention.Mention, embeds bool) (blocks []event.Block, notes []string) {
	room := maxEmbedded
	for _, m := range found {
		f, err := files.Read(ctx, roots, m.Path, m.From, m.To)
		if errors.Is(err, composer.ErrNoFile) {
			continue
		}
		name := "@" + safetext.Line(m.Path, 60)
		b := event.Block{URI: f.URI, Name: f.Name}
		switch {
		case err != nil && f.URI == "":
			notes = append(notes, name+" stays text: "+safetext.Line(err.Error(), 120))
			continue
		case err != nil:
			notes = append(notes, name+" goes as a link: "+safetext.Line(err.Error(), 120))
		case f.Text == nil || !embeds || len(*f.Text) > room:
		default:
			room -= len(*f.Text)
			b.Content = f.Text
		}
		blocks = append(blocks, b)
	}
	return blocks, notes
}
