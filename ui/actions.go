package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/intent"
	"parley/ui/paint"
)

// do carries out an intent of the chat page and reports whether it applies here.
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
		return c.scrollBy(i), true
	case intent.CycleDensity:
		c.view.SetDensity((c.view.Density() + 1) % 3)
		return c.say("Detail level: " + c.view.Density().String()), true
	case intent.TogglePlan:
		c.panels.togglePlan()
	case intent.ToggleHelp:
		c.panels.toggleHelp()
	case intent.ToggleLog:
		c.panels.toggleLog()
	case intent.NextMode:
		return c.panels.nextMode(), true
	case intent.FocusQuestion:
		c.giveKeys()
	case intent.FocusTranscript:
		if !c.giveKeys() {
			c.focus(!c.focused)
		}
	case intent.EditQueued, intent.DropQueued:
		return c.unqueue(i == intent.EditQueued)
	default:
		return c.manage(i)
	}
	return nil, true
}

// manage carries out intents for the session, the agent or the whole screen.
func (c *chat) manage(i intent.Intent) (tea.Cmd, bool) {
	if do := c.withWords(i); do != nil {
		return do(""), true
	}
	switch i {
	case intent.Suspend:
		return tea.Suspend, true
	case intent.Redraw:
		return paint.Redraw, true
	case intent.SearchHistory:
		return composing{c}.search(), true
	case intent.Editor:
		return c.composer.Edit(), true
	case intent.PasteImage:
		return c.composer.PasteImage(), true
	case intent.Fork:
		return c.panels.forkHere(), true
	case intent.Turns:
		return c.panels.showTurns(), true
	case intent.SidePanel:
		return c.m.toggleSide(), true
	case intent.Inline:
		said := c.say(c.m.inline.Toggle())
		if c.m.inline.On() {
			said = tea.Batch(said, tea.Raw(ansi.RequestNameVersion))
		}
		return said, true
	case intent.Mouse:
		return c.say(c.m.mouse.Toggle()), true
	case intent.Palette:
		return c.panels.showPalette(), true
	case intent.Sessions:
		return c.panels.showSessions(), true
	case intent.NextWaiting:
		return c.m.nextWaiting(), true
	case intent.NewSession:
		return c.m.newSession(), true
	case intent.AnotherAgent:
		return c.m.anotherAgent(), true
	case intent.NextColumn:
		return c.m.nextColumn(), true
	case intent.MergeTree:
		return c.showMerge(""), true
	case intent.DiscardTree:
		return c.showDiscard(), true
	case intent.Background:
		return c.panels.showWork(), true
	case intent.Options:
		return c.panels.showOptions(), true
	case intent.Mode:
		return c.panels.showMode(), true
	case intent.Model:
		return c.panels.showModel(), true
	case intent.Approval:
		return c.showApproval(), true
	case intent.ShowReview:
		return c.showReview(), true
	case intent.ShowNotes:
		return c.panels.showNotes(), true
	case intent.ShowQueue:
		return c.panels.showQueue(), true
	case intent.UndoFiles:
		return c.panels.showUndo(), true
	case intent.Trust:
		return c.panels.showTrust(), true
	case intent.Theme:
		return c.panels.showThemes(), true
	case intent.Login:
		return logins{c}.offer(), true
	case intent.Logout:
		return c.logOut(), true
	}
	return nil, false
}

// useless reports whether an action would do nothing on this page. The palette and the
// completion leave it out.
func (c *chat) useless(i intent.Intent) bool { return c.ReadOnly && i.NeedsAgent() }
