package start

import (
	"strings"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
)

// Wait is the page of an agent that is being started or connected to, or failed to start.
type Wait struct {
	Env   *layer.Env
	Agent *workspace.Agent
	Alone bool   // nothing else is open
	Leave string // what esc does after a failed start
	Login bool   // the login methods are below it
	Toast string // or ""
	// Failure draws an error.
	Failure func(err error, width int, th *theme.Theme) []string
}

// Rows draws the progress of the start, in at most height rows if possible.
func (w Wait) Rows(width, height int) []string {
	rows := []string{" " + w.Env.Theme.Title.Paint("parley"), ""}
	switch {
	case w.Agent.Login.Running() != "":
		rows = append(rows, w.loggingIn(width, height-len(rows))...)
	case w.Login:
		return append(append(append(rows, w.failure(width)...), w.toast(width)...), "")
	case w.Agent.Err() != nil:
		rows = append(append(rows, w.failure(width)...), w.advice(width)...)
	default:
		rows = append(rows, w.starting(width)...)
	}
	return append(rows, w.toast(width)...)
}

func (w Wait) failure(width int) []string { return w.Failure(w.Agent.Err(), width-1, w.Env.Theme) }

func (w Wait) toast(width int) []string {
	if w.Toast == "" {
		return nil
	}
	return text.WrapInk(w.Env.Theme.Accent.Paint, w.Toast, "  ", width)
}

// loggingIn draws a login that the agent performs.
func (w Wait) loggingIn(width, height int) []string {
	th, a := w.Env.Theme, Address{Env: w.Env, Agent: w.Agent}
	rows := text.WrapInk(nil, "Logging in: "+th.Strong.Paint(w.Agent.Login.Running()), "  ", width)
	rows = append(rows, text.WrapInk(th.Dim.Paint, "The agent may have opened a browser", "  ", width)...)
	keys := text.WrapInk(nil, a.keys(), "  ", width)
	rows = append(append(rows, ""), a.lines(width, height-len(rows)-2-len(keys))...)
	return append(append(rows, ""), keys...)
}

// starting draws what the agent has written so far.
func (w Wait) starting(width int) []string {
	th, spec := w.Env.Theme, w.Agent.Spec
	line := func(s string) string { return text.Truncate("  "+s, width, "…") }
	since, _ := w.Agent.Dialing()
	doing := "Starting "
	if spec.Remote {
		doing = "Connecting to "
	}
	rows := []string{line(doing + th.Strong.Paint(spec.DisplayName()) + "  " + th.Dim.Paint(text.Seconds(w.Env.Now().Sub(since)))), line(th.Dim.Paint(spec.Command)), ""}
	lines, _ := w.Agent.Log.Lines()
	for _, l := range lines[max(0, len(lines)-8):] {
		rows = append(rows, line(th.Faint.Paint(l.Text)))
	}
	if strings.HasPrefix(spec.Where, "through npx") {
		rows = append(rows, line(th.Dim.Paint("npx downloads the package first; this can take a minute")))
	}
	return append(rows, "", "  "+w.hint(w.Env.Keys.ChatKey(intent.Stop), "cancel"))
}

// advice says what to do after a failed start.
func (w Wait) advice(width int) []string {
	var rows []string
	for _, s := range w.Agent.Spec.Advice(w.Agent.Err()) {
		rows = append(append(rows, ""), text.WrapInk(nil, s, "  ", width-2)...)
	}
	send := "try again   "
	if w.Agent.NoSession() {
		send = "start a new one   "
	}
	keys := w.hint(w.Env.Keys.ChatKey(intent.Send), send) + w.hint(w.Env.Keys.ChatKey(intent.Stop), w.Leave+"   ")
	if w.Agent.FallbackLog() != nil {
		keys = w.hint("ctrl+r", "read its log   ") + keys
	}
	if w.Alone {
		keys += w.hint(w.Env.Keys.ChatKey(intent.Interrupt), "quit")
	}
	return append(append(rows, ""), text.WrapInk(nil, keys, "  ", width-2)...)
}

func (w Wait) hint(key, does string) string {
	return w.Env.Theme.Key.Paint(key) + w.Env.Theme.Dim.Paint(" "+does)
}
