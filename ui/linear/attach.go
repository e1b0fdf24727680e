package linear

import (
	"context"
	"errors"
	"time"

	"parley/acpclient/event"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/ui"
)

// Bounds of what goes along with one prompt.
const (
	maxMentions  = 50
	maxEmbedded  = 4 << 20 // bytes
	readPatience = 10 * time.Second
)

// attach reads the files that a prompt mentions with @, and sends it then; false
// where it mentions none.
func (c *chat) attach(text string) bool {
	found := mention.Find(text)
	files := c.opts.Files
	if len(found) == 0 || files == nil {
		return false
	}
	if c.agent.Remote && !c.agent.Shared {
		if !c.toldText {
			c.toldText = true
			c.say("Notice: this agent runs elsewhere and gets no files: what is behind @ stays text.")
		}
		return false
	}
	found = found[:min(len(found), maxMentions)]
	t, conn := c.talk, c.conn
	roots := []string{t.session.Cwd()}
	if conn.Template.Cwd == t.session.Cwd() {
		roots = append(roots, conn.Template.Roots...)
	}
	t.sending = true
	embeds := conn.Client.Agent().EmbeddedContext
	c.async(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, readPatience)
		defer stop()
		blocks, notes := readFiles(ctx, files, roots, found, embeds)
		return func() {
			t.sending = false
			for _, n := range notes {
				c.say("Notice: %s.", n)
			}
			if c.over || t.session == nil || c.conn != conn {
				t.queued = append([]string{text}, t.queued...)
				return
			}
			c.sendBlocks(t, text, append([]event.Block{{Text: text}}, blocks...))
		}
	})
	return true
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
		case f.Text == nil || !embeds || len(*f.Text) > room:
		default:
			room -= len(*f.Text)
			b.Content = f.Text
		}
		blocks = append(blocks, b)
	}
	return blocks, notes
}
