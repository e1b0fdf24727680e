package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// leaving handles what counts whatever is open while an agent starts: ctrl+c, and the
// log.
type leaving struct{ m *Model }

func (l leaving) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.m.front(l.m.starting)
	switch {
	case p.Name == "ctrl+c" && c.composer.Empty():
		return l.m.giveUp(), true
	case p.Name == "ctrl+c" && l.m.height >= leastAhead:
		c.keep(c.composer.Value())
		c.composer.Reset()
	case p.Name == "ctrl+c":
	case p.Want == intent.ToggleLog:
		c.toggle(logOverlay)
	default:
		return nil, false
	}
	return nil, true
}

func (l ahead) Paste(text string) (tea.Cmd, bool) {
	if l.c.m.height >= leastAhead {
		l.c.insert(text)
	}
	return nil, true
}

// giveUp gives up the start of an agent, and parley where there is nothing else.
func (m *Model) giveUp() tea.Cmd {
	if len(m.w.Sessions()) == 1 {
		return m.quit()
	}
	m.leave()
	return nil
}

// connecting is the page of an agent that starts, or could not.
type connecting struct{ m *Model }

func (l connecting) Key(p layer.Press) (tea.Cmd, bool) {
	m, a := l.m, l.m.starting
	c := m.front(a)
	gives := p.Name == "alt+a"
	switch {
	case p.Name == "esc" && a.LoggingIn() != "":
		a.CancelLogin()
	case p.Name == "esc":
		m.leave()
	case gives && m.login != nil:
		m.login.unasked = time.Time{}
	case (gives || p.Name == "tab" && c.composer.Empty()) && c.giveKeys():
	case p.Name == "ctrl+r" && a.FallbackLog() != nil:
		m.readLog(a)
	case p.Name == "enter" && a.Err() != nil && m.login == nil:
		a.Restart()
	case p.Name == "ctrl+d" && c.composer.Empty():
		return m.giveUp(), true
	default:
		return nil, false
	}
	return nil, true
}

// ahead is the composer before there is a session: what is typed is sent when the agent
// is there. Parley's own commands wait in it, but for the one that needs nobody.
type ahead struct{ c *chat }

func (l ahead) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if c.m.height < leastAhead { // what is not seen is not typed
		return nil, true
	}
	text := strings.TrimSpace(c.composer.Value())
	slash, _ := strings.CutPrefix(text, "/")
	own, ok := intent.Named(slash, c.agentHas)
	ok = ok && slash != text
	switch {
	case p.Name == "enter" && ok && own.Intent == intent.Quit:
		return c.m.quit(), true
	case p.Name == "enter" && ok:
	case p.Name == "enter" && c.shelling(): // nor is the user's shell anybody's prompt
	case p.Name == "enter" && text != "":
		c.keep(c.composer.Value())
		c.PutBack(c.composer.Value())
		c.composer.Reset()
	case p.Name == "enter":
	case (p.Name == "backspace" || p.Name == "up") && c.composer.Empty() && len(c.Queued) > 0:
		c.takeBack(p.Name == "up")
	default:
		c.composer.Key(p.KeyPressMsg, c.m.Keys.Of(intent.Draft, p.Keystroke()))
	}
	return nil, true
}

// connecting draws the wait for an agent, or why it did not start, or the ways
// to log in to it; below it the composer.
func (m *Model) connecting() ([]string, *tea.Cursor, onScreen) {
	a, c := m.starting, m.front(m.starting)
	on := onScreen{page: c}
	below, cursor := c.aheadRows(m.width, m.height)
	rows := m.startRows(a, m.height-len(below))
	if len(rows)+len(below) > m.height && c.composer.Empty() { // what to do next comes first
		below, cursor = nil, nil
	}
	asking := m.login != nil && m.login.step != nil
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
		lay(reading{c}.Rows(m.width, max(4, top)))
	case m.login != nil:
		foot := m.login.foot
		armed := list{c, &m.login}.hasKeys()
		if !armed {
			m.login.foot = "alt+a to choose · esc"
		}
		height := max(5, top-len(rows))
		if asking { // it comes before why it came to that
			height = max(height, min(top, leastLogin))
		}
		box, at := m.login.rows(m.width, height, m.Theme)
		m.login.foot = foot
		if !armed {
			at = nil
		}
		lay(box, at)
	case c.elicits.InSight() != nil:
		var box []string
		var at *tea.Cursor
		box, at, on.form = c.elicits.Current().Rows(m.width, max(leastBox, top-min(len(rows), 4)), false)
		lay(box, at)
	}
	for len(rows) < top {
		rows = append(rows, "")
	}
	if cursor != nil && len(below) > 0 && cursor.Y < 0 { // the composer's
		cursor.Y += m.height
	}
	return fit(append(rows, below...), m.height), cursor, on
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
	below := c.queueRows(width, 3)
	above := len(below)
	below = append(below, widget.Box{Body: c.composer.Rows(c.m.Theme), Focused: true}.Rows(width, c.m.Theme)...)
	x, y := c.composer.Cursor()
	return below, c.cursor(x+2, above+1+y-len(below))
}

// startRows say how the start of the agent stands, in as many rows as there are where
// that is possible.
func (m *Model) startRows(a *workspace.Agent, height int) []string {
	th := m.Theme
	rows := []string{" " + th.Title.Paint("parley"), ""}
	switch {
	case a.LoggingIn() != "":
		rows = append(rows, wrapInk(nil, "logging in: "+th.Strong.Paint(a.LoggingIn()), "  ", m.width)...)
		rows = append(rows, wrapInk(th.Dim.Paint, "the agent may have opened a browser", "  ", m.width)...)
		keys := wrapInk(nil, m.loginKeys(a), "  ", m.width)
		rows = append(append(rows, ""), m.loginRows(a, m.width, height-len(rows)-2-len(keys))...)
		rows = append(append(append(rows, ""), keys...), m.toastRows(a)...)
	case m.login != nil:
		rows = append(append(append(rows, transcript.Failure(a.Err(), m.width-1, th)...), m.toastRows(a)...), "")
	case a.Err() != nil:
		rows = append(rows, m.whyNot(a)...)
	default:
		since, _ := a.Dialing()
		doing := "starting "
		if a.Spec.Remote {
			doing = "connecting to "
		}
		rows = append(rows, widget.Truncate("  "+doing+th.Strong.Paint(a.Spec.Name)+"  "+th.Dim.Paint(transcript.Seconds(m.Now().Sub(since))), m.width, "…"),
			widget.Truncate("  "+th.Dim.Paint(a.Spec.Command), m.width, "…"), "")
		rows = append(rows, m.lastWords(a)...)
		if strings.HasPrefix(a.Spec.Where, "through npx") {
			rows = append(rows, widget.Truncate("  "+th.Dim.Paint("npx fetches the package first; that can take a minute"), m.width, "…"))
		}
		rows = append(rows, "", "  "+th.Key.Paint("esc")+th.Dim.Paint(" give up"))
	}
	return rows
}

// toastRows are the page's toast, while there is one.
func (m *Model) toastRows(a *workspace.Agent) []string {
	c := m.front(a)
	if c.toast == "" || !m.Now().Before(c.toastUntil) {
		return nil
	}
	return wrapInk(m.Theme.Accent.Paint, c.toast, "  ", m.width)
}

// whyNot says why the agent did not start, and what to do.
func (m *Model) whyNot(a *workspace.Agent) []string {
	th := m.Theme
	rows := transcript.Failure(a.Err(), m.width-1, th)
	for _, text := range advice(a.Err(), a.Spec) {
		rows = append(rows, "")
		for _, r := range widget.Wrap(text, max(1, m.width-4)) {
			rows = append(rows, "  "+r)
		}
	}
	rows = append(rows, "")
	keys := th.Key.Paint("enter") + th.Dim.Paint(" try again   ") + th.Key.Paint("esc") + th.Dim.Paint(" another agent   ")
	if a.FallbackLog() != nil {
		keys = th.Key.Paint("ctrl+r") + th.Dim.Paint(" read it from parley's log   ") + keys
	}
	if len(m.w.Sessions()) == 1 {
		keys += th.Key.Paint("ctrl+c") + th.Dim.Paint(" quit")
	}
	for _, r := range widget.Wrap(keys, max(1, m.width-4)) {
		rows = append(rows, "  "+r)
	}
	return rows
}

// lastWords are the newest lines of the log.
func (m *Model) lastWords(a *workspace.Agent) []string {
	lines, _ := a.Log.Lines()
	var rows []string
	for _, line := range lines[max(0, len(lines)-8):] {
		rows = append(rows, widget.Truncate("  "+m.Theme.Faint.Paint(line.Text), m.width, "…"))
	}
	return rows
}

// readLog shows the log of the session that could not be opened in its place.
func (m *Model) readLog(a *workspace.Agent) {
	a.ReadLog()
	m.page, m.starting, m.login = chatPage, nil, nil
}
