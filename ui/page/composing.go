package page

import (
	"cmp"
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
type composing struct{ c *Page }

func (h composing) Say(text string) tea.Cmd  { return h.c.say(text) }
func (h composing) Submit() tea.Cmd          { return h.c.submit() }
func (h composing) NoteTyping()              { h.c.screen.Input.Touch() }
func (h composing) PendingPrompts() []string { return h.c.Prompts.Pending() }

func (h composing) RestoreNotes(saved []notes.Note) { h.c.SetNotes(notes.Merge(h.c.Notes(), saved)) }

func (h composing) Commands() []composer.Command { return h.c.commands() }

func (h composing) Session() composer.Session {
	c, info := h.c, h.c.Agent.Info()
	s := composer.Session{
		ReadOnly: c.ReadOnly, Connected: info != nil, Images: info != nil && info.Image,
		Dir: c.LocalDir(), Unfocused: c.screen.Choosing || c.Agent.Opening() || c.focused || c.listed(), Queued: c.Prompts.Queue.Texts(), Notes: c.Notes(),
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
		return h.c.WhyReadOnly()
	}
	return "Ask the agent · / for commands · " + cmp.Or(h.c.screen.Keys.Label(intent.Empty, intent.ToggleHelp), h.c.screen.Keys.ChatKey(intent.ToggleHelp)) + " for help"
}

// takesDraft reports whether the page gets the draft that was saved for its agent: the page
// without a session does, unless a certain session was asked for.
func (h composing) takesDraft() bool {
	if !h.c.screen.Options.RestoreDraft {
		return false
	}
	sessions := h.c.screen.Workspace.Sessions()
	first := slices.IndexFunc(sessions, func(o *workspace.Session) bool {
		return o.Thread.Session == "" && !o.ReadOnly && o.Agent.Spec.Key() == h.c.Agent.Spec.Key()
	})
	return first >= 0 && sessions[first] == h.c.Session
}

// search lists earlier prompts, the newest first. The draft stays until one is chosen.
func (h composing) search() tea.Cmd {
	c := h.c
	c.Panels.Show(&panel.List{OpenedBy: intent.SearchHistory, Title: "Prompt history", Foot: "enter use · esc close", Empty: "Nothing sent yet", List: list.NewRecent(c.Composer.Entries()), Same: func(a, b any) bool { return a == b }, EscCloses: true, Choose: func(it list.Item) tea.Cmd {
		c.Composer.AddDraftToHistory() // as ctrl+c does
		c.Composer.SetValue(it.Value.(string))
		c.Composer.Refresh()
		return nil
	}})
	return c.screen.Store.LoadHistory() // other processes may have added to it
}

// stopSending cancels the prompt whose files are being read; false if there is none.
func (h composing) stopSending() bool {
	c := h.c
	text, ok := c.Prompts.StopSending()
	if ok {
		c.Composer.Prepend(text)
	}
	return ok
}

// walkQueue moves from the queued prompt in the composer to the previous or next one; each
// keeps its place. False if no queued prompt is being edited.
func (h composing) walkQueue(want intent.Intent) (tea.Cmd, bool) {
	c := h.c
	at, editing := c.Prompts.Queue.Edited()
	if !editing || want != intent.HistoryBack && want != intent.HistoryForward {
		return nil, false
	}
	if at--; want == intent.HistoryForward {
		at += 2
	}
	if at < 0 {
		return c.say("This is the first queued prompt"), true
	}
	c.Prompts.Queue.Return(c.Composer.Value())
	if at >= len(c.Prompts.Queue.Texts()) {
		c.Composer.Reset()
		return nil, true
	}
	c.Composer.SetValue(c.Prompts.Queue.Take(at))
	return nil, true
}

// takeUnconfirmed moves the newest prompt that may not have arrived into the composer, or
// drops it.
func (h composing) takeUnconfirmed(edit bool) bool {
	c := h.c
	p, ok := c.Prompts.Unconfirmed.Remove(true)
	if ok && edit {
		blocks, own := carried.Split(p.Draft)
		c.Prompts.Carried.Return(blocks)
		c.Composer.SetValue(c.typedForm(own))
	}
	return ok
}
