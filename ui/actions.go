package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/intent"
	"parley/ui/paint"
)

// handlers do the actions of the chat page. Those whose command takes arguments get them, or "".
var handlers map[intent.Intent]func(c *chat, args string) tea.Cmd

func init() { // handlers lead to other handlers
	handlers = map[intent.Intent]func(c *chat, args string) tea.Cmd{
		intent.Send:            plain((*chat).submit),
		intent.Stop:            plain((*chat).escape),
		intent.Interrupt:       plain((*chat).interrupt),
		intent.Quit:            ofModel((*Model).quit),
		intent.PageUp:          scrolls(intent.PageUp),
		intent.PageDown:        scrolls(intent.PageDown),
		intent.ScrollUp:        scrolls(intent.ScrollUp),
		intent.ScrollDown:      scrolls(intent.ScrollDown),
		intent.Home:            scrolls(intent.Home),
		intent.End:             scrolls(intent.End),
		intent.CycleDensity:    plain((*chat).cycleDensity),
		intent.TogglePlan:      ofPanels((*panels).togglePlan),
		intent.ToggleHelp:      ofPanels((*panels).toggleHelp),
		intent.ToggleLog:       ofPanels((*panels).toggleLog),
		intent.NextMode:        ofPanels((*panels).nextMode),
		intent.FocusQuestion:   func(c *chat, _ string) tea.Cmd { c.giveKeys(); return nil },
		intent.FocusTranscript: plain((*chat).switchFocus),
		intent.Suspend:         func(*chat, string) tea.Cmd { return tea.Suspend },
		intent.Redraw:          func(*chat, string) tea.Cmd { return paint.Redraw },
		intent.SearchHistory:   func(c *chat, _ string) tea.Cmd { return composing{c}.search() },
		intent.Editor:          func(c *chat, _ string) tea.Cmd { return c.composer.Edit() },
		intent.PasteImage:      func(c *chat, _ string) tea.Cmd { return c.composer.PasteImage() },
		intent.Palette:         ofPanels((*panels).showPalette),
		intent.Sessions:        ofPanels((*panels).showSessions),
		intent.NextWaiting:     ofModel((*Model).nextWaiting),
		intent.NewSession:      ofModel((*Model).newSession),
		intent.AnotherAgent:    ofModel((*Model).anotherAgent),
		intent.InWorktree:      (*chat).inWorktree,
		intent.MergeTree:       (*chat).showMerge,
		intent.DiscardTree:     plain((*chat).showDiscard),
		intent.Compare:         (*chat).compare,
		intent.NextColumn:      ofModel((*Model).nextColumn),
		intent.Rename:          (*chat).rename,
		intent.Fork:            ofPanels((*panels).forkHere),
		intent.Turns:           ofPanels((*panels).showTurns),
		intent.Background:      ofPanels((*panels).showWork),
		intent.Options:         ofPanels((*panels).showOptions),
		intent.Mode:            ofPanels((*panels).showMode),
		intent.Model:           ofPanels((*panels).showModel),
		intent.Approval:        plain((*chat).showApproval),
		intent.Trust:           ofPanels((*panels).showTrust),
		intent.ShowReview:      plain((*chat).showReview),
		intent.ShowNotes:       ofPanels((*panels).showNotes),
		intent.ShowQueue:       ofPanels((*panels).showQueue),
		intent.UndoFiles:       ofPanels((*panels).showUndo),
		intent.Theme:           ofPanels((*panels).showThemes),
		intent.SidePanel:       ofModel((*Model).toggleSide),
		intent.Inline:          plain((*chat).toggleInline),
		intent.Mouse:           func(c *chat, _ string) tea.Cmd { return c.say(c.m.mouse.Toggle()) },
		intent.Login:           func(c *chat, _ string) tea.Cmd { return logins{c}.offer() },
		intent.Logout:          plain((*chat).logOut),
	}
}

// plain adapts a handler without arguments, ofPanels and ofModel one of another type.
func plain(do func(*chat) tea.Cmd) func(*chat, string) tea.Cmd {
	return func(c *chat, _ string) tea.Cmd { return do(c) }
}

func ofPanels(do func(*panels) tea.Cmd) func(*chat, string) tea.Cmd {
	return func(c *chat, _ string) tea.Cmd { return do(&c.panels) }
}

func ofModel(do func(*Model) tea.Cmd) func(*chat, string) tea.Cmd {
	return func(c *chat, _ string) tea.Cmd { return do(c.m) }
}

func scrolls(by intent.Intent) func(*chat, string) tea.Cmd {
	return func(c *chat, _ string) tea.Cmd { return c.scrollBy(by) }
}

// do does an action of the chat page and reports whether it applies here.
func (c *chat) do(i intent.Intent, args string) (tea.Cmd, bool) {
	switch i {
	case intent.QuitIfEmpty:
		if !c.composer.Empty() {
			return nil, false
		}
		return c.m.quit(), true
	case intent.EditQueued, intent.DropQueued:
		return c.unqueue(i == intent.EditQueued)
	}
	do := handlers[i]
	if do == nil {
		return nil, false
	}
	return do(c, args), true
}

// useless reports whether an action would do nothing on this page. The palette and the
// completion leave it out.
func (c *chat) useless(a intent.Action) bool { return c.ReadOnly && a.Needs == intent.LiveAgent }

func (c *chat) cycleDensity() tea.Cmd {
	c.view.SetDensity((c.view.Density() + 1) % 3)
	return c.say("Detail level: " + c.view.Density().String())
}

// switchFocus gives the keys to the question, or else to the transcript or back to the composer.
func (c *chat) switchFocus() tea.Cmd {
	if !c.giveKeys() {
		c.focus(!c.focused)
	}
	return nil
}

func (c *chat) toggleInline() tea.Cmd {
	said := c.say(c.m.inline.Toggle())
	if c.m.inline.On() {
		said = tea.Batch(said, tea.Raw(ansi.RequestNameVersion))
	}
	return said
}
