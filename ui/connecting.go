package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	chatview "parley/ui/chat"
	"parley/ui/intent"
	"parley/ui/widget"
)

// connectingKey handles a key while an agent starts, or after it could not. What
// is typed meanwhile goes into the composer and is sent when the agent is there.
func (m *Model) connectingKey(msg tea.KeyPressMsg) tea.Cmd {
	l, now, name := m.starting, m.now(), msg.String()
	c := l.front()
	if cmd, ok := c.loginKey(msg); ok {
		return cmd
	}
	picking := l.login != nil && (l.loginArmed(now) || name == "esc")
	eliciting := c.elicitShown() && c.elicits[0].takes(c, now, name)
	c.lastKey = now
	switch {
	case picking && name != "ctrl+c":
		p := l.login
		cmd, done := p.key(m.keys, msg)
		if done && l.login == p {
			l.login = nil
		}
		return cmd
	case eliciting && name != "ctrl+c":
		return c.elicitKey(msg)
	case name == "esc" && l.loggingIn != "":
		l.cancelLogin()
		return nil
	case name == "esc":
		return m.leave()
	case name == "alt+a" && l.login != nil:
		l.login.unasked = time.Time{}
		return nil
	case (name == "alt+a" || name == "tab" && c.composer.Empty()) && c.elicitShown():
		c.elicits[0].grab(now)
		return nil
	case name == "ctrl+r" && l.logged != nil:
		return l.readLog()
	case name == "enter" && l.connectErr != nil && l.login == nil:
		return l.restart()
	case name == "ctrl+c" && c.composer.Empty(), name == "ctrl+d" && c.composer.Empty():
		if len(m.chats) == 1 {
			return m.quit()
		}
		return m.leave()
	}
	if m.height < leastAhead { // what is not seen is not typed
		return nil
	}
	return tea.Batch(c.typeAhead(msg), m.lookAgain(quiet))
}

// loginArmed tells whether the ways to log in have the keys: they have opened by
// themselves, and leave them to whoever is typing.
func (l *link) loginArmed(now time.Time) bool {
	c := l.front()
	return l.login.unasked.IsZero() || c.composer.Empty() && l.login.armed(now, c.lastKey)
}

// typeAhead takes what is typed before there is a session. Parley's own commands
// wait in the composer, but for the one that needs nobody.
func (c *chat) typeAhead(msg tea.KeyPressMsg) tea.Cmd {
	text := strings.TrimSpace(c.composer.Value())
	slash, _ := strings.CutPrefix(text, "/")
	own, ok := intent.Named(slash, c.agentHas)
	ok = ok && slash != text
	switch name := msg.String(); {
	case name == "enter" && ok && own.Intent == intent.Quit:
		return c.m.quit()
	case name == "enter" && ok:
	case name == "enter" && c.shelling(): // nor is the user's shell anybody's prompt
	case name == "enter" && text != "":
		c.keep(c.composer.Value())
		if !c.taken.on {
			c.taken.at = len(c.queued)
		}
		c.putBack(c.composer.Value())
		c.composer.Reset()
	case name == "enter":
	case name == "ctrl+c":
		c.keep(c.composer.Value())
		c.composer.Reset()
	case (name == "backspace" || name == "up") && c.composer.Empty() && len(c.queued) > 0:
		c.takeBack(name == "up")
	default:
		c.composer.Key(msg, c.m.keys.Of(intent.Draft, msg.Keystroke()))
	}
	return nil
}

// connecting draws the wait for an agent, or why it did not start, or the ways
// to log in to it; below it the composer.
func (m *Model) connecting() ([]string, *tea.Cursor) {
	l, c := m.starting, m.starting.front()
	below, cursor := c.aheadRows(m.width, m.height)
	rows := l.progress(m.height - len(below))
	if len(rows)+len(below) > m.height && c.composer.Empty() { // what to do next comes first
		below, cursor = nil, nil
	}
	asking := l.login != nil && l.login.step != nil
	if asking && m.height-len(below) < leastLogin+4 {
		below, cursor = nil, nil
	}
	top := m.height - len(below)
	rows = rows[:min(len(rows), top)]
	lay := func(box []string, at *tea.Cursor) {
		rows = append(rows[:min(len(rows), max(0, top-len(box)))], box...)
		if at != nil {
			at.Y += len(rows) - len(box)
			cursor = at
		}
	}
	switch {
	case c.overlay == logOverlay:
		rows = nil
		lay(c.overlayBox(m.width, max(4, top)), nil)
	case l.login != nil:
		foot := l.login.foot
		armed := l.loginArmed(m.now())
		if !armed {
			l.login.foot = "alt+a to choose · esc"
		}
		height := max(5, top-len(rows))
		if asking { // it comes before why it came to that
			height = max(height, min(top, leastLogin))
		}
		box, at := l.login.rows(m.width, height, m.th)
		l.login.foot = foot
		if !armed {
			at = nil
		}
		lay(box, at)
	case c.elicitShown():
		lay(c.elicitRows(m.width, max(leastBox, top-min(len(rows), 4)), false))
	}
	for len(rows) < top {
		rows = append(rows, "")
	}
	if cursor != nil && len(below) > 0 && cursor.Y < 0 { // the composer's
		cursor.Y += m.height
	}
	return fit(append(rows, below...), m.height), cursor
}

// leastAhead is how many rows a screen has that shows the composer while the agent
// starts.
const leastAhead = 12

// aheadRows is the composer with what waits to be sent; nothing where there is no
// room for it. The cursor counts its rows from the bottom of the screen.
func (c *chat) aheadRows(width, height int) ([]string, *tea.Cursor) {
	if height < leastAhead {
		return nil, nil
	}
	c.composer.SetMaxRows(max(1, height/3))
	c.composer.SetWidth(max(4, widget.InnerWidth(width)))
	c.composer.SetPlaceholder("what you type is sent when the agent is there")
	below := c.queueRows(width, 3)
	above := len(below)
	below = append(below, widget.Box{Body: c.composer.Rows(c.m.th), Focused: true}.Rows(width, c.m.th)...)
	x, y := c.composer.Cursor()
	return below, c.cursor(x+2, above+1+y-len(below))
}

// progress says how the start of the agent stands, in as many rows as there are where
// that is possible.
func (l *link) progress(height int) []string {
	th, m := l.m.th, l.m
	rows := []string{" " + th.Title.Paint("parley"), ""}
	switch {
	case l.loggingIn != "":
		rows = append(rows, wrapInk(nil, "logging in: "+th.Strong.Paint(l.loggingIn), "  ", m.width)...)
		rows = append(rows, wrapInk(th.Dim.Paint, "the agent may have opened a browser", "  ", m.width)...)
		keys := wrapInk(nil, l.loginKeys(), "  ", m.width)
		rows = append(append(rows, ""), l.loginRows(m.width, height-len(rows)-2-len(keys))...)
		rows = append(append(rows, ""), keys...)
		if c := l.front(); c.toast != "" && m.now().Before(c.toastUntil) {
			rows = append(rows, wrapInk(th.Accent.Paint, c.toast, "  ", m.width)...)
		}
	case l.login != nil:
		rows = append(append(rows, chatview.Failure(l.connectErr, m.width-1, th)...), "")
	case l.connectErr != nil:
		rows = append(rows, l.whyNot()...)
	default:
		doing := "starting "
		if l.agent.Remote {
			doing = "connecting to "
		}
		rows = append(rows, widget.Truncate("  "+doing+th.Strong.Paint(l.agent.Name)+"  "+th.Dim.Paint(chatview.Seconds(m.now().Sub(l.connectedAt))), m.width, "…"),
			widget.Truncate("  "+th.Dim.Paint(l.agent.Command), m.width, "…"), "")
		rows = append(rows, l.lastWords()...)
		if strings.HasPrefix(l.agent.Where, "through npx") {
			rows = append(rows, widget.Truncate("  "+th.Dim.Paint("npx fetches the package first; that can take a minute"), m.width, "…"))
		}
		rows = append(rows, "", "  "+th.Key.Paint("esc")+th.Dim.Paint(" give up"))
	}
	return rows
}

// whyNot says why the agent did not start, and what to do.
func (l *link) whyNot() []string {
	th, m := l.m.th, l.m
	rows := chatview.Failure(l.connectErr, m.width-1, th)
	for _, text := range advice(l.connectErr, l.agent) {
		rows = append(rows, "")
		for _, r := range widget.Wrap(text, max(1, m.width-4)) {
			rows = append(rows, "  "+r)
		}
	}
	rows = append(rows, "")
	keys := th.Key.Paint("enter") + th.Dim.Paint(" try again   ") + th.Key.Paint("esc") + th.Dim.Paint(" another agent   ")
	if l.logged != nil {
		keys = th.Key.Paint("ctrl+r") + th.Dim.Paint(" read it from parley's log   ") + keys
	}
	if len(m.chats) == 1 {
		keys += th.Key.Paint("ctrl+c") + th.Dim.Paint(" quit")
	}
	for _, r := range widget.Wrap(keys, max(1, m.width-4)) {
		rows = append(rows, "  "+r)
	}
	return rows
}

// lastWords are the newest lines of the log.
func (l *link) lastWords() []string {
	lines, _ := l.log.Lines()
	var rows []string
	for _, line := range lines[max(0, len(lines)-8):] {
		rows = append(rows, widget.Truncate("  "+l.m.th.Faint.Paint(line.Text), l.m.width, "…"))
	}
	return rows
}
