// Package status shows the state of a session: in the status line, in the title of the
// window, in the terminal's progress bar, and by notifications to a user who is looking
// elsewhere. It draws values and holds no page.
package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/internal/lazy"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/layer"
)

// Toast is a message shown for a while. The zero Toast is empty.
type Toast struct {
	text  string
	until time.Time
}

// ToastTime is how long a toast is shown.
const ToastTime = 5 * time.Second

// NewToast returns a toast shown from now on, on one line and safe for a terminal: errors of
// the system can hold names chosen by an agent.
func NewToast(text string, now time.Time) Toast {
	return Toast{safetext.Line(text, 500), now.Add(ToastTime)}
}

// At returns the text shown at a time; "" for none.
func (t Toast) At(now time.Time) string {
	if !now.Before(t.until) {
		return ""
	}
	return t.text
}

// Line is the status line below a session's page.
type Line struct {
	*workspace.Session
	Env      *layer.Env
	Approval permissions.Mode
	Others   int    // other sessions that wait for the user
	Clients  int    // that have joined
	Branch   string // of the worktree; "" without one

	Asked    time.Time // when the question, form or page came that waits for the user; zero: none does
	Asks     bool      // a form or a page waits for the user
	Question bool      // a question is open
	Form     bool      // a form or a page is on the screen and waits for the user
	Browsing bool      // the transcript has the keys
	Shell    bool      // the user's own command runs
	ShellDir string    // the directory of the user's own commands, "" if it is the session's
	MouseOff bool
	Leaving  string // says that the next interrupt quits; "" if it does not
	Beside   bool   // the page is beside the one that has the keys, and names none
}

// Row draws the line. It never wraps: the least important parts are dropped until it fits.
func (l Line) Row(width int) string {
	right := l.Right()
	line := l.fitParts(width - text.Width(right) - 3)
	gap := max(1, width-2-text.Width(line)-text.Width(right))
	return text.Truncate(" "+line+strings.Repeat(" ", gap)+right, width, "…")
}

// Short returns the line without the gap in its middle.
func (l Line) Short(width int) string {
	right := l.Right()
	left := l.fitParts(width - text.Width(right) - 3)
	if left != "" {
		left += l.Env.Theme.Dim.Paint(" · ")
	}
	return text.Truncate("  "+left+right, width, "…")
}

// part is a part of the line. One that counts more is kept when there is no room for all.
type part struct {
	text   string
	counts int
}

// What parts count: of those that count the same, the first are kept.
const (
	usual    = iota
	changes  // how many lines were changed: it is tried even if something before it was dropped
	current  // what waits, and the modes
	doing    // what the agent is doing, and which sessions wait for the user
	warnings // what nobody must overlook
)

// fitParts joins as many parts as fit, in their order.
func (l Line) fitParts(room int) string {
	th := l.Env.Theme
	between := th.Dim.Paint(" · ")
	parts := l.parts()
	order := make([]int, len(parts)) // the one that counts most first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return parts[b].counts - parts[a].counts })
	var kept []int
	width, dropped := -text.Width(between), false
	for _, i := range order {
		switch n := text.Width(between) + text.Width(parts[i].text); {
		case dropped && parts[i].counts != changes:
		case width+n > room:
			dropped = true
		default:
			kept, width = append(kept, i), width+n
		}
	}
	if len(kept) == 0 && len(parts) > 0 {
		return text.Truncate(parts[0].text, max(1, room), "…")
	}
	slices.Sort(kept)
	var line []string
	for _, i := range kept {
		line = append(line, parts[i].text)
	}
	return strings.Join(line, between)
}

// parts returns the parts of the line, in their order.
func (l Line) parts() (all []part) {
	add := func(counts int, texts ...string) {
		for _, t := range texts {
			if t != "" {
				all = append(all, part{t, counts})
			}
		}
	}
	add(warnings, l.Env.Theme.Bad.Paint(l.Agent.Spec.Warning))
	broken := l.broken()
	if broken == nil {
		add(warnings, l.approval())
	}
	add(doing, l.others())
	if broken != nil {
		add(doing, broken...)
		return all
	}
	add(doing, l.doing()...)
	return append(all, l.counts()...)
}

// approval names an approval mode other than the default; "" for that.
func (l Line) approval() string {
	th := l.Env.Theme
	switch l.Approval {
	case permissions.AskMode:
		return ""
	case permissions.ReadOnlyMode:
		return "approval: " + th.Accent.Paint(l.Approval.String())
	case permissions.AllMode:
		return th.Bad.Paint("approval: EVERYTHING ALLOWED")
	}
	return th.Warn.Paint("approval: " + l.Approval.String())
}

// modes names the agent's mode, and before it the default approval mode, so that nobody takes one for the
// other.
func (l Line) modes() (parts []string) {
	id, name := l.Thread.Mode, event.NameOf(l.Thread.Mode, l.Thread.Modes)
	if o, ok := l.Thread.Option("mode"); ok {
		id, name = o.Current, event.NameOf(o.Current, o.Choices)
	} else if !l.Thread.HasModes() {
		return nil
	}
	if l.Approval == permissions.AskMode {
		parts = append(parts, "approval: "+l.Approval.String())
	}
	name = "mode: " + name
	switch words := strings.ToLower(id + " " + name); {
	case unasking().MatchString(words):
		name = l.Env.Theme.Bad.Paint(name)
	case editing().MatchString(words):
		name = l.Env.Theme.Warn.Paint(name)
	}
	return append(parts, name)
}

// Words in the names of modes in which agents do not ask before anything, or before edits. They are a
// hint for the eye: what an agent does in a mode is its own business.
var (
	unasking = lazy.Regexp(`bypass|yolo|danger|full.?access|don.?t.?ask|auto.?approve`)
	editing  = lazy.Regexp(`accept|auto`)
)

// others counts the other sessions that wait.
func (l Line) others() string {
	if l.Others == 0 || l.Beside {
		return ""
	}
	verb := "wait"
	if l.Others == 1 {
		verb = "waits"
	}
	return l.Env.Theme.Warn.Paint(fmt.Sprintf("%d %s", l.Others, verb)) + l.Env.Theme.Dim.Paint(" · "+l.Env.Keys.ChatKey(intent.NextWaiting))
}

// broken returns the parts for a session that is ended or lost; nil for one that is open or
// being opened.
func (l Line) broken() []string {
	th := l.Env.Theme
	if l.ReadOnly {
		return []string{th.Strong.Paint(l.Agent.Name()), th.Accent.Paint("read-only log"), th.Dim.Paint(l.Env.Keys.ChatKey(intent.Sessions) + " sessions")}
	}
	send := l.Env.Keys.ChatKey(intent.Send)
	if at, retrying := l.Agent.Retrying(); retrying {
		return []string{th.Bad.Paint("Connection lost") + th.Dim.Paint(": "+RetryWords(at, l.Env.Now()))}
	}
	switch l.Lost.State {
	case workspace.StateGone:
		return []string{th.Bad.Paint(workspace.GoneLine) + th.Dim.Paint(" · "+send+" starts a new one")}
	case workspace.StateUnopened:
		return []string{th.Bad.Paint("Reconnected, but the session did not open") + th.Dim.Paint(" · "+send+" tries again")}
	case workspace.StateReopening:
		return []string{th.Strong.Paint(l.Agent.Name()), th.Accent.Paint(thread.Loading.String())}
	}
	if l.Thread.State == thread.Ended && l.Agent.Spec.Remote {
		return []string{th.Bad.Paint("Not connected") + th.Dim.Paint(" · "+send+" tries again")}
	}
	if l.Thread.State == thread.Ended {
		return []string{th.Bad.Paint("The agent has ended") + th.Dim.Paint(" · "+send+" restarts it")}
	}
	return nil
}

// RetryWords says when the connection is retried next; the zero time means now.
func RetryWords(at, now time.Time) string {
	if at.IsZero() {
		return "connecting"
	}
	return "trying again in " + text.Seconds(max(0, at.Sub(now))+time.Second)
}

// doing names the agent and what it is doing.
func (l Line) doing() []string {
	th, t := l.Env.Theme, l.Thread
	parts := []string{th.Strong.Paint(l.Agent.Name())}
	state := t.State
	if l.Asks && (state == thread.Idle || state == thread.Running) {
		state = thread.Waiting
	}
	since := t.TurnStarted
	if state == thread.Waiting {
		since = l.Asked
	}
	switch took := l.Env.Now().Sub(since); {
	case l.Busy() && !since.IsZero():
		clock := text.Seconds(took)
		if state == thread.Waiting && took >= time.Minute { // see WaitingChanges
			clock = strings.TrimSuffix(text.Seconds(took.Truncate(time.Minute)), "00s")
		}
		parts = append(parts, th.Accent.Paint(state.String())+" "+th.Dim.Paint(clock))
	case l.Busy(), state == thread.Waiting:
		parts = append(parts, th.Accent.Paint(state.String()))
	}
	switch {
	case l.Agent.Login.Running() != "":
		parts = append(parts, th.Accent.Paint("logging in: "+l.Agent.Login.Running()))
	case t.State == thread.Loading:
		parts = append(parts, th.Accent.Paint(t.State.String()))
	case !l.IsOpen():
		parts = append(parts, th.Accent.Paint("opening"))
	}
	if at := l.Prompts.ResumesAt(); !at.IsZero() {
		parts = append(parts, th.Warn.Paint("resumes "+words.Clock(at, l.Env.Now()))+th.Dim.Paint(", in "+text.Seconds(max(0, at.Sub(l.Env.Now())))))
	}
	return parts
}

// WaitingChanges returns when the clock of a question changes next: each second of the first minute,
// then each minute.
func WaitingChanges(asked, now time.Time) time.Time {
	step := time.Second
	if asked.IsZero() {
		asked = now
	}
	if now.Sub(asked) >= time.Minute {
		step = time.Minute
	}
	return asked.Add(now.Sub(asked).Truncate(step) + step)
}

// counts returns the numbers and the settings of the session.
func (l Line) counts() (parts []part) {
	th, t := l.Env.Theme, l.Thread
	counts := current
	add := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); s != "" {
			parts = append(parts, part{s, counts})
		}
	}
	if n := len(t.Held); n > 0 {
		add("%d held", n)
	}
	if n := l.Prompts.Queue.Len(); n > 0 {
		add("%d queued", n)
	}
	if n := len(t.Background); n > 0 {
		add("%d in the background", n)
	}
	for _, mode := range l.modes() {
		add("%s", mode)
	}
	counts = usual
	if l.Clients > 0 {
		add("%d joined", l.Clients)
	}
	if o, ok := t.Option("model"); ok {
		add("%s", event.NameOf(o.Current, o.Choices))
	}
	if u := t.Usage; u.Size > 0 {
		add("ctx %d%% %s/%s", int(min(999, float64(u.Used)/float64(u.Size)*100)), words.Tokens(u.Used), words.Tokens(u.Size))
	} else if u.Used > 0 {
		add("ctx %s", words.Tokens(u.Used))
	}
	add("%s", describe.Money(t.Usage))
	counts = warnings
	if said := describe.Limit(t.Usage.Limit, l.Env.Now()); said != "" && l.Prompts.ResumesAt().IsZero() {
		style := th.Warn
		if !t.Usage.Limit.Allows() {
			style = th.Bad
		}
		add("%s", style.Paint(said))
	}
	counts = changes
	if added, removed := l.Changes.Lines(); added+removed > 0 {
		add("%s %s", th.DiffAdd.Paint(fmt.Sprintf("+%d", added)), th.DiffDel.Paint(fmt.Sprintf("−%d", removed)))
	}
	counts = warnings
	if t.RanDenied > 0 {
		add("%s", th.Bad.Paint(fmt.Sprintf("%d ran although rejected", t.RanDenied)))
	}
	if t.Unasked > 0 {
		add("%s", th.Warn.Paint(fmt.Sprintf("%d unasked", t.Unasked)))
	}
	counts = usual
	if l.MouseOff {
		add("%s", th.Dim.Paint("mouse off"))
	}
	if l.ShellDir != "" {
		add("! %s", l.ShellDir)
	}
	if l.Branch != "" {
		add("⎇ %s", l.Branch)
	}
	return parts
}

// Right names the key that matters most now, and what it does.
func (l Line) Right() string {
	th := l.Env.Theme
	hint := func(key, what string) string { return th.Key.Paint(key) + " " + th.Dim.Paint(what) }
	stop, interrupt := l.Env.Keys.ChatKey(intent.Stop), l.Env.Keys.ChatKey(intent.Interrupt)
	_, retrying := l.Agent.Retrying()
	switch {
	case l.Beside:
		return ""
	case l.Leaving != "":
		return th.Warn.Paint(l.Leaving)
	case retrying:
		return hint(l.Env.Keys.ChatKey(intent.Send), "now")
	case l.Thread.State == thread.Ended && !l.ReadOnly:
		return hint(interrupt, "quit")
	case l.Agent.Login.Running() != "", l.Opening() && !l.Busy():
		return hint(stop, "cancel")
	case l.Thread.State == thread.Cancelling && l.Killable():
		return hint(stop, "end the agent (not responding)")
	case l.Question:
		return hint(interrupt, "stop")
	case l.Form:
		return hint(stop, "cancel")
	case l.Browsing:
		return hint(stop, "back")
	case l.Busy():
		return hint(stop, "stop")
	case l.Shell:
		return hint(stop, "stop the command")
	case !l.Prompts.ResumesAt().IsZero():
		return hint(stop, "cancel")
	}
	return hint(cmp.Or(l.Env.Keys.Label(intent.Empty, intent.ToggleHelp), l.Env.Keys.ChatKey(intent.ToggleHelp)), "help")
}
