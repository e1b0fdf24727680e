package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/shell"
	"parley/ui/transcript"
	"parley/ui/transcript/find"
	"parley/ui/widget"
)

// overlay is what lies over the transcript.
type overlay int

const (
	noOverlay overlay = iota
	helpOverlay
	logOverlay
	planOverlay
	sourceOverlay // the messages behind an item
)

// chat is the page of one session: the transcript, the plan line, the queue,
// the composer, the question, the status line.
type chat struct {
	*workspace.Session
	m *Model
	talk

	unread   bool // a turn ended while another session was on the screen
	picker   *picker
	goingOn  *picker        // the list of what goes on, while it is open
	search   *picker        // the one of the history, if it is that
	elicits  []*elicitation // forms and pages that wait, the first on the screen
	composer *widget.Composer
	history  widget.History
	kept     kept             // of the draft on the disk
	back     []returnedPrompt // prompts that came back, in the draft before what is typed
	question *question
	shells   *shell.Commands
	overlay  overlay
	source   *source
	scroll   int // of the overlay
	popup    *popup
	at       mentioning // the file that is being named
	dropped  string     // the prefix for which the popup was closed

	toast      string
	toastUntil time.Time

	copying *copyMenu
	escAt   time.Time // when an esc had nothing to do
	areas   areas
}

func newChat(m *Model, s *workspace.Session) *chat {
	c := &chat{Session: s, m: m, talk: talk{env: &m.Env, cwd: m.opts.Cwd}, composer: widget.NewComposer()}
	c.load(c.Thread, c.Agent.Name)
	for _, d := range []transcript.Density{transcript.Everything, transcript.Quiet} {
		if m.opts.Density == d.String() {
			c.view.SetDensity(d)
		}
	}
	c.composer.SetVim(m.Keys.Vim())
	c.composer.SetTokens(m.pictures.label)
	c.question = newQuestion(c)
	c.find = find.New(&m.Env, findHost{c}, c.view)
	c.shells = shell.New(&m.Env, m.opts.Shell, c.told)
	c.history.Before(m.past.entries, m.pictures.lasting)
	return c
}

// happened does what an event means for the page besides what it says.
func (c *chat) happened(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case permissions.Asked:
		c.question.add(e.Question)
		return c.asksAgain()
	case permissions.Settled:
		c.question.remove(e.Key)
		return nil
	case event.CommandsChanged:
		c.refreshPopup()
	case event.ElicitationAsked:
		return c.elicited(e)
	case event.ElicitationSettled:
		return c.elicitSettled(e.Key)
	case event.ElicitationCompleted:
		return c.elicitCompleted(e.Key)
	case event.NoticeArrived:
		return c.say(strings.TrimSuffix(strings.Join([]string{e.Title + c.takeOverHint(e.Terminal), e.Description}, ": "), ": "))
	case event.TerminalStarted:
		if e.Attended {
			return c.lend(e.ID, e.Command)
		}
	case event.Disconnected:
		c.view.Changed([]int{0})
		c.toast, c.elicits = "", nil
	}
	return nil
}

// say shows a line in the status line for a while.
func (c *chat) say(text string) tea.Cmd {
	const shown = 5 * time.Second
	c.toast, c.toastUntil = safetext.Line(text, 500), c.m.Now().Add(shown) // errors of the system name what an agent named
	return later(shown)
}

// submit is enter in the composer.
func (c *chat) submit() tea.Cmd {
	if c.shelling() {
		return c.runLine()
	}
	c.attachTyped(c.composer.BeforeCursor(), "")
	text := c.composer.Value()
	if c.ReadOnly {
		return c.readOnly(strings.TrimSpace(text))
	}
	if c.Continue() {
		return nil
	}
	if strings.TrimSpace(text) == "" {
		if len(c.Queued) > 0 && c.Thread.State == thread.Idle {
			c.Resume()
			return nil
		}
		if c.Paused {
			c.Paused = false
			return c.say("what is queued is sent after this turn")
		}
		return nil
	}
	c.composer.Reset()
	c.popup, c.dropped, c.back = nil, "", nil
	if cmd, ok := c.own(strings.TrimSpace(text)); ok {
		c.history.Add(text) // of this run only
		return cmd
	}
	c.keep(text)
	if err := c.Submit(text, c.picker != nil); err != nil { // with a list open it belongs after what that is about
		c.composer.SetValue(text)
		return c.say("not sent: " + err.Error())
	}
	return nil
}

// stop cancels the running turn. When the agent does not react, a second stop
// after a few seconds ends the agent.
func (c *chat) stop() tea.Cmd {
	if c.ACP == nil {
		return c.say(workspace.ErrNotOpen.Error() + "; " + c.m.label(intent.Sessions) + " " + c.m.listKey(intent.CloseEntry) + " gives it up")
	}
	if c.Stop() {
		return c.say("ending the agent")
	}
	return nil
}

func (c *chat) toggle(o overlay) {
	c.scroll = 0
	if c.overlay == o {
		o = noOverlay
	}
	c.overlay = o
}

// scrollBy moves the transcript, and makes the page after the next one ready once this one
// is drawn: who turns one page turns more.
func (c *chat) scrollBy(by intent.Intent) tea.Cmd {
	switch by {
	case intent.PageUp:
		c.view.Page(-1)
		return func() tea.Msg { return aheadMsg{c, -1} }
	case intent.PageDown:
		c.view.Page(1)
		return func() tea.Msg { return aheadMsg{c, 1} }
	case intent.ScrollUp:
		c.view.Scroll(-1)
	case intent.ScrollDown:
		c.view.Scroll(1)
	case intent.Home:
		c.view.Home()
	case intent.End:
		c.view.End()
	}
	return nil
}

// aheadMsg is time to make the next page ready.
type aheadMsg struct {
	chat *chat
	dir  int
}

func (msg aheadMsg) handle(m *Model) tea.Cmd {
	if m.chat == msg.chat {
		msg.chat.view.Ahead(msg.dir)
	}
	return nil
}

// escape is esc where nothing is open or asked: it stops the turn. The draft and the queue stay.
func (c *chat) escape() tea.Cmd {
	switch {
	case c.Agent.LoggingIn() != "":
		c.Agent.CancelLogin()
	case c.stopSending():
	case c.Busy() && !(c.Thread.State == thread.Cancelling && c.shells.Running()):
		return c.stop()
	case c.shells.Running():
		return c.shells.Stop()
	case !c.view.Following():
		c.view.End()
		c.escAt = c.m.Now()
	default:
		return c.escaped()
	}
	return nil
}

// interrupt is ctrl+c: stop, or clear the draft, or quit.
func (c *chat) interrupt() tea.Cmd {
	switch {
	case c.stopSending():
	case c.Busy() && c.Thread.State != thread.Ended:
		return c.stop()
	case c.shells.Running():
		return c.shells.Stop()
	case !c.composer.Empty():
		c.keep(c.composer.Value())
		c.composer.Reset()
		c.popup = nil
	default:
		return c.m.interrupted()
	}
	return nil
}
