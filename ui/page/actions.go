package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/paint"
)

// Handler does an action for a page. Those whose command takes arguments get them, or "".
type Handler func(c *Page, args string) tea.Cmd

// Handlers returns what does the actions of a page. The screen adds those that concern more than one.
func Handlers() map[intent.Intent]Handler {
	return map[intent.Intent]Handler{
		intent.Stop:            plain(escape),
		intent.Interrupt:       plain(stopOrClear),
		intent.PageUp:          scrolls(intent.PageUp),
		intent.PageDown:        scrolls(intent.PageDown),
		intent.ScrollUp:        scrolls(intent.ScrollUp),
		intent.ScrollDown:      scrolls(intent.ScrollDown),
		intent.Home:            scrolls(intent.Home),
		intent.End:             scrolls(intent.End),
		intent.CycleDensity:    plain(cycleDensity),
		intent.TogglePlan:      plain(togglePlan),
		intent.ToggleHelp:      plain(toggleHelp),
		intent.ToggleLog:       plain(toggleLog),
		intent.NextMode:        plain(nextMode),
		intent.FocusQuestion:   func(c *Page, _ string) tea.Cmd { c.giveKeys(); return nil },
		intent.FocusTranscript: plain(switchFocus),
		intent.Redraw:          func(*Page, string) tea.Cmd { return paint.Redraw },
		intent.SearchHistory:   func(c *Page, _ string) tea.Cmd { return searchHistory(c) },
		intent.Editor:          func(c *Page, _ string) tea.Cmd { return c.Composer.Edit() },
		intent.PasteImage:      func(c *Page, _ string) tea.Cmd { return c.Composer.PasteImage() },
		intent.Palette:         plain(showPalette),
		intent.InWorktree:      inWorktree,
		intent.MergeTree:       showMerge,
		intent.DiscardTree:     plain(showDiscard),
		intent.NextColumn:      plain(nextColumn),
		intent.Fork:            plain(forkHere),
		intent.Turns:           plain(showTurns),
		intent.Background:      plain(showWork),
		intent.Subagents:       plain(showSubagents),
		intent.Options:         plain(showOptions),
		intent.Mode:            plain(showMode),
		intent.Model:           plain(showModel),
		intent.Approval:        plain(showApproval),
		intent.Trust:           plain(showTrust),
		intent.Usage:           plain(showUsage),
		intent.ShowNotes:       plain(showNotes),
		intent.ShowQueue:       plain(showQueue),
		intent.Steer:           steer,
		intent.SideQuestion:    sideQuestion,
		intent.UndoFiles:       plain(showUndo),
		intent.Mouse:           func(c *Page, _ string) tea.Cmd { return c.say(c.screen.Mouse.Toggle()) },
		intent.Login:           plain(offerLogin),
		intent.Logout:          plain(logOut),
	}
}

// plain adapts a handler without arguments.
func plain(do func(*Page) tea.Cmd) Handler {
	return func(c *Page, _ string) tea.Cmd { return do(c) }
}

func scrolls(by intent.Intent) Handler {
	return func(c *Page, _ string) tea.Cmd { return scrollBy(c, by) }
}

func cycleDensity(c *Page) tea.Cmd {
	d := (c.View.Density() + 1) % 3
	for _, p := range c.panes {
		p.View.SetDensity(d)
	}
	return c.say("Detail level: " + c.View.Density().String())
}

// act does an action and reports whether it applies here.
func (c *Page) act(i intent.Intent, args string) (tea.Cmd, bool) {
	do := c.screen.Handlers[i]
	if do == nil {
		return nil, false
	}
	return do(c, args), true
}
