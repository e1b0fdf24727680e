package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/paint"
)

// handlers do the actions of the chat page. Those whose command takes arguments get them, or "".
var handlers map[intent.Intent]func(c *Page, args string) tea.Cmd

func init() { // handlers lead to other handlers
	handlers = map[intent.Intent]func(c *Page, args string) tea.Cmd{
		intent.Send:            plain((*Page).submit),
		intent.Stop:            plain((*Page).escape),
		intent.Interrupt:       plain((*Page).interrupt),
		intent.PageUp:          scrolls(intent.PageUp),
		intent.PageDown:        scrolls(intent.PageDown),
		intent.ScrollUp:        scrolls(intent.ScrollUp),
		intent.ScrollDown:      scrolls(intent.ScrollDown),
		intent.Home:            scrolls(intent.Home),
		intent.End:             scrolls(intent.End),
		intent.CycleDensity:    plain((*Page).cycleDensity),
		intent.TogglePlan:      plain(togglePlan),
		intent.ToggleHelp:      plain(toggleHelp),
		intent.ToggleLog:       plain(toggleLog),
		intent.NextMode:        plain(nextMode),
		intent.FocusQuestion:   func(c *Page, _ string) tea.Cmd { c.giveKeys(); return nil },
		intent.FocusTranscript: plain((*Page).switchFocus),
		intent.Suspend:         func(*Page, string) tea.Cmd { return tea.Suspend },
		intent.Redraw:          func(*Page, string) tea.Cmd { return paint.Redraw },
		intent.SearchHistory:   func(c *Page, _ string) tea.Cmd { return composing{c}.search() },
		intent.Editor:          func(c *Page, _ string) tea.Cmd { return c.Composer.Edit() },
		intent.PasteImage:      func(c *Page, _ string) tea.Cmd { return c.Composer.PasteImage() },
		intent.Palette:         plain(showPalette),
		intent.InWorktree:      (*Page).InWorktree,
		intent.MergeTree:       (*Page).showMerge,
		intent.DiscardTree:     plain((*Page).showDiscard),
		intent.NextColumn:      plain((*Page).nextColumn),
		intent.Fork:            plain(forkHere),
		intent.Turns:           plain(showTurns),
		intent.Background:      plain(showWork),
		intent.Options:         plain(showOptions),
		intent.Mode:            plain(showMode),
		intent.Model:           plain(showModel),
		intent.Approval:        plain((*Page).showApproval),
		intent.Trust:           plain(showTrust),
		intent.ShowNotes:       plain(showNotes),
		intent.ShowQueue:       plain(showQueue),
		intent.UndoFiles:       plain(showUndo),
		intent.Mouse:           func(c *Page, _ string) tea.Cmd { return c.say(c.screen.Mouse.Toggle()) },
		intent.Login:           func(c *Page, _ string) tea.Cmd { return logins{c}.offer() },
		intent.Logout:          plain((*Page).logOut),
	}
}

// plain adapts a handler without arguments.
func plain(do func(*Page) tea.Cmd) func(*Page, string) tea.Cmd {
	return func(c *Page, _ string) tea.Cmd { return do(c) }
}

func scrolls(by intent.Intent) func(*Page, string) tea.Cmd {
	return func(c *Page, _ string) tea.Cmd { return c.scrollBy(by) }
}

// ForScreen is an effect: an action that concerns other pages, or all of the screen, which a page leaves to it.
type ForScreen struct {
	Intent intent.Intent
	Args   string
}

// OfScreen are the actions that pages leave to the screen.
var OfScreen = []intent.Intent{intent.Quit, intent.Sessions, intent.NextWaiting, intent.NewSession, intent.AnotherAgent, intent.Rename, intent.Compare,
	intent.ShowReview, intent.Theme, intent.SidePanel, intent.Inline}

// do does an action of the page, or asks the screen to do it, and reports whether it applies here.
func (c *Page) do(i intent.Intent, args string) (tea.Cmd, bool) {
	switch i {
	case intent.QuitIfEmpty:
		if !c.Composer.Empty() {
			return nil, false
		}
		i = intent.Quit
	case intent.EditQueued, intent.DropQueued:
		return c.unqueue(i == intent.EditQueued)
	}
	if slices.Contains(OfScreen, i) {
		return c.out.Add(ForScreen{i, args}), true
	}
	do := handlers[i]
	if do == nil {
		return nil, false
	}
	return do(c, args), true
}

// Do does an action that a component wants. While an agent starts there is no session for an action to
// apply to.
func (c *Page) Do(i intent.Intent) tea.Cmd {
	if c.Agent.Opening() {
		return nil
	}
	cmd, _ := c.do(i, "")
	return cmd
}

// useless reports whether an action would do nothing on this page. The palette and the
// completion leave it out.
func (c *Page) useless(a intent.Action) bool { return c.ReadOnly && a.Needs == intent.LiveAgent }

func (c *Page) cycleDensity() tea.Cmd {
	c.View.SetDensity((c.View.Density() + 1) % 3)
	return c.say("Detail level: " + c.View.Density().String())
}

// switchFocus gives the keys to the question, or else to the transcript or back to the composer.
func (c *Page) switchFocus() tea.Cmd {
	if !c.giveKeys() {
		c.focus(!c.focused)
	}
	return nil
}
