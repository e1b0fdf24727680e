package start

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/widget/box"
	"parley/ui/widget/list"
)

// Page is what a login knows of the page below it.
type Page struct {
	LastKey time.Time // when the last key was pressed
	Draft   bool      // there is one
	Browser bool      // the user has one
	Top     int       // the first row that a panel covers
}

// Login lists the methods to log in to an agent, over a page. Unsupported methods are
// listed and cannot be chosen.
type Login struct {
	env  *layer.Env
	out  *layer.Effects
	page func() Page
	offer
}

// offer is the open list, or the step that replaced it. The zero offer is closed.
type offer struct {
	agent      *workspace.Agent
	connection int         // the number of the agent's when the list was opened
	list       *list.List  // the methods; nil if closed
	note       string      // what went wrong
	lastOutput []string    // the last output of a login command
	link       elicit.Link // the address in the agent's error
	unasked    time.Time   // when it opened unasked; zero once it has the keys
	step       *step       // shown instead of the list
}

// NewLogin returns a closed Login.
func NewLogin(env *layer.Env, out *layer.Effects, page func() Page) *Login {
	return &Login{env: env, out: out, page: page}
}

// Open reports whether it is on the screen.
func (l *Login) Open() bool { return l.list != nil }

// Asks reports whether a chosen method asks the user for something.
func (l *Login) Asks() bool { return l.step != nil }

// Unasked reports whether it opened unasked and has not got the keys yet.
func (l *Login) Unasked() bool { return !l.unasked.IsZero() }

// Close closes it.
func (l *Login) Close() { l.offer = offer{} }

// Dismiss closes the list if the user had opened it.
func (l *Login) Dismiss() {
	if !l.Asks() && !l.Unasked() {
		l.Close()
	}
}

// Grab gives it the keys.
func (l *Login) Grab() { l.unasked = time.Time{} }

// TakeStep moves a step here from the login of a page that goes away, so that the next key
// of a secret does not land in a draft. If this page is not of the same agent, here is
// false and nothing is sent.
func (l *Login) TakeStep(from *Login, here bool) {
	if !from.Asks() {
		return
	}
	l.offer = from.offer
	if !here {
		l.connection = -1 // no agent has it
	}
}

// Offer lists the agent's login methods.
func (l *Login) Offer(a *workspace.Agent) {
	var items []list.Item
	for _, method := range a.Login.Methods() {
		items = append(items, list.Item{Title: workspace.MethodName(method), Detail: method.Description, Hint: how(a, method), Value: method})
	}
	l.offer = offer{agent: a, connection: a.ConnectionNumber(), list: list.New(items)}
}

// Wanted lists them unasked, with what a login program that has just ended said. The draft keeps
// the keys for a while, so that an enter pressed for something else chooses nothing.
func (l *Login) Wanted(n workspace.LoginWanted) {
	if l.Asks() {
		return
	}
	l.Offer(n.Agent)
	switch {
	case n.Again:
		l.note = "The login command ended with exit code 0, but a login is still required"
	case errors.Is(n.Err, workspace.ErrSignedOut):
		l.note = "Nobody has signed in: a prompt would be refused"
	}
	l.lastOutput = n.Said
	l.unasked, l.link = l.env.Now(), addressIn(append(slices.Clone(n.Said), n.Err.Error()))
}

// Failed lists them again and says why a login failed.
func (l *Login) Failed(n workspace.LoginFailed) {
	note := n.Err.Error()
	switch {
	case n.Agent.Opening(): // the page says it
		note = ""
	case n.Program:
		note = "Login failed: " + note
	}
	l.reopen(n.Agent, note)
	l.lastOutput, l.link = n.Said, addressIn(append(slices.Clone(n.Said), n.Err.Error()))
}

// reopen lists the methods with a note. It does not replace a step: what is typed there must
// not land anywhere else.
func (l *Login) reopen(a *workspace.Agent, note string) {
	if !l.Asks() || l.agent != a {
		l.Offer(a)
	}
	l.note = note
}

// how says in a few words what a login method does.
func how(a *workspace.Agent, method event.AuthMethod) string {
	switch why := a.Login.UnsupportedReason(method); {
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
	case a.Login.RunsCommand(method):
		return "runs a command"
	}
	return "by the agent"
}

// choose starts a login and closes the list, unless the method asks for something first.
func (l *Login) choose(method event.AuthMethod) tea.Cmd {
	a, connection := l.agent, l.connection
	l.Close()
	if a.ConnectionNumber() != connection {
		return nil
	}
	switch why := a.Login.UnsupportedReason(method); {
	case why == method.Type && why != "":
		l.reopen(a, "Unknown login method: "+why)
	case why != "":
		l.reopen(a, "Unsupported login method: "+why)
	case method.Type == "terminal":
		return l.run(a, connection, a.Login.Terminal(method))
	case method.Type == "env_var", method.TakesKey:
		l.ask(a, &step{method: method, form: variablesForm(method, l.env.Keys)})
	case a.Login.RunsCommand(method):
		asked, err := a.Login.Command(method)
		if err != nil {
			l.reopen(a, visible(err.Error()))
			return nil
		}
		l.ask(a, &step{method: method, command: asked})
		return tea.Tick(layer.Quiet+20*time.Millisecond, func(time.Time) tea.Msg { return drawn{} })
	default:
		a.Login.Authenticate(method, "")
	}
	return nil
}

// ask shows a step instead of the list.
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

// run lends the terminal to a login command.
func (l *Login) run(a *workspace.Agent, connection int, cmd workspace.LoginCommand) tea.Cmd {
	return l.env.Exec(cmd, func(err error) tea.Msg { return ran{a, connection, cmd, err} })
}

// ran says that a login command has ended.
type ran struct {
	agent      *workspace.Agent
	connection int
	cmd        workspace.LoginCommand
	err        error
}

// Handle tells the agent.
func (m ran) Handle() tea.Cmd {
	m.agent.Login.Ran(m.connection, m.cmd, m.err)
	return nil
}

// drawn draws the screen again, because a key works now that did not before.
type drawn struct{}

// Handle implements layer.Message.
func (drawn) Handle() tea.Cmd { return nil }

// armed reports whether it takes the keys. If it opened unasked, the draft keeps them until
// no key was pressed for a while and, before a session is open, until the draft is empty.
func (l *Login) armed() bool {
	if !l.Unasked() {
		return true
	}
	now := l.env.Now()
	page := l.page()
	return !(page.Draft && l.agent.Opening()) && now.Sub(l.unasked) >= layer.Quiet && now.Sub(page.LastKey) >= layer.Quiet
}

// Key takes all keys but that of the log while it is armed, and only esc before.
func (l *Login) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want == intent.ToggleLog || !l.armed() && p.Want != intent.Stop {
		return nil, false
	}
	l.Grab()
	if l.step != nil {
		return l.stepKey(p), true
	}
	if l.list.Filter() == "" {
		if cmd, ok := addressKey(l.env, l.out, l.page(), l.link, p); ok {
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

// Paste leaves pasted text to the draft while that has the keys.
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
func (l *Login) Click(_, y int, _ bool) bool { return y >= l.page().Top }

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
	box := box.Box{Title: "Log in to " + l.agent.Name(), Foot: "enter select · " + l.env.Keys.ChatKey(intent.ToggleLog) + " log · esc close", Focused: true}
	if !armed && l.agent.Opening() {
		box.Foot = l.env.Keys.ChatKey(intent.FocusQuestion) + " to choose · " + l.env.Keys.ChatKey(intent.Stop) + " cancel"
	}
	above, about, room := l.around(inner, height)
	box.Right = l.list.More(room)
	box.Body = append([]string{l.list.FilterRow(inner, "Type to filter", th)}, above...)
	box.Body = append(append(box.Body, l.list.Draw(inner, room, th)...), about...)
	if !armed {
		return box.Rows(width, th), nil
	}
	return box.Rows(width, th), tea.NewCursor(2+l.list.FilterCursor(inner), 1)
}

// around returns the rows above and below the list, and how many are left for the list.
func (l *Login) around(width, height int) (above, about []string, room int) {
	th := l.env.Theme
	room = max(1, height-3)
	if l.note != "" {
		above = text.WrapInk(th.Warn.Paint, l.note, "", width)
	}
	for _, line := range l.lastOutput {
		above = append(above, text.WrapInk(th.Dim.Paint, line, "│ ", width)...)
	}
	link := l.linkRows(width)
	above = append(above[:min(len(above), max(0, room-leastChoice-len(link)))], link...)
	about = l.about(width, max(0, room-len(above)-leastChoice))
	return above, about, max(1, room-len(above)-len(about))
}

// Saw implements layer.Viewer.
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

// leastChoice is how many rows the text around the list leaves to it.
const leastChoice = 3

// linkRows draws the keys of the address and warnings about it.
func (l *Login) linkRows(width int) []string {
	if l.list.Filter() != "" { // its keys are letters, which belong to the filter then
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

// about returns the description of the selected method if its row has no room for it.
func (l *Login) about(width, most int) []string {
	it, ok := l.list.Selected()
	if !ok || 2+text.Width(it.Title)+2+text.Width(it.Detail)+2+text.Width(it.Hint) <= width {
		return nil
	}
	rows := append([]string{""}, text.WrapInk(l.env.Theme.Dim.Paint, words.OneLine(it.Detail+" · "+it.Hint), "  ", width)...)
	return rows[:min(len(rows), most)]
}

// visible returns s on one line with control characters made visible.
func visible(s string) string { return strings.ReplaceAll(safetext.Visible(s), "\n", `<\n>`) }
