package page

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/memory"
	"parley/internal/notes"
	"parley/internal/workspace"
	"parley/ui/composer"
)

// composing is the page as the host of its composer.
type composing struct{ c *Page }

func (h composing) Say(text string) tea.Cmd  { return h.c.say(text) }
func (h composing) Submit() tea.Cmd          { return h.c.sending.submit() }
func (h composing) NoteTyping()              { h.c.screen.Input.Touch() }
func (h composing) PendingPrompts() []string { return h.c.Prompts.Pending() }

func (h composing) RestoreNotes(saved []notes.Note) { h.c.SetNotes(notes.Merge(h.c.Notes(), saved)) }

func (h composing) Commands() []composer.Command { return h.c.slash().all() }

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
