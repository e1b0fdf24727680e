// Package page is the page of one session: its transcript, composer, question, panels and status line, and
// the actions of the user there. Pages share a Screen and know nothing of each other: what concerns more than
// one of them they leave to the screen, as the effect ForScreen.
package page

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/composer"
	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/review"
	"parley/ui/shell"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/transcript"
	"parley/ui/transcript/find"
)

// Page is the page of one session: transcript, plan, queue, composer, question and
// status line.
type Page struct {
	*workspace.Session
	screen *Screen
	transcriptPane

	Unread   bool // a turn ended while another session was on the screen
	Panels   panels
	Review   *review.Review
	login    *start.Login
	Elicits  *question.Elicitations
	Composer *composer.Composer
	Question *question.Question

	doubtful    string // the line about which the user was asked whether to send it as text
	asksChanged bool   // other questions wait than before
	shells      *shell.Commands
	out         layer.Effects // of the components

	toast status.Toast

	escAt  time.Time // when an esc had nothing to do
	height int       // of the page
	areas  areas
}

// New returns the page of a session.
func New(screen *Screen, s *workspace.Session) *Page {
	env, opts := &screen.Env, &screen.Options
	c := &Page{Session: s, screen: screen, transcriptPane: transcriptPane{env: env, cwd: cmp.Or(s.Dir, opts.Cwd)}}
	c.Panels = panels{env: env, out: &c.out, inFront: c.InFront, areas: &c.areas}
	c.Review = review.New(env, &c.out, reviewHost{c})
	c.load(c.Thread, c.Agent.Name)
	for _, d := range []transcript.Density{transcript.Everything, transcript.Quiet} {
		if opts.Density == d.String() {
			c.View.SetDensity(d)
		}
	}
	c.Composer = screen.Store.New(composing{c})
	c.Question, c.Elicits = question.New(env, &c.out, questionHost{c}), question.NewElicitations(env, &c.out, c.formPage)
	c.find = find.New(env, &c.out, c.View)
	c.shells = shell.New(env, opts.Shell, c.onShellEvent)
	c.login = start.NewLogin(env, &c.out, logins{c}.page)
	return c
}

// happened handles the effects of an event on the page, other than new rows.
func (c *Page) happened(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case permissions.Asked:
		c.Question.Add(e.Question)
		c.Elicits.WaitForQuiet() // questions come first
	case permissions.Settled:
		c.Question.Remove(e.Key)
	case event.CommandsChanged:
		c.Composer.Refresh()
		return c.commandsChanged()
	case event.ElicitationAsked:
		return c.Elicits.Add(e)
	case event.ElicitationEnded:
		c.Elicits.Settled(e.Key)
	case event.ElicitationCompleted:
		return c.Elicits.Completed(e.Key)
	case event.NoticeArrived:
		return c.say(strings.TrimSuffix(strings.Join([]string{e.Title + keyboard{c}.hint(e.Terminal), e.Description}, ": "), ": "))
	case event.TerminalStarted:
		if e.Attended {
			return keyboard{c}.lend(e.ID, e.Command)
		}
	case event.Disconnected:
		c.View.Changed([]int{0})
		c.DropToast()
		c.Review.Close() // the copies are gone
		c.Elicits.Clear()
	}
	return nil
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

// submit handles enter in the composer.
func (c *Page) submit() tea.Cmd {
	if c.shelling() {
		return c.runLine()
	}
	return tea.Batch(c.Composer.AttachTyped(), c.sendDraft())
}

// sendDraft sends or queues the draft, or runs the command in it.
func (c *Page) sendDraft() tea.Cmd {
	text := c.Composer.Value()
	if c.ReadOnly {
		return c.readOnly(strings.TrimSpace(text))
	}
	if a, _, own := c.ownCommand(text); (!own || a.Needs == intent.LiveAgent) && c.Continue() {
		return nil
	}
	if strings.TrimSpace(text) == "" {
		if len(c.Prompts.Queue.Texts()) > 0 && c.Thread.State == thread.Idle {
			c.Prompts.Resume()
			return nil
		}
		if c.Prompts.Queue.Paused() {
			c.Prompts.Resume()
			return c.say("Queued prompts are sent after this turn")
		}
		return nil
	}
	c.Composer.Clear()
	cmd, _ := c.submitLine(text, false)
	return cmd
}

// stop cancels the running turn. If the agent does not react, a second stop after a few
// seconds ends it.
func (c *Page) stop() tea.Cmd {
	if !c.IsOpen() {
		return c.say(workspace.ErrNotOpen.Error() + "; " + c.screen.Keys.ChatKey(intent.Sessions) + " " + c.screen.Keys.KeyOf(intent.List, intent.CloseEntry) + " cancels it")
	}
	if c.Stop() {
		return c.say("Ending the agent")
	}
	return nil
}

// with returns a function of a page as one of its other parameter.
func with[T any](c *Page, f func(*Page, T) tea.Cmd) func(T) tea.Cmd {
	return func(v T) tea.Cmd { return f(c, v) }
}

// scrollBy moves the transcript. After it is drawn the next page is laid out in advance,
// since one page turn is usually followed by another.
func (c *Page) scrollBy(by intent.Intent) tea.Cmd {
	switch by {
	case intent.PageUp:
		c.View.Page(-1)
		return func() tea.Msg { return aheadMsg{c, -1} }
	case intent.PageDown:
		c.View.Page(1)
		return func() tea.Msg { return aheadMsg{c, 1} }
	case intent.ScrollUp:
		c.View.Scroll(-1)
	case intent.ScrollDown:
		c.View.Scroll(1)
	case intent.Home:
		c.View.Home()
	case intent.End:
		c.View.End()
	}
	return nil
}

// aheadMsg asks to lay out the next page in advance.
type aheadMsg struct {
	page *Page
	dir  int
}

// Handle implements layer.Message.
func (msg aheadMsg) Handle() tea.Cmd {
	if msg.page.InFront() {
		msg.page.View.PreparePage(msg.dir)
	}
	return nil
}

// escape handles esc where nothing is open or asked: it stops the turn and keeps the draft
// and the queue.
func (c *Page) escape() tea.Cmd {
	switch {
	case c.Agent.Login.Running() != "":
		c.Agent.Login.Cancel()
	case composing{c}.stopSending():
	case c.Busy() && !(c.Thread.State == thread.Cancelling && c.shells.Running()):
		return c.stop()
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case !c.View.Following():
		c.View.End()
		c.escAt = c.screen.Now()
	default:
		return c.escaped()
	}
	return nil
}

// twice is the longest time between the two presses of esc esc.
const twice = 500 * time.Millisecond

// escaped handles an esc with nothing to close or stop. The second in a row lists the prompts.
func (c *Page) escaped() tea.Cmd {
	now := c.screen.Now()
	if now.Sub(c.escAt) < twice {
		c.escAt = time.Time{}
		return showTurns(c)
	}
	c.escAt = now
	return nil
}

// clearDraft empties the composer. The history keeps the draft.
func (c *Page) clearDraft() {
	c.Composer.AddToHistory(c.Composer.Value())
	c.Composer.Clear()
}

// interrupt handles ctrl+c: stop, else clear the draft. The next one quits.
func (c *Page) interrupt() tea.Cmd {
	switch {
	case composing{c}.stopSending():
	case c.Busy() && c.Thread.State != thread.Ended:
		return c.stop()
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case !c.Composer.Empty():
		c.clearDraft()
	default:
		c.screen.QuitArmed = c.screen.Now()
	}
	return nil
}
