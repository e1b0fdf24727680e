package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/mention"
	"parley/internal/safetext"
	"parley/ui/widget"
)

// sending is a prompt whose files are read before it goes out. While there is
// one, no other prompt of the page goes out: they keep their order. It is either
// sent or given up, which the two sides settle by state.
type sending struct {
	chat    *chat
	text    string
	carried []string
	behind  int // prompts that waited before it began

	session  *acpclient.Session
	info     acpclient.AgentInfo
	files    Files
	roots    []string
	mentions []mention.Mention
	long     bool // mentions are still to be found
	pictures map[rune]*attached

	cancel context.CancelFunc
	state  atomic.Int32
	ended  *event.TurnEnded // came before the screen knew that the prompt was sent
}

// States of a sending. The first to leave "reading" decides.
const (
	reading int32 = iota
	goingOut
	givenUp
)

// errReading is why another prompt cannot go out.
var errReading = errors.New("the files of the prompt before are being read")

// sentMsg says that a prompt has gone out, or why not.
type sentMsg struct {
	of    *sending
	notes []string
	err   error
}

// attachments begins to read what a prompt mentions, and sends it then; nil where
// there is nothing to read.
func (c *chat) attachments(text string) tea.Cmd {
	// A long text is looked through elsewhere, not between two keys.
	named := c.m.opts.Files != nil && strings.IndexByte(text, '@') >= 0
	long := named && len(text) > 64<<10
	var mentions []mention.Mention
	if named && !long {
		mentions = mentionsIn(text)
	}
	// An agent that runs elsewhere has other files: for it they are text.
	if a := c.link.agent; a.Remote && !a.Shared {
		if !c.link.toldText && len(mentions) > 0 {
			c.link.toldText = true
			c.m.pictures.do(c.say("this agent runs elsewhere and gets no files: what is behind @ stays text"))
		}
		long, mentions = false, nil
	}
	if !long && len(mentions) == 0 && !widget.HasTokens(text) {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.m.conns.ctx, readPatience)
	s := &sending{chat: c, text: text, carried: c.carried, behind: len(c.queued), session: c.session, info: c.link.conn.Client.Agent(),
		files: c.m.opts.Files, roots: c.roots(), mentions: mentions, long: long, pictures: map[rune]*attached{}, cancel: cancel}
	for _, piece := range widget.SplitTokens(text) {
		if token, ok := widget.Token(piece); ok {
			s.pictures[token] = c.m.pictures.of[token]
		}
	}
	c.sending, c.carried = s, nil
	return func() tea.Msg { return s.run(ctx) }
}

// run reads and sends, on a goroutine of its own.
func (s *sending) run(ctx context.Context) tea.Msg {
	defer s.cancel()
	if s.long {
		s.mentions = mentionsIn(s.text)
	}
	blocks, notes := s.blocks(ctx)
	if !s.state.CompareAndSwap(reading, goingOut) {
		return nil
	}
	return sentMsg{s, notes, s.session.Prompt(blocks...)}
}

// giveUp takes the prompt back; false when it goes out already.
func (s *sending) giveUp() bool {
	if !s.state.CompareAndSwap(reading, givenUp) {
		return false
	}
	s.cancel()
	return true
}

// blocks are the text as it was typed, images where they stand in it, and then
// the files that it mentions. Notes say what could not be had.
func (s *sending) blocks(ctx context.Context) (blocks []event.Block, notes []string) {
	for _, text := range s.carried {
		blocks = append(blocks, event.Block{Text: text})
	}
	text := ""
	flush := func() {
		if text != "" && (strings.TrimSpace(text) != "" || len(s.pictures) == 0) {
			blocks = append(blocks, event.Block{Text: text})
		}
		text = ""
	}
	for _, piece := range widget.SplitTokens(s.text) {
		token, ok := widget.Token(piece)
		if !ok {
			text += piece
			continue
		}
		b, instead, note := s.image(ctx, s.pictures[token])
		if text += instead; note != "" {
			notes = append(notes, note)
		}
		if b.Image != nil {
			flush()
			blocks = append(blocks, b)
		}
	}
	flush()
	files, more := s.mentioned(ctx)
	return append(blocks, files...), append(notes, more...)
}

// image is the block of an image, or the text to have in its place.
func (s *sending) image(ctx context.Context, a *attached) (b event.Block, instead, note string) {
	if a == nil {
		return b, "", "an image is gone"
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return b, a.text, a.name + " was not read in time"
	}
	switch {
	case a.err != nil:
		return b, a.text, ""
	case !s.info.Image:
		return b, a.text, noImages
	}
	return event.Block{Image: a.data, MimeType: a.mime, Name: a.name}, "", ""
}

// maxEmbedded bounds the texts that go along with one prompt, in bytes.
const maxEmbedded = 4 << 20

// mentioned are the files: embedded where the agent takes that, else links. What
// is no file stays text.
func (s *sending) mentioned(ctx context.Context) (blocks []event.Block, notes []string) {
	room := maxEmbedded
	for _, m := range s.mentions {
		f, err := s.files.Read(ctx, s.roots, m.Path, m.From, m.To)
		if errors.Is(err, ErrNoFile) {
			continue
		}
		b := event.Block{URI: f.URI, Name: f.Name}
		switch {
		case err != nil && f.URI == "":
			notes = append(notes, "@"+fileWord(m)+" stays text: "+safetext.Line(err.Error(), 120))
			continue
		case err != nil:
			notes = append(notes, fileWord(m)+" goes as a link: "+safetext.Line(err.Error(), 120))
		case f.Text == nil:
			if f.Why != "a directory" && s.info.EmbeddedContext {
				notes = append(notes, fileWord(m)+" goes as a link: "+f.Why)
			}
		case s.info.EmbeddedContext && len(*f.Text) <= room:
			room -= len(*f.Text)
			b.Content = f.Text
		}
		blocks = append(blocks, b)
	}
	return blocks, notes
}

// take goes on after a prompt has gone out, or puts it back into the composer.
func (msg sentMsg) take(m *Model) tea.Cmd {
	s, c := msg.of, msg.of.chat
	if c.sending != s || !slices.Contains(m.chats, c) {
		return nil
	}
	c.sending = nil
	if msg.err != nil {
		c.unsend(s)
		return c.say("not sent: " + msg.err.Error())
	}
	c.view.End()
	var cmds []tea.Cmd
	switch n := len(msg.notes); {
	case n == 1:
		cmds = append(cmds, c.say(msg.notes[0]))
	case n > 1:
		cmds = append(cmds, c.say(fmt.Sprintf("%s, and %d more", msg.notes[0], n-1)))
	}
	// What was sent meanwhile goes to an agent that takes it at once.
	for c.sending == nil && !c.paused && s.behind == 0 && len(c.queued) > 0 && c.holds() && c.session != nil {
		text := c.queued[0]
		cmd, err := c.send(text)
		if err != nil {
			cmds = append(cmds, c.say("not sent: "+err.Error()))
			break
		}
		c.queued = c.queued[1:]
		c.taken.at--
		cmds = append(cmds, cmd)
	}
	if s.ended != nil && c.sending == nil {
		cmds = append(cmds, c.next(*s.ended))
	}
	return tea.Batch(cmds...)
}

// unsend puts a prompt that did not go out before the draft.
func (c *chat) unsend(s *sending) {
	c.carried = append(slices.Clone(s.carried), c.carried...)
	text := s.text
	if draft := c.composer.Value(); draft != "" {
		text += "\n" + draft
	}
	c.composer.SetValue(text)
}

// stopSending gives up the prompt whose files are being read; false where there
// is none.
func (c *chat) stopSending() bool {
	if c.sending == nil || !c.sending.giveUp() {
		return false
	}
	s := c.sending
	c.sending = nil
	c.unsend(s)
	return true
}

// requeue makes the prompt whose files are being read wait, first of all, for a
// new session.
func (c *chat) requeue() {
	if s := c.sending; s != nil && s.giveUp() {
		c.sending = nil
		c.carried = append(slices.Clone(s.carried), c.carried...)
		c.queued = append([]string{s.text}, c.queued...)
	}
}
