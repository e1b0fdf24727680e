package start

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget/box"
	"parley/ui/widget/list"
	"parley/ui/widget/text"
)

// Host is the page that a login is on.
type Host interface {
	Say(text string) tea.Cmd
	Copy(text string) tea.Cmd
	// Browse opens an address in the user's browser; nil where there is none.
	Browse(url string) tea.Cmd
	// Run lends the terminal to a command. done is told how that went.
	Run(cmd workspace.Command, done func(error) tea.Msg) tea.Cmd
	// Label is the key of an action, as it is shown.
	Label(i intent.Intent) string
	// Typed is when a key came last, and whether there is a draft.
	Typed() (last time.Time, draft bool)
	// Covered tells whether something lies over the page in a row of the screen.
	Covered(y int) bool
}

// Login is the ways to log in to an agent, over a page, while they are offered there.
// Ways that are not carried out are listed and cannot be chosen.
type Login struct {
	env  *layer.Env
	host Host
	offer
}

// offer is what is offered. The zero offer is nothing.
type offer struct {
	agent   *workspace.Agent
	conn    *workspace.Connection // of the agent, of which these are the ways
	list    *list.List            // nil: nothing is offered
	note    string                // what went wrong
	said    []string              // what a program wrote last that went wrong
	link    elicit.Link           // the address that the agent named when it refused a login, or wanted one
	unasked time.Time             // when it opened by itself; zero once it has the keys
	step    *step                 // in the place of the list
}

// NewLogin makes one that offers nothing.
func NewLogin(env *layer.Env, host Host) *Login { return &Login{env: env, host: host} }

// Open tells whether anything is offered.
func (l *Login) Open() bool { return l.list != nil }

// Asks tells whether one of the ways has been chosen and wants something of the user.
func (l *Login) Asks() bool { return l.step != nil }

// Unasked tells whether it has opened by itself and nobody has had a look at it.
func (l *Login) Unasked() bool { return !l.unasked.IsZero() }

// Close takes the offer back.
func (l *Login) Close() { l.offer = offer{} }

// Dismiss closes what the user has opened and not chosen from.
func (l *Login) Dismiss() {
	if !l.Asks() && !l.Unasked() {
		l.Close()
	}
}

// Grab gives it the keys.
func (l *Login) Grab() { l.unasked = time.Time{} }

// TakeStep takes over what another one asks of the user, where that page goes away: the
// next key of a secret must not land in a draft. here tells whether this page is one of
// the same agent; else nothing is sent.
func (l *Login) TakeStep(from *Login, here bool) {
	if !from.Asks() {
		return
	}
	l.offer = from.offer
	if !here {
		l.conn = &workspace.Connection{} // that nobody has
	}
}

// Offer lists the agent's ways to log in.
func (l *Login) Offer(a *workspace.Agent) {
	var items []list.Item
	for _, method := range a.Methods() {
		items = append(items, list.Item{Title: workspace.MethodName(method), Detail: method.Description, Hint: how(a, method), Value: method})
	}
	l.offer = offer{agent: a, conn: a.Conn(), list: list.New(items)}
}

// Wanted offers them by itself, because of err. The keys are left to whoever is typing:
// an enter that was one too many chooses nothing.
func (l *Login) Wanted(a *workspace.Agent, err error) {
	if l.Asks() {
		return
	}
	l.Offer(a)
	l.unasked, l.link = l.env.Now(), addressIn([]string{err.Error()})
}

// Failed offers them again, and says why one has failed.
func (l *Login) Failed(n workspace.LoginFailed) {
	note := n.Err.Error()
	switch {
	case n.Agent.Opening(): // the page says it
		note = ""
	case n.Program:
		note = "Login failed: " + note
	}
	l.again(n.Agent, note)
	l.said, l.link = n.Said, addressIn(append(slices.Clone(n.Said), n.Err.Error()))
}

// again offers the ways anew. A step that has the keys is not interrupted: what is typed
// there must not land anywhere else.
func (l *Login) again(a *workspace.Agent, note string) {
	if !l.Asks() || l.agent != a {
		l.Offer(a)
	}
	l.note = note
}

// how says in a few words how a way to log in is carried out.
func how(a *workspace.Agent, method event.AuthMethod) string {
	switch why := a.Unfit(method); {
	case why != "":
		return "not supported: " + why
	case method.Type == "terminal":
		return "in this terminal"
	case method.Type == "env_var" && len(method.Vars) == 1:
		return "asks for " + method.Vars[0].Name
	case method.Type == "env_var":
		return fmt.Sprintf("asks for %d values", len(method.Vars))
	case method.TakesKey:
		return "asks for a key"
	case a.RunsCommand(method):
		return "runs a command"
	}
	return "by the agent"
}

// choose carries out one of the ways. The list is closed then, unless something of it is
// left to be done.
func (l *Login) choose(method event.AuthMethod) tea.Cmd {
	a, conn := l.agent, l.conn
	l.Close()
	if a.Conn() != conn {
		return nil
	}
	switch why := a.Unfit(method); {
	case why == method.Type && why != "":
		l.again(a, "Unknown login method: "+why)
	case why != "":
		l.again(a, "Unsupported login method: "+why)
	case method.Type == "terminal":
		return l.run(a, conn, a.TerminalLogin(method))
	case method.Type == "env_var", method.TakesKey:
		l.ask(a, &step{method: method, form: variablesForm(method, l.env.Keys)})
	case a.RunsCommand(method):
		asked, err := a.AskedLogin(method)
		if err != nil {
			l.again(a, visible(err.Error()))
			return nil
		}
		l.ask(a, &step{method: method, asked: asked})
		return tea.Tick(layer.Quiet+20*time.Millisecond, func(time.Time) tea.Msg { return drawn{} })
	default:
		a.Authenticate(method, "")
	}
	return nil
}

// ask shows what a way to log in wants to know, in the place of the list.
func (l *Login) ask(a *workspace.Agent, s *step) {
	l.Offer(a)
	for i := range l.list.Len() {
		l.list.Select(i)
		if it, ok := l.list.Selected(); ok && it.Value.(event.AuthMethod).ID == s.method.ID {
			break
		}
	}
	l.step = s
}

// run lends the terminal to a login.
func (l *Login) run(a *workspace.Agent, conn *workspace.Connection, cmd workspace.Command) tea.Cmd {
	return l.host.Run(cmd, func(err error) tea.Msg { return ran{a, conn, err} })
}

// ran is the end of a login in the terminal.
type ran struct {
	agent *workspace.Agent
	conn  *workspace.Connection
	err   error
}

// Handle tells the agent.
func (m ran) Handle() tea.Cmd {
	m.agent.RanLogin(m.conn, m.err)
	return nil
}

// drawn has the screen drawn once more: a key counts now that did not before.
type drawn struct{}

// Handle does nothing else.
func (drawn) Handle() tea.Cmd { return nil }

// armed tells whether a key is for it: what opened by itself leaves them to whoever is
// typing, until nothing was typed for a while; before there is a session also while there
// is a draft.
func (l *Login) armed() bool {
	if !l.Unasked() {
		return true
	}
	now := l.env.Now()
	last, draft := l.host.Typed()
	return !(draft && l.agent.Opening()) && now.Sub(l.unasked) >= layer.Quiet && now.Sub(last) >= layer.Quiet
}

// Key takes all keys while it is armed but the one of the log, and esc before that.
func (l *Login) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want == intent.ToggleLog || !l.armed() && p.Want != intent.Stop {
		return nil, false
	}
	l.Grab()
	if l.step != nil {
		return l.stepKey(p), true
	}
	if l.list.Filter() == "" {
		if cmd, ok := addressKey(l.env, l.host, l.link, p); ok {
			return cmd, true
		}
	}
	l.note = ""
	switch {
	case p.Name == "ctrl+c":
		l.Close()
	case p.Name == "esc", p.Want == intent.Stop:
		if l.list.Filter() == "" {
			l.Close()
		} else {
			l.list.SetFilter("")
		}
	case p.Name == "enter":
		if it, ok := l.list.Selected(); ok {
			return l.choose(it.Value.(event.AuthMethod)), true
		}
	default:
		l.list.Key(p.KeyPressMsg)
	}
	return nil, true
}

// Paste leaves what is pasted for the draft while keys go there.
func (l *Login) Paste(text string) (tea.Cmd, bool) {
	if !l.armed() {
		return nil, false
	}
	l.Grab()
	if l.step != nil {
		l.step.paste(text)
	} else {
		l.list.SetFilter(l.list.Filter() + strings.TrimRight(text, "\r\n"))
	}
	return nil, true
}

// Click takes the clicks on it.
func (l *Login) Click(_, y int, _ bool) bool { return l.host.Covered(y) }

// WaitsSince implements layer.Waiter.
func (l *Login) WaitsSince() (time.Time, bool) { return l.unasked, l.Unasked() }

// Rows draws it as a box of at most height rows.
func (l *Login) Rows(width, height int) ([]string, *tea.Cursor) {
	height = max(4, height)
	if l.step != nil {
		return l.stepRows(width, height)
	}
	th, inner := l.env.Theme, box.InnerWidth(width)
	armed := l.armed()
	box := box.Box{Title: "Log in to " + l.agent.Name(), Foot: "enter selects · " + l.host.Label(intent.ToggleLog) + " log · esc closes", Focused: true}
	if !armed && l.agent.Opening() {
		box.Foot = l.host.Label(intent.FocusQuestion) + " to choose · " + l.host.Label(intent.Stop) + " cancels"
	}
	above, about, room := l.around(inner, height)
	box.Right = l.list.More(room)
	box.Body = append([]string{l.list.FilterRow(inner, "Type to filter", th)}, above...)
	if l.list.Len() == 0 && l.list.Filter() == "" {
		rows := text.WrapInk(th.Dim.Paint, "This agent offers no way to log in; use its own command, then try again", "", inner)
		box.Body = append(box.Body, rows[:min(len(rows), room)]...)
	} else {
		box.Body = append(box.Body, l.list.Draw(inner, room, th)...)
	}
	box.Body = append(box.Body, about...)
	if !armed {
		return box.Rows(width, th), nil
	}
	return box.Rows(width, th), tea.NewCursor(2+l.list.FilterCursor(inner), 1)
}

// around are the rows above the list and below it, and how many are left for the list.
func (l *Login) around(width, height int) (above, about []string, room int) {
	th := l.env.Theme
	room = max(1, height-3)
	if l.note != "" {
		above = text.WrapInk(th.Warn.Paint, l.note, "", width)
	}
	for _, line := range l.said {
		above = append(above, text.WrapInk(th.Dim.Paint, line, "│ ", width)...)
	}
	link := l.linkRows(width)
	above = append(above[:min(len(above), max(0, room-leastChoice-len(link)))], link...)
	about = l.about(width, max(0, room-len(above)-leastChoice))
	return above, about, max(1, room-len(above)-len(about))
}

// Saw is told how much room the last frame had for it.
func (l *Login) Saw(width, height int) {
	height = max(4, height)
	switch {
	case l.step != nil:
		l.sawStep(width, height)
	case l.Open():
		_, _, room := l.around(box.InnerWidth(width), height)
		l.list.Shown(room)
	}
}

// leastChoice is how many rows of the list stay whatever is to be said around it.
const leastChoice = 3

// linkRows are the keys of the address, and what is odd about it.
func (l *Login) linkRows(width int) []string {
	if l.list.Filter() != "" { // its keys are text then
		return nil
	}
	th := l.env.Theme
	var rows []string
	for _, w := range l.link.Warnings {
		rows = append(rows, text.WrapInk(th.Bad.Paint, "! "+w, "", width)...)
	}
	if l.link.OK {
		rows = append(rows, text.WrapInk(nil, strings.Join(addressKeys(l.link, th), "   "), "", width)...)
	}
	return rows
}

// about is the whole description of the way with the cursor, where its row has no room
// for it.
func (l *Login) about(width, most int) []string {
	it, ok := l.list.Selected()
	if !ok || 2+text.Width(it.Title)+2+text.Width(it.Detail)+2+text.Width(it.Hint) <= width {
		return nil
	}
	rows := append([]string{""}, text.WrapInk(l.env.Theme.Dim.Paint, strings.Join(strings.Fields(it.Detail+" · "+it.Hint), " "), "  ", width)...)
	return rows[:min(len(rows), most)]
}

// visible is a text with everything in it visible, on one line.
func visible(s string) string { return strings.ReplaceAll(safetext.Visible(s), "\n", `<\n>`) }
