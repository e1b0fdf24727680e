package page

import (
	"fmt"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
)

// pendingRows returns the rows between the transcript and the composer: the plan, the queue,
// and the commands to be sent with the next prompt. words makes a prompt readable. plan is false
// where the plan is shown elsewhere.
func pendingRows(s *workspace.Session, words func(string) string, plan bool, width, height int, env *layer.Env) (rows []string) {
	th := env.Theme
	if plan && s.Busy() && height >= 10 { // after the turn the plan is in its own panel
		if line := planLine(s.Thread, width, th); line != "" {
			rows = append(rows, line)
		}
	}
	rows = append(rows, queueRows(s, words, width, max(0, min(3, height-12)), env)...)
	if len(s.Prompts.Carried) > 0 {
		drop := th.Dim.Paint(symbolHint(env.Keys, intent.Empty, intent.DropQueued, "drop"))
		rows = append(rows, text.Truncate(" "+th.Dim.Paint("Attached: "+carried.Line(s.Prompts.Carried...)), max(10, width-text.Width(drop)-1), "…")+drop)
	}
	return rows
}

// symbolHint returns a key as a symbol and what it does, with a space before it; "" without a key.
func symbolHint(keys *intent.Keymap, in intent.Context, i intent.Intent, does string) string {
	key := keys.Label(in, i)
	if key == "" {
		return ""
	}
	return "  " + intent.Symbol(key) + " " + does
}

// welcome returns the rows shown in place of an empty transcript.
func welcome(a *workspace.Agent, dir string, width int, th *theme.Theme) []string {
	info := a.Info()
	if info == nil {
		return nil
	}
	rows := []string{"", th.Strong.Paint(a.Name()) + " " + th.Dim.Paint(info.Version),
		th.Dim.Paint(a.Spec.Command), th.Dim.Paint("in " + dir)}
	if len(a.Spec.Tour) > 0 {
		rows = append(rows, "", th.Dim.Paint("Type these one after another:"))
	}
	for _, step := range a.Spec.Tour {
		rows = append(rows, fmt.Sprintf("  %s  %s", th.Key.Paint(fmt.Sprintf("%-8s", step[0])), th.Dim.Paint(step[1])))
	}
	for i := range rows {
		rows[i] = text.Truncate("  "+rows[i], width, "…")
	}
	return rows
}

// planLine returns the plan in one line; of several plans, the one that changed last. It is "" once every step is done.
func planLine(t *thread.Thread, width int, th *theme.Theme) string {
	if heading := t.Heading(); heading != "" {
		return text.Truncate(" "+th.Strong.Paint("Plan")+" ▸ "+describe.StripMarkdown(heading), width, "…")
	}
	plan := t.Plan
	if len(plan) == 0 {
		return ""
	}
	count, current := describe.Progress(plan)
	if current == "" {
		return ""
	}
	line := " " + th.Strong.Paint("Plan "+count)
	if n := len(t.Plans); n > 1 {
		line += th.Dim.Paint(fmt.Sprintf(" of %d plans", n))
	}
	return text.Truncate(line+" ▸ "+current, width, "…")
}

// queueRows returns the queued prompts, newest last: those that the agent holds, those in
// parley's queue, and those that may not have arrived.
func queueRows(s *workspace.Session, words func(string) string, width, most int, env *layer.Env) []string {
	th := env.Theme
	does := func(in intent.Context, i intent.Intent, what string) string { return symbolHint(env.Keys, in, i, what) }
	type waiting struct{ label, text string }
	var all []waiting
	for _, h := range s.Thread.Held {
		all = append(all, waiting{"held by the agent  ", h.Text})
	}
	if text, reading := s.Prompts.Reading(); reading {
		all = append(all, waiting{"reading files  ", text})
	}
	for _, p := range s.Prompts.Steering {
		all = append(all, waiting{"going into the turn  ", p.Text})
	}
	for i, text := range s.Prompts.Queue.Texts() {
		all = append(all, waiting{fmt.Sprintf("queued %d  ", i+1), text})
	}
	for _, p := range s.Prompts.Unconfirmed {
		_, own := carried.Split(p.Draft)
		all = append(all, waiting{p.Reason() + "  ", own})
	}
	var rows []string
	for i := max(0, len(all)-most); i < len(all); i++ {
		right := ""
		if i == len(all)-1 {
			right = does(intent.Empty, intent.EditQueued, "edit")
			if len(s.Prompts.Carried) == 0 { // the key drops these first
				right += does(intent.Empty, intent.DropQueued, "drop")
			}
			switch {
			case s.Prompts.Queue.Len() == 0 || len(s.Prompts.Unconfirmed) > 0 || !s.IsOpen():
			case s.Thread.State == thread.Idle:
				right = does(intent.Chat, intent.Send, "send") + right
			case s.Prompts.Queue.Paused():
				right = does(intent.Chat, intent.Send, "send after this turn") + right
			case s.Busy():
				right = does(intent.Chat, intent.Steer, "send now") + right
			}
			right = th.Dim.Paint(right)
		}
		line := " " + th.Dim.Paint(all[i].label) + "\"" + strings.Join(strings.Fields(words(all[i].text)), " ") + "\""
		line = text.Truncate(line, max(10, width-text.Width(right)-1), "…") + right
		rows = append(rows, text.Truncate(line, width, "…"))
	}
	return rows
}
