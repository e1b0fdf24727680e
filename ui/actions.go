package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// do carries out an intent of the chat page; false when it means nothing here.
func (c *chat) do(i intent.Intent) (tea.Cmd, bool) {
	switch i {
	case intent.Send:
		return c.submit(), true
	case intent.Stop:
		return c.escape(), true
	case intent.Interrupt:
		return c.interrupt(), true
	case intent.QuitIfEmpty:
		if !c.composer.Empty() {
			return nil, false
		}
		return c.m.quit(), true
	case intent.Quit:
		return c.m.quit(), true
	case intent.PageUp, intent.PageDown, intent.ScrollUp, intent.ScrollDown, intent.Home, intent.End:
		c.scrollBy(i)
		return c.ahead(i), true
	case intent.CycleDensity:
		c.view.SetDensity((c.view.Density() + 1) % 3)
		return c.say("showing: " + c.view.Density().String()), true
	case intent.TogglePlan:
		c.toggle(planOverlay)
	case intent.ToggleHelp:
		c.toggle(helpOverlay)
	case intent.ToggleLog:
		c.toggle(logOverlay)
	case intent.NextMode:
		return c.nextMode(), true
	case intent.FocusQuestion:
		c.giveKeys()
	case intent.FocusTranscript:
		if !c.giveKeys() {
			c.focus(!c.focused)
		}
	case intent.EditQueued, intent.DropQueued:
		return c.takeBack(i == intent.EditQueued)
	default:
		return c.manage(i)
	}
	return nil, true
}

// manage carries out what concerns the session, the agent or the screen as a
// whole.
func (c *chat) manage(i intent.Intent) (tea.Cmd, bool) {
	switch i {
	case intent.Suspend:
		return tea.Suspend, true
	case intent.Redraw:
		return c.m.redraw(), true
	case intent.SearchHistory:
		return composing{c}.search(), true
	case intent.Editor:
		return c.composer.Edit(), true
	case intent.PasteImage:
		return c.composer.PasteImage(), true
	case intent.Turns:
		return c.showTurns(), true
	case intent.Inline:
		return c.m.toggleInline(), true
	case intent.Mouse:
		return c.m.toggleMouse(), true
	case intent.Palette:
		return c.showPalette(), true
	case intent.Sessions:
		return c.m.showSessions(), true
	case intent.NextWaiting:
		return c.m.nextWaiting(), true
	case intent.NewSession:
		return c.m.newSession(), true
	case intent.AnotherAgent:
		return c.m.anotherAgent(), true
	case intent.Background:
		return c.showWork(), true
	case intent.Options:
		return c.showOptions(""), true
	case intent.Mode:
		return c.showOptions("mode"), true
	case intent.Model:
		return c.showOptions("model"), true
	case intent.Approval:
		return c.showApproval(), true
	case intent.FileChanges, intent.PutBack:
		return c.showChanges(i == intent.PutBack), true
	case intent.Trust:
		return c.showTrust(), true
	case intent.Theme:
		return c.showThemes(), true
	case intent.Login:
		c.picker = c.m.loginPicker(c.Agent)
		return nil, true
	case intent.Logout:
		return c.logOut(), true
	}
	return nil, false
}

// useless are the actions that would do nothing on this page: they are offered
// nowhere.
func (c *chat) useless(i intent.Intent) bool {
	if !c.ReadOnly {
		return false
	}
	switch i { // what needs somebody who answers
	case intent.NewSession, intent.Approval, intent.FileChanges, intent.PutBack, intent.NextMode, intent.Options, intent.Mode, intent.Model, intent.Login, intent.Logout, intent.PasteImage:
		return true
	}
	return false
}
