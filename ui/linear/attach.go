package linear

import (
	"context"
	"errors"

	"parley/acpclient/event"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui"
)

// Bounds of what goes along with one prompt.
const (
	maxMentions = 50
	maxEmbedded = 4 << 20 // bytes
)

// mentions has files go along with the prompts that mention them with @.
type mentions struct {
	out   *printer
	files ui.Files // nil: an @ is one
	told  bool     // that the agent gets no files was said
}

// expand reads the files that a prompt mentions; nil where it mentions none.
func (m *mentions) expand(s *workspace.Session, text string) func(context.Context) ([]event.Block, []string) {
	found := mention.Find(text)
	if len(found) == 0 || m.files == nil {
		return nil
	}
	if spec := s.Agent.Spec; spec.Remote && !spec.Shared {
		if !m.told {
			m.told = true
			m.out.say("Notice: this agent runs elsewhere and gets no files: what is behind @ stays text.")
		}
		return nil
	}
	found = found[:min(len(found), maxMentions)]
	roots, embeds := s.Roots(), s.Agent.Conn().Client.Agent().EmbeddedContext
	return func(ctx context.Context) ([]event.Block, []string) {
		blocks, notes := readFiles(ctx, m.files, roots, found, embeds)
		return append([]event.Block{{Text: text}}, blocks...), notes
	}
}

// readFiles are the files: embedded where the agent takes that, else links. What
// is no file stays text.
func readFiles(ctx context.Context, files ui.Files, roots []string, found []mention.Mention, embeds bool) (blocks []event.Block, notes []string) {
	room := maxEmbedded
	for _, m := range found {
		f, err := files.Read(ctx, roots, m.Path, m.From, m.To)
		if errors.Is(err, ui.ErrNoFile) {
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
		case embeds && f.Text != nil && len(*f.Text) <= room:
			room -= len(*f.Text)
			b.Content = f.Text
		}
		blocks = append(blocks, b)
	}
	return blocks, notes
}
