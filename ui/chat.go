package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/permissions"
	chatview "parley/ui/chat"
	"parley/ui/intent"
	"parley/ui/widget"
)

// errNotOpen is why a prompt cannot be sent yet.
var errNotOpen = errors.New("the session is not open yet")

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
	m           *Model
	link        *link
	session     *acpclient.Session // nil until it is open
	recorded    bool               // shown from a log, to read: there is no agent behind it
	readOnlyWhy string             // why that is so
	eras        []era              // whose messages the items are made of
	began       int                // items there were when the connection began
	focused     bool               // the transcript has the keys
	unread      bool               // a turn ended while another session was on the screen
	refused     []string           // prompts that the agent wanted a login for
	from        *chat              // the page it was opened from
	giveUp      context.CancelFunc // of opening its session; nil for the connection's first
	picker      *picker
	goingOn     *picker        // the list of what goes on, while it is open
	search      *picker        // the one of the history, if it is that
	elicits     []*elicitation // forms and pages that wait, the first on the screen
	dir         string         // of a session that was opened from another directory than Options.Cwd
	thread      *thread.Thread
	view        *chatview.View
	written     *chatview.Written // what of it is in the terminal's scrollback; nil: nothing
	composer    *widget.Composer
	history     widget.History
	queued      []string        // prompts that wait for the turn to end
	paused      bool            // they wait for the user: a turn was stopped, or failed, before them
	taken       taken           // the one of them that is being edited
	counted     changedLines    // of the session, when its last turn ended
	unconfirmed reopen.Offers   // prompts to be sent again, if the user wants that
	carried     []string        // the user's commands that go with the next prompt
	kept        kept            // of the draft on the disk
	back        []returned      // prompts that came back and stand before the draft
	lost        lostSession     // what is kept over a lost connection
	unwanted    map[uint64]bool // held prompts that are to be dropped when they come back
	question    *question
	overlay     overlay
	source      *source
	scroll      int // of the overlay
	popup       *popup
	at          mentioning // the file that is being named
	sending     *sending   // the prompt whose files are being read
	dropped     string     // the prefix for which the popup was closed

	lastKey    time.Time
	toast      string
	toastUntil time.Time
	lastPrompt string
	stopAsked  time.Time // when the turn was cancelled
	changed    []int

	copying    *copyMenu
	finding    *finding // of the transcript
	lastSearch string
	escAt      time.Time // when an esc had nothing to do
	mouse      mouse
	areas      areas
}

// newView makes the view of the page's thread.
func (c *chat) newView() *chatview.View {
	v := chatview.New(c.thread, c.m.opts.Cwd, c.m.th)
	v.Agent = func() string { return c.link.name() }
	return v
}

func newChat(m *Model, l *link) *chat {
	c := &chat{m: m, link: l, composer: widget.NewComposer(), thread: thread.New(""), unwanted: map[uint64]bool{}}
	c.view = c.newView()
	for _, d := range []chatview.Density{chatview.Everything, chatview.Quiet} {
		if m.opts.Density == d.String() {
			c.view.SetDensity(d)
		}
	}
	c.composer.SetVim(m.keys.Vim())
	c.composer.SetTokens(m.pictures.label)
	c.question = newQuestion(c)
	c.history.Before(m.past.entries, m.pictures.lasting)
	return c
}

// attach takes over the session. What it said of itself meanwhile has been
// applied already.
func (c *chat) attach(s *acpclient.Session) {
	c.session = s
	c.thread.Session = s.ID()
	e := era{from: c.began}
	if behind := c.link.conn.Behind; behind != nil {
		id := s.ID()
		e.behind = func(ctx context.Context, spans []event.Span, request int64) ([]workspace.Message, error) {
			return behind(ctx, id, spans, request)
		}
	}
	c.eras = append(c.eras, e)
}

// blank tells whether nothing was ever said on the page and nobody is behind it:
// why an agent did not start is no conversation.
func (c *chat) blank() bool {
	return c.session == nil && !slices.ContainsFunc(c.thread.Items, func(it *thread.Item) bool { return it.Kind != thread.TurnEnd && it.Kind != thread.Notice })
}

// busy tells whether the page has something that moves.
func (c *chat) busy() bool {
	return c.thread.State == thread.Running || c.thread.State == thread.Waiting || c.thread.State == thread.Cancelling
}

// apply takes one event.
func (c *chat) apply(e event.Event) tea.Cmd {
	if c.lost.Coming != nil {
		if cmd, ok := c.comes(e); ok {
			return cmd
		}
	}
	switch e := e.(type) {
	case event.TurnStarted:
		c.watch(true)
		if !e.Told {
			c.newPrompt()
		}
	case event.PromptHeld:
		c.newPrompt()
	case permissions.Asked:
		c.question.add(e.Question)
		return c.asksAgain()
	case permissions.Settled:
		c.question.remove(e.Key)
		return c.m.lookAgain(quiet)
	case event.CommandsChanged:
		c.thread.Apply(e)
		c.refreshPopup()
		return nil
	case event.PromptFailed:
		c.changed = append(c.changed, c.thread.Apply(e)...)
		return c.promptFailed(e)
	case event.ElicitationAsked:
		return c.elicited(e)
	case event.ElicitationSettled:
		return c.elicitSettled(e.Key)
	case event.ElicitationCompleted:
		return c.elicitCompleted(e.Key)
	case event.NoticeArrived:
		c.changed = append(c.changed, c.thread.Apply(e)...)
		return c.say(strings.TrimSuffix(strings.Join([]string{e.Title + c.takeOverHint(e.Terminal), e.Description}, ": "), ": "))
	case event.TerminalStarted:
		c.changed = append(c.changed, c.thread.Apply(e)...)
		if e.Attended {
			return c.lend(e.ID, e.Command)
		}
		return nil
	case event.TurnEnded:
		number := c.watch(false)
		c.changed = append(c.changed, c.thread.Apply(e)...)
		c.cutOff(e.Err)
		look := tea.Batch(c.unsaid(number), c.countLines())
		if wantsLogin(e.Err) {
			if !slices.Contains(c.refused, c.lastPrompt) {
				c.refused = append(c.refused, c.lastPrompt)
			}
			return tea.Batch(c.wantLogin(e.Err), look)
		}
		return tea.Batch(c.next(e), look)
	case event.Disconnected:
		c.changed = append(c.changed, c.thread.Apply(e)...)
		c.view.Changed([]int{0})
		c.toast, c.elicits = "", nil
		return nil
	}
	c.changed = append(c.changed, c.thread.Apply(e)...)
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
	c.toast, c.toastUntil = safetext.Line(text, 500), c.m.now().Add(shown) // errors of the system name what an agent named
	return later(shown)
}

// prompt sends what stood in the composer; where that is not possible it stands
// there again.
func (c *chat) prompt(text string) tea.Cmd {
	cmd, err := c.send(text)
	if err != nil {
		c.composer.SetValue(text)
		return c.say("not sent: " + err.Error())
	}
	return cmd
}

// send sends a prompt. Queueing a message never blocks, so it may happen here; where
// something has to be read for it first, a command does both.
func (c *chat) send(text string) (tea.Cmd, error) {
	switch {
	case c.session == nil:
		return nil, errNotOpen
	case c.sending != nil:
		return nil, errReading
	}
	whole := strings.Join(c.carried, "") + text
	if cmd := c.attachments(text); cmd != nil {
		c.lastPrompt, c.refused = whole, nil
		return cmd, nil
	}
	if err := c.session.Prompt(c.carry([]event.Block{{Text: text}})...); err != nil {
		return nil, err
	}
	c.lastPrompt, c.refused = whole, nil
	c.carried = nil
	c.view.End()
	return nil, nil
}

// submit is enter in the composer.
func (c *chat) submit() tea.Cmd {
	if c.shelling() {
		return c.runLine()
	}
	c.attachTyped(c.composer.BeforeCursor(), "")
	text := c.composer.Value()
	if c.recorded {
		return c.readOnly(strings.TrimSpace(text))
	}
	if cmd, ok := c.goOn(); ok {
		return cmd
	}
	if strings.TrimSpace(text) == "" {
		if len(c.queued) > 0 && c.thread.State == thread.Idle {
			return c.resume()
		}
		if c.paused {
			c.paused = false
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
	if c.taken.on && (!c.takesPrompts() || c.taken.at > 0) {
		c.putBack(text)
		if c.takesPrompts() {
			return c.resume()
		}
		return nil
	}
	if c.taken.on && c.takesPrompts() { // it is the first of them
		c.paused = false
	}
	c.taken = taken{}
	if !c.takesPrompts() {
		c.lost.asked = c.lost.asked || c.lost.State == reopen.StartingOver && len(c.queued) == 0
		c.enqueue(text)
		return nil
	}
	return c.prompt(text)
}

// takesPrompts tells whether a prompt can go out now: between turns, and to an
// agent of v2, which holds it, in the middle of one.
func (c *chat) takesPrompts() bool {
	// With a picker open, what is typed on belongs behind what it is about.
	if c.session == nil || c.sending != nil || c.picker != nil || len(c.queued) > 0 && c.busy() {
		return false
	}
	switch c.thread.State {
	case thread.Idle:
		return !c.session.Running() || c.holds()
	case thread.Running, thread.Waiting:
		return c.holds()
	}
	return false
}

// holds tells whether the agent takes prompts in the middle of a turn.
func (c *chat) holds() bool {
	return c.link.conn != nil && c.link.conn.Client.Agent().ProtocolVersion >= 2
}

// fresh makes the page ready for another connection: the transcript and the
// draft stay.
func (c *chat) fresh() {
	c.requeue()
	c.session, c.picker, c.elicits, c.lost, c.counted = nil, nil, nil, lostSession{}, changedLines{}
	c.question.clear()
	c.thread.Attach("")
	c.began = len(c.thread.Items)
	c.eras = append(c.eras, era{from: c.began})
	c.view.Changed([]int{0})
}

// stop cancels the running turn. When the agent does not react, a second stop
// after a few seconds ends the agent.
func (c *chat) stop() tea.Cmd {
	if c.thread.State == thread.Cancelling && c.forceable() {
		client := c.link.conn.Client
		return tea.Batch(c.say("ending the agent"), func() tea.Msg { client.Close(); return nil })
	}
	if c.session == nil {
		return c.say(errNotOpen.Error() + "; " + c.m.label(intent.Sessions) + " " + c.m.listKey(intent.CloseEntry) + " gives it up")
	}
	if c.stopAsked.IsZero() {
		c.stopAsked = c.m.now()
	}
	c.session.Cancel()
	return later(forceAfter)
}

// forceAfter is how long an agent may take to end a cancelled turn before
// ending the agent itself is offered.
const forceAfter = 5 * time.Second

func (c *chat) forceable() bool {
	return !c.stopAsked.IsZero() && c.m.now().Sub(c.stopAsked) >= forceAfter
}

func (c *chat) paste(text string) {
	eliciting := c.elicitShown() && c.elicits[0].armed(c, c.m.now())
	c.lastKey = c.m.now()
	if c.picker != nil && c.picker.unasked.IsZero() {
		c.picker.paste(text)
		return
	}
	if eliciting {
		c.elicits[0].grabbed = true
		if form := c.elicits[0].form; form != nil {
			form.Paste(strings.TrimRight(text, "\r\n")) // nobody sees the one at the end
		}
		return
	}
	if c.question.full { // nobody sees the composer
		c.question.note = "not pasted · " + c.question.fullFoot(c.question.waiting[c.question.current])
		return
	}
	if !c.pastePictures(text) {
		c.composer.InsertPaste(text)
	}
	c.refreshPopup()
}

func (c *chat) wheel(n int) {
	if c.overlay != noOverlay {
		c.scroll += n
		return
	}
	c.view.Scroll(n)
}

func (c *chat) toggle(o overlay) {
	c.scroll = 0
	if c.overlay == o {
		o = noOverlay
	}
	c.overlay = o
}

func (c *chat) scrollBy(i intent.Intent) {
	page := max(1, c.m.height-8)
	if c.overlay != noOverlay {
		c.scroll += map[intent.Intent]int{intent.PageUp: -page, intent.PageDown: page, intent.ScrollUp: -1, intent.ScrollDown: 1}[i]
		return
	}
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
	if dir == 0 || c.overlay != noOverlay {
		return nil
	}
	return func() tea.Msg { return aheadMsg{c, dir} }
}

func (msg aheadMsg) take(m *Model) tea.Cmd {
	if m.chat == msg.chat {
		msg.chat.view.Ahead(msg.dir)
	}
	return nil
}

// escape closes what is open, rejects what is asked, else stops the turn. The draft and the queue stay.
func (c *chat) escape() tea.Cmd {
	switch {
	case c.overlay != noOverlay:
		c.overlay = noOverlay
	case c.focused:
		c.focus(false)
	case c.popup != nil:
		c.dropped, c.popup = c.popup.prefix, nil
	case c.question.open() && !c.question.shownAt.IsZero():
		return c.question.reject()
	case c.link.loggingIn != "":
		c.link.cancelLogin()
	case c.stopSending():
	case c.busy() && !(c.thread.State == thread.Cancelling && c.shellRun() != nil):
		return c.stop()
	case c.shellRun() != nil:
		return c.stopShell()
	case !c.view.Following():
		c.view.End()
		c.escAt = c.m.now()
	default:
		return c.escaped()
	}
	return nil
}

// interrupt is ctrl+c: stop, or clear the draft, or quit.
func (c *chat) interrupt() tea.Cmd {
	switch {
	case c.overlay != noOverlay:
		c.overlay = noOverlay
	case c.stopSending():
	case c.busy() && c.thread.State != thread.Ended:
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
