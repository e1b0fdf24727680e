package ui

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/carried"
	"parley/internal/intent"
	"parley/internal/memory"
	"parley/internal/notes"
	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// composing is the page as the host of its composer.
type composing struct{ c *chat }

func (h composing) Say(text string) tea.Cmd  { return h.c.say(text) }
func (h composing) Submit() tea.Cmd          { return h.c.submit() }
func (h composing) NoteTyping()              { h.c.m.input.Touch() }
func (h composing) PendingPrompts() []string { return h.c.Session.PendingPrompts() }

func (h composing) RestoreNotes(saved []notes.Note) { h.c.AddNotes(saved) }

func (h composing) Commands() []composer.Command { return h.c.commands() }

func (h composing) Session() composer.Session {
	c, info := h.c, h.c.Agent.Info()
	s := composer.Session{
		ReadOnly: c.ReadOnly, Connected: info != nil, Images: info != nil && info.Image,
		Dir: c.LocalDir(), Unfocused: c.m.choosing || c.Agent.Opening() || c.focused || c.listed(), Queued: c.Queued(), Notes: c.Notes(),
		Draft: memory.Key{Dir: c.Dir, Agent: c.Agent.Spec.Key(), Session: c.Thread.Session},
	}
	s.DraftSaved = !s.ReadOnly && s.Draft.Agent != "" && (s.Draft.Session != "" || h.takesDraft())
	return s
}

func (h composing) Placeholder() string {
	switch {
	case h.c.Agent.Opening():
		const now = "you can type now; it is sent when the agent is ready"
		switch err := h.c.Agent.Err(); {
		case err == nil:
			return "Starting… " + now
		case workspace.WantsLogin(err):
			return "Log in first · " + now
		}
		return "Not started · " + now
	case h.c.ReadOnly:
		return h.c.readOnlyReason()
	}
	return "Ask the agent · / for commands · " + cmp.Or(h.c.m.Keys.Label(intent.Empty, intent.ToggleHelp), h.c.m.Keys.ChatKey(intent.ToggleHelp)) + " for help"
}

// takesDraft reports whether the page gets the draft that was saved for its agent: the page
// without a session does, unless a certain session was asked for.
func (h composing) takesDraft() bool {
	if !h.c.m.opts.RestoreDraft {
		return false
	}
	sessions := h.c.m.w.Sessions()
	first := slices.IndexFunc(sessions, func(o *workspace.Session) bool {
		return o.Thread.Session == "" && !o.ReadOnly && o.Agent.Spec.Key() == h.c.Agent.Spec.Key()
	})
	return first >= 0 && sessions[first] == h.c.Session
}

// composers is the host of the store that all composers share.
type composers struct{ m *Model }

func (h composers) Context() context.Context  { return h.m.w.Context() }
func (h composers) Front() *composer.Composer { return h.m.chat.composer }
func (h composers) Quitting() bool            { return h.m.quitting }

func (h composers) Composers() []*composer.Composer {
	var out []*composer.Composer
	for _, c := range h.m.chats() {
		out = append(out, c.composer)
	}
	return out
}

func (h composers) HistoryChanged() {
	for _, c := range h.m.chats() {
		if l := c.panels.listOf(intent.SearchHistory); l != nil {
			l.SetItems(c.composer.Entries())
		}
	}
}

// newStore makes the store that the composers share.
func newStore(m *Model) *composer.Store {
	o := m.opts
	return composer.NewStore(composer.Options{Env: &m.Env, Screen: composers{m}, Files: o.Files, Images: m.w.Images(), Pictures: o.Pictures, History: o.History, Drafts: o.Drafts, Editor: o.Editor, Home: o.Home})
}

// search lists earlier prompts, the newest first. The draft stays until one is chosen.
func (h composing) search() tea.Cmd {
	c := h.c
	c.panels.show(&panel.List{OpenedBy: intent.SearchHistory, Title: "Prompt history", Foot: "enter use · esc close", Empty: "Nothing sent yet", List: list.NewRecent(c.composer.Entries()), Same: func(a, b any) bool { return a == b }, EscCloses: true, Choose: func(it list.Item) tea.Cmd {
		c.composer.AddDraftToHistory() // as ctrl+c does
		c.composer.SetValue(it.Value.(string))
		c.composer.Refresh()
		return nil
	}})
	return c.m.store.LoadHistory() // other processes may have added to it
}

// after updates the composers after a message.
func (h composers) after(msg tea.Msg) tea.Cmd {
	for _, c := range h.m.chats() {
		if c.composer.Empty() { // no queued prompt is being edited any longer
			c.EndEdit()
		}
	}
	return h.m.store.After(msg)
}

// stopSending cancels the prompt whose files are being read; false if there is none.
func (h composing) stopSending() bool {
	c := h.c
	text, ok := c.StopSending()
	if ok {
		c.composer.Prepend(text)
	}
	return ok
}

// walkQueue moves from the queued prompt in the composer to the previous or next one; each
// keeps its place. False if no queued prompt is being edited.
func (h composing) walkQueue(want intent.Intent) (tea.Cmd, bool) {
	c := h.c
	at, editing := c.Edited()
	if !editing || want != intent.HistoryBack && want != intent.HistoryForward {
		return nil, false
	}
	if at--; want == intent.HistoryForward {
		at += 2
	}
	if at < 0 {
		return c.say("This is the first queued prompt"), true
	}
	c.ReturnEdited(c.composer.Value())
	if at >= len(c.Queued()) {
		c.composer.Reset()
		return nil, true
	}
	c.composer.SetValue(c.TakeQueued(at))
	return nil, true
}

// takeUnconfirmed moves the newest prompt that may not have arrived into the composer, or
// drops it.
func (h composing) takeUnconfirmed(edit bool) bool {
	c := h.c
	p, ok := c.TakeUnconfirmed(true)
	if ok && edit {
		blocks, own := carried.Split(p.Draft)
		c.ReturnShellOutput(blocks)
		c.composer.SetValue(c.typedForm(own))
	}
	return ok
}
