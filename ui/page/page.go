// Package page is the page of one session: its transcript, composer, question, panels and status line, and
// the actions of the user there. Pages share a Screen and know nothing of each other: what concerns more than
// one of them, handlers of the screen do.
package page

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/clipboard"
	"parley/ui/composer"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/question"
	"parley/ui/review"
	"parley/ui/shell"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/transcript"
)

// Page is the page of one session: transcript, plan, queue, composer, question and
// status line.
type Page struct {
	*workspace.Session
	screen          *Screen
	*transcriptPane // the one on the screen
	panes

	Unread   bool // a turn ended while another session was on the screen
	Panels   panels
	Review   *review.Review
	login    *start.Login
	Elicits  *question.Elicitations
	Composer *composer.Composer
	Question *question.Question

	sending sending
	shells  *shell.Commands
	out     layer.Effects // of the components

	toast status.Toast

	returnTo, afterReview func() tea.Cmd // what opens again after the next review and after this one; nil: nothing

	escAt  time.Time // when an esc had nothing to do
	height int       // of the page
	areas  areas
	stack  []layer.Layer
}

// Heading returns the title of the session, or its first prompt.
func (c *Page) Heading() string {
	if title := c.Title(); title != "" {
		return title
	}
	for _, it := range c.Thread.Items {
		if it.Kind == thread.UserMessage {
			_, own := carried.Split(string(it.Text))
			return text.Truncate(own, 60, "…")
		}
	}
	return "New session"
}

// say shows a message above the composer for a while.
func (c *Page) say(text string) tea.Cmd {
	c.toast = status.NewToast(text, c.screen.Now())
	return Later(status.ToastTime)
}

// Toasts reports whether a message is shown above the composer.
func (c *Page) Toasts() bool { return c.toast.At(c.screen.Now()) != "" }

// DropToast removes the message above the composer.
func (c *Page) DropToast() { c.toast = status.Toast{} }

// Where returns the directory that paths are shown from.
func (c *Page) Where() string { return c.cwd }

// RunsShell reports whether a command of the user's runs.
func (c *Page) RunsShell() bool { return c.shells.Running() }

// Fills reports whether something, such as a diff, takes all of the screen.
func (c *Page) Fills() bool { return c.Question.Full() || c.Panels.reading != nil || c.Review.Open() }

// with returns a function of a page as one of its other parameter.
func with[T any](c *Page, f func(*Page, T) tea.Cmd) func(T) tea.Cmd {
	return func(v T) tea.Cmd { return f(c, v) }
}

// clearDraft empties the composer. The history keeps the draft.
func clearDraft(c *Page) {
	c.Composer.AddToHistory(c.Composer.Value())
	c.Composer.Clear()
}

// InFront reports whether the page has the keys, and not one beside it.
func (c *Page) InFront() bool { return c.screen.Front == c }

// Screen is what all pages share.
type Screen struct {
	layer.Env
	Options   Options
	Workspace *workspace.Workspace
	Handlers  map[intent.Intent]Handler
	Store     *composer.Store
	Input     *layer.Input
	Mouse     *mouse.Mouse
	Front     *Page // the page that has the keys, unless Choosing
	Choosing  bool  // an agent is being chosen; no page is on the screen
	Quitting  bool
	QuitArmed time.Time // when ctrl+c was last pressed, unless another key was since
}

// giveKeys gives the keys to the question or form; false if there is none.
func (c *Page) giveKeys() bool {
	if c.Question.Open() {
		c.focus(false)
		c.Question.Grab()
		return true
	}
	form := c.Elicits.Current()
	if form == nil {
		return false
	}
	c.focus(false)
	c.Composer.ClosePopup() // it would cover the form
	form.Grab()
	return true
}

// focus gives the keys to the transcript, or to the composer again.
func (c *Page) focus(on bool) {
	if on && c.View.Empty() {
		return
	}
	if !on {
		c.find.End()
	}
	c.focused = on
	c.View.Select(on)
}

// short returns a path as the transcript shows it, with ~ for the home directory, safe to show.
func (c *Page) short(path string) string {
	return safetext.Line(words.ShortenHome(words.RelativePath(path, c.cwd), c.screen.Options.Home), 300)
}

// copyText copies a text and shows the outcome.
func (c *Page) copyText(text func() string) tea.Cmd {
	to := clipboard.Clipboard{Program: c.screen.Options.Copy, Multiplexer: c.screen.Options.Terminal.Multiplexer}
	return to.Copy(c.screen.Workspace.Context(), text, c.say)
}

// goTo gives the keys to the transcript and selects one of its items.
func (c *Page) goTo(item int) tea.Cmd {
	goHome(c)
	c.focus(true)
	c.View.SelectItem(item)
	c.View.Step(transcript.ToTop)
	return nil
}

// listed reports whether a list is open over the page.
func (c *Page) listed() bool { return c.Panels.List() != nil || c.login.Open() }

// reportOutcome returns a function that shows the outcome of a request: its error, or done,
// which may be "".
func (c *Page) reportOutcome(done string) func(error) {
	return func(err error) {
		if err != nil {
			done = words.Sentence(err.Error())
		}
		if done != "" {
			c.Say(done)
		}
	}
}

// WhyReadOnly says why a page read from a log accepts no prompt.
func (c *Page) WhyReadOnly() string {
	return "Read-only log: " + cmp.Or(c.ReadOnlyReason, c.Agent.Name()+" did not open this session") + " · " + c.screen.Keys.ChatKey(intent.Sessions) + " for another"
}

// Waits reports whether the page waits for the user: a question, a form, a login.
func (c *Page) Waits() bool {
	return c.Question.Open() || c.Elicits.Wait() || c.login.Unasked()
}

// Recorded returns the session's changes; nil if they are not recorded.
func (c *Page) Recorded() *review.Changes {
	if j := c.Changes.Journal(); j != nil {
		return &review.Changes{Journal: j, Short: c.short}
	}
	return nil
}

// ReturnTo sets what opens again when the user leaves the review that is about to be opened.
func (c *Page) ReturnTo(back func() tea.Cmd) { c.returnTo = back }

// StartReview calls start with the session's changes, if they are recorded.
func (c *Page) StartReview(start func(*review.Changes) tea.Cmd) tea.Cmd {
	changes := c.Recorded()
	if changes == nil {
		return c.say(notRecorded)
	}
	c.Panels.reading = nil
	c.afterReview, c.returnTo = c.returnTo, nil
	c.DropToast() // the offer; when it went, the diff would move
	return start(changes)
}

const notRecorded = "Changes are not recorded here"

// slash returns what can be typed after a slash.
func (c *Page) slash() slashCommands { return slashCommands{c.Session} }

// switchFocus gives the keys to the question, or else to the transcript or back to the composer.
func switchFocus(c *Page) tea.Cmd {
	if !c.giveKeys() {
		c.focus(!c.focused)
	}
	return nil
}

// alone reports whether nothing else is open.
func (c *Page) alone() bool { return len(c.screen.Workspace.Sessions()) == 1 }
