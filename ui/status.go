package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// status is the line at the bottom. It never wraps: parts are dropped from the
// right until it fits.
func (c *chat) status(width int) string {
	th := c.m.Theme
	right := c.statusRight()
	parts := c.statusParts()
	if w := c.m.waitingWord(); w != "" { // nothing but the mode comes before it
		at := 0
		if len(parts) > 0 && parts[0] == approvalWord(c.Approval(), th) {
			at = 1
		}
		parts = slices.Insert(parts, at, w)
	}
	if w := c.Agent.Spec.Warning; w != "" {
		parts = append([]string{th.Bad.Paint(w)}, parts...)
	}
	room := width - widget.Width(right) - 3
	line := ""
	for _, p := range parts {
		next := p
		if line != "" {
			next = line + th.Dim.Paint(" · ") + p
		}
		if widget.Width(next) > room {
			break
		}
		line = next
	}
	if line == "" && len(parts) > 0 {
		line = widget.Truncate(parts[0], max(1, room), "…")
	}
	gap := max(1, width-2-widget.Width(line)-widget.Width(right))
	return widget.Truncate(" "+line+strings.Repeat(" ", gap)+right, width, "…")
}

func (c *chat) statusParts() []string {
	th, t := c.m.Theme, c.Thread
	if c.toast != "" && c.m.Now().Before(c.toastUntil) {
		toast := []string{th.Accent.Paint(strings.Join(strings.Fields(c.toast), " "))}
		if c.Approval() == permissions.AllMode { // never covered
			toast = append([]string{approvalWord(c.Approval(), th)}, toast...)
		}
		return toast
	}
	var parts []string
	if c.ReadOnly {
		return []string{th.Strong.Paint(c.Agent.Name()), th.Accent.Paint("read from the log"), th.Dim.Paint(c.m.label(intent.Sessions) + " sessions")}
	}
	if c.retrying() {
		return []string{th.Bad.Paint("connection lost") + th.Dim.Paint(": "+c.m.retryWord(c.Agent))}
	}
	switch c.Lost.State {
	case workspace.StateGone:
		return []string{th.Bad.Paint(workspace.GoneLine) + th.Dim.Paint(" · enter starts a new one")}
	case workspace.StateUnopened:
		return []string{th.Bad.Paint("Reconnected, but the session did not open") + th.Dim.Paint(" · enter tries again")}
	case workspace.StateReopening:
		return []string{th.Strong.Paint(c.Agent.Name()), th.Accent.Paint(thread.Loading.String())}
	}
	if t.State == thread.Ended {
		return []string{th.Bad.Paint("the agent is gone") + th.Dim.Paint("; enter starts it again")}
	}
	if w := approvalWord(c.Approval(), th); w != "" { // first: it is never dropped for want of room
		parts = append(parts, w)
	}
	parts = append(parts, th.Strong.Paint(c.Agent.Name()))
	state := t.State
	if form := c.elicits.Current(); form != nil && form.Asks() && (state == thread.Idle || state == thread.Running) {
		state = thread.Waiting
	}
	switch {
	case c.Busy():
		parts = append(parts, th.Accent.Paint(state.String())+" "+th.Dim.Paint(transcript.Seconds(c.m.Now().Sub(t.TurnStarted))))
	case state == thread.Waiting:
		parts = append(parts, th.Accent.Paint(state.String()))
	}
	switch {
	case c.Agent.LoggingIn() != "":
		parts = append(parts, th.Accent.Paint("logging in: "+c.Agent.LoggingIn()))
	case t.State == thread.Loading:
		parts = append(parts, th.Accent.Paint(t.State.String()))
	case c.ACP == nil:
		parts = append(parts, th.Accent.Paint("opening"))
	}
	if n := len(t.Held); n > 0 {
		parts = append(parts, fmt.Sprintf("%d held", n))
	}
	if len(c.Queued) > 0 {
		parts = append(parts, fmt.Sprintf("%d queued", len(c.Queued)))
	}
	if n := len(t.Background); n > 0 {
		parts = append(parts, fmt.Sprintf("%d in the background", n))
	}
	if mode := c.mode(); mode != "" {
		parts = append(parts, mode)
	}
	if o, ok := t.Option("model"); ok {
		parts = append(parts, nameOf(o.Current, o.Choices))
	}
	if u := t.Usage; u.Size > 0 {
		parts = append(parts, fmt.Sprintf("ctx %d%% %s/%s", percent(u.Used, u.Size), tokens(u.Used), tokens(u.Size)))
	} else if u.Used > 0 {
		parts = append(parts, "ctx "+tokens(u.Used))
	}
	if cost := money(t.Usage); cost != "" {
		parts = append(parts, cost)
	}
	if added, removed := c.ChangedLines(); added+removed > 0 {
		parts = append(parts, th.DiffAdd.Paint(fmt.Sprintf("+%d", added))+" "+th.DiffDel.Paint(fmt.Sprintf("−%d", removed)))
	}
	if t.Against > 0 {
		parts = append(parts, th.Bad.Paint(fmt.Sprintf("%d ran though rejected", t.Against)))
	}
	if t.Unasked > 0 {
		parts = append(parts, th.Warn.Paint(fmt.Sprintf("%d unasked", t.Unasked)))
	}
	if c.m.mouseOff {
		parts = append(parts, th.Dim.Paint("mouse off"))
	}
	if c.m.opts.Branch != "" {
		parts = append(parts, "⎇ "+c.m.opts.Branch)
	}
	return parts
}

func (c *chat) statusRight() string {
	th := c.m.Theme
	hint := func(key, what string) string { return th.Key.Paint(key) + " " + th.Dim.Paint(what) }
	stop, interrupt := c.m.label(intent.Stop), c.m.label(intent.Interrupt)
	switch {
	case c.m.Now().Sub(c.m.quitArmed).Seconds() < 2:
		return th.Warn.Paint(interrupt + " again to quit")
	case c.retrying():
		return hint("enter", "now")
	case c.Thread.State == thread.Ended && !c.ReadOnly:
		return hint(interrupt, "quit")
	case c.Agent.LoggingIn() != "":
		return hint(stop, "give up")
	case c.Thread.State == thread.Cancelling && c.Killable():
		return hint(stop, "end the agent, it does not answer")
	case c.question.Open():
		return hint(interrupt, "stop")
	case c.elicits.InSight() != nil && c.elicits.InSight().Asks():
		return hint(stop, "cancel")
	case c.focused:
		return hint(stop, "back")
	case c.Busy():
		return hint(stop, "stop")
	case c.shellRun() != nil:
		return hint(stop, "stop the command")
	}
	return hint(cmp.Or(c.m.Keys.Label(intent.Empty, intent.ToggleHelp), c.m.label(intent.ToggleHelp)), "help")
}

// mode names the session's mode: the option of that category, or else the mode.
func (c *chat) mode() string {
	if o, ok := c.Thread.Option("mode"); ok {
		return nameOf(o.Current, o.Choices)
	}
	if !c.modesCount() {
		return ""
	}
	return nameOf(c.Thread.Mode, c.Thread.Modes)
}

func nameOf(id string, choices []event.Choice) string {
	for _, ch := range choices {
		if ch.ID == id && ch.Name != "" {
			return ch.Name
		}
	}
	return safetext.Line(id, 30) // an id is the agent's own and not safe as it is
}

func percent(used, size uint64) int { return int(min(999, float64(used)/float64(size)*100)) }

func tokens(n uint64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func money(u event.UsageChanged) string {
	switch u.Currency {
	case "":
		return ""
	case "USD":
		return fmt.Sprintf("$%.2f", u.Cost)
	case "EUR":
		return fmt.Sprintf("€%.2f", u.Cost)
	}
	return fmt.Sprintf("%.2f %s", u.Cost, u.Currency)
}
