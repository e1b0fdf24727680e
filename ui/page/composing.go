package page

import (
	"cmp"
	"slices"

	"parley/internal/intent"
	"parley/internal/memory"
	"parley/internal/workspace"
	"parley/ui/composer"
)

// composing returns what the composer knows of the page.
func (c *Page) composing() composer.State {
	info := c.Agent.Info()
	s := composer.State{
		ReadOnly: c.ReadOnly, Connected: info != nil, Images: info != nil && info.Image,
		Dir: c.LocalDir(), Unfocused: c.screen.Choosing || c.Agent.Opening() || c.focused || c.listed(), Queued: c.Prompts.Queue.Typed(), Notes: c.Notes(),
		Draft:       memory.Key{Dir: c.Dir, Agent: c.Agent.Spec.Key(), Session: c.Thread.Session},
		Placeholder: placeholder(c), Pending: c.Prompts.Pending(), Quitting: c.screen.Quitting,
	}
	s.DraftSaved = !s.ReadOnly && s.Draft.Agent != "" && (s.Draft.Session != "" || takesDraft(c))
	return s
}

// placeholder returns what an empty composer shows.
func placeholder(c *Page) string {
	switch {
	case c.Agent.Opening():
		const now = "you can type now; it is sent when the agent is ready"
		switch err := c.Agent.Err(); {
		case err == nil:
			return "Starting… " + now
		case workspace.WantsLogin(err):
			return "Log in first · " + now
		}
		return "Not started · " + now
	case c.ReadOnly:
		return c.WhyReadOnly()
	}
	return "Ask the agent · / for commands · " + cmp.Or(c.screen.Keys.Label(intent.Empty, intent.ToggleHelp), c.screen.Keys.ChatKey(intent.ToggleHelp)) + " for help"
}

// takesDraft reports whether the page gets the draft that was saved for its agent: the page
// without a session does, unless a certain session was asked for.
func takesDraft(c *Page) bool {
	if !c.screen.Options.RestoreDraft {
		return false
	}
	sessions := c.screen.Workspace.Sessions()
	first := slices.IndexFunc(sessions, func(o *workspace.Session) bool {
		return o.Thread.Session == "" && !o.ReadOnly && o.Agent.Spec.Key() == c.Agent.Spec.Key()
	})
	return first >= 0 && sessions[first] == c.Session
}
