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
	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/transcript"
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

	focused  bool // the transcript has the keys
	unread   bool // a turn ended while another session was on the screen
	picker   *picker
	goingOn  *picker // the list of what goes on, while it is open
	search   *picker // the one of the history, if it is that
	elicits  *question.Elicitations
	view     *transcript.View
	written  *transcript.Written // what of it is in the terminal's scrollback; nil: nothing
	composer *widget.Composer
	history  widget.History
	kept     kept             // of the draft on the disk
	back     []returnedPrompt // prompts that came back, in the draft before what is typed
	question *question.Question
	overlay  overlay
	source   *source
	scroll   int // of the overlay
	popup    *popup
	at       mentioning // the file that is being named
	dropped  string     // the prefix for which the popup was closed

	lastKey    time.Time
	toast      string
	toastUntil time.Time
	changed    []int

	copying    *copyMenu
	finding    *finding // of the transcript
	lastSearch string
	escAt      time.Time // when an esc had nothing to do
	mouse      mouse
	areas      areas
}

// newView makes the view of the page's thread.
func (c *chat) newView() *transcript.View {
	v := transcript.New(c.Thread, c.m.opts.Cwd, c.m.Theme)
	v.SetAgent(c.Agent.Name)
	return v
}

func newChat(m *Model, s *workspace.Session) *chat {
	c := &chat{Session: s, m: m, composer: widget.NewComposer()}
	c.view = c.newView()
	for _, d := range []transcript.Density{transcript.Everything, transcript.Quiet} {
		if m.opts.Density == d.String() {
			c.view.SetDensity(d)
		}
	}
	c.composer.SetVim(m.Keys.Vim())
	c.composer.SetTokens(m.pictures.label)
	c.question, c.elicits = question.New(&m.Env, questionHost{c}), question.NewElicitations(&m.Env, formHost{questionHost{c}})
	c.history.Before(m.past.entries, m.pictures.lasting)
	return c
}

// happened does what an event means for the page besides what it says.
func (c *chat) happened(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case permissions.Asked:
		c.question.Add(e.Question)
		c.elicits.Afresh() // a question comes first
		return c.m.lookAgain(layer.Quiet)
	case permissions.Settled:
		c.question.Remove(e.Key)
		return c.m.lookAgain(layer.Quiet)
	case event.CommandsChanged:
		c.refreshPopup()
	case event.ElicitationAsked:
		return tea.Batch(c.elicits.Add(e), c.m.lookAgain(layer.Quiet))
	case event.ElicitationSettled:
		c.elicits.Settled(e.Key)
		return c.m.lookAgain(layer.Quiet)
	case event.ElicitationCompleted:
		return tea.Batch(c.elicits.Completed(e.Key), c.m.lookAgain(layer.Quiet))
	case event.NoticeArrived:
		return c.say(strings.TrimSuffix(strings.Join([]string{e.Title + keyboard{c}.hint(e.Terminal), e.Description}, ": "), ": "))
	case event.TerminalStarted:
		if e.Attended {
			return keyboard{c}.lend(e.ID, e.Command)
		}
	case event.Disconnected:
		c.view.Changed([]int{0})
		c.toast = ""
		c.elicits.Clear()
	}
	return nil
}

// applied tells the view what a portion of events changed.
func (c *chat) applied() {
	c.view.Changed(c.changed)
	if c.written != nil {
		c.written.Changed(c.changed)
	}
	if len(c.changed) > 0 && c.finding != nil {
		c.finding.stale = true
	}
	c.changed = c.changed[:0]
}

// say shows a line in the status line for a while.
func (c *chat) say(text string) tea.Cmd {
	const shown = 5 * time.Second
	c.toast, c.toastUntil = safetext.Line(text, 500), c.m.Now().Add(shown) // errors of the system name what an agent named
	return later(shown)
}

// prompt sends what was in the composer; where that is not possible it is put back.
func (c *chat) prompt(text string) tea.Cmd {
	if err := c.Send(text); err != nil {
		c.composer.SetValue(text)
		return c.say("not sent: " + err.Error())
	}
	return nil
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
	at, editing := c.Edited()
	switch now := c.takesPrompts(); {
	case editing && (!now || at > 0):
		c.PutBack(text)
		if now {
			c.Resume()
		}
		return nil
	case !now:
		c.Enqueue(text)
		return nil
	case editing: // it is the first of them
		c.Paused = false
	}
	c.EndEdit()
	return c.prompt(text)
}

// takesPrompts tells whether a prompt can go out now. With a picker open, what is typed
// belongs after what that is about.
func (c *chat) takesPrompts() bool { return c.picker == nil && c.TakesPrompts() }

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

func (c *chat) scrollBy(i intent.Intent) {
	switch i {
	case intent.PageUp:
		c.view.Page(-1)
	case intent.PageDown:
		c.view.Page(1)
	case intent.ScrollUp:
		c.view.Scroll(-1)
	case intent.ScrollDown:
		c.view.Scroll(1)
	case intent.Home:
		c.view.Home()
	case intent.End:
		c.view.End()
	}
}

// aheadMsg is time to make the next page ready.
type aheadMsg struct {
	chat *chat
	dir  int
}

// ahead makes the next page ready once this one is drawn: who turns one page turns
// more.
func (c *chat) ahead(i intent.Intent) tea.Cmd {
	dir := map[intent.Intent]int{intent.PageUp: -1, intent.PageDown: 1}[i]
	if dir == 0 {
		return nil
	}
	return func() tea.Msg { return aheadMsg{c, dir} }
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
	case c.Busy() && !(c.Thread.State == thread.Cancelling && c.shellRun() != nil):
		return c.stop()
	case c.shellRun() != nil:
		return c.stopShell()
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
	case c.shellRun() != nil:
		return c.stopShell()
	case !c.composer.Empty():
		c.keep(c.composer.Value())
		c.composer.Reset()
		c.popup = nil
	default:
		return c.m.interrupted()
	}
	return nil
}
