package status

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/layer"
)

// Head names a session that is compared with others, and says how far it is.
type Head struct {
	*workspace.Session
	Env   *layer.Env
	Front bool // it has the keys
	Waits bool // for the user
}

// How much of a long name has to be seen beside all of the state, and beside its first part.
const (
	enough = 16
	least  = 6
)

// Row draws the head, with as many parts of the state as there is room for.
func (h Head) Row(width int) string {
	th := h.Env.Theme
	name, state, room := h.Name(), "", max(1, width-2)
	for parts, seen := h.parts(), enough; len(parts) > 0 && state == ""; parts = parts[:len(parts)-1] {
		if len(parts) == 1 {
			seen = least
		}
		if all := "  " + strings.Join(parts, " · "); min(text.Width(name), seen)+text.Width(all) <= room {
			state = all
		}
	}
	tail := "…"
	if room == 1 {
		tail = ""
	}
	name = text.Truncate(name, room-text.Width(state), tail)
	row := " " + name + strings.Repeat(" ", max(0, room-text.Width(name)-text.Width(state))) + state + " "
	row = text.Truncate(row, width, "")
	switch {
	case h.Front:
		return th.Selected.Paint(row)
	case h.Waits:
		return th.Warn.Paint(row)
	}
	return th.Dim.Paint(row)
}

// Name returns the agent's name with its model.
func (h Head) Name() string {
	name := h.Agent.Name()
	if o, ok := h.Setting("model"); ok {
		return name + " · " + o.Value()
	}
	if model := h.Agent.Spec.Model; model != "" {
		return name + " · " + safetext.Line(model, 60)
	}
	return name
}

// parts is all that is said about the session, the most important first.
func (h Head) parts() []string {
	parts := []string{h.State()}
	if h.Agent.Opening() && !h.Waits {
		return parts
	}
	if added, removed := h.Changes.Lines(); added+removed > 0 {
		parts = append(parts, fmt.Sprintf("+%d −%d", added, removed))
	}
	return append(parts, h.Usage()...)
}

// State says what the session is doing and for how long, or how it ended.
func (h Head) State() string {
	t := h.Thread
	switch {
	case h.Waits:
		return "waits"
	case h.Agent.Opening() && h.Agent.Err() != nil:
		return "not started"
	case h.Agent.Opening():
		return "starting"
	case h.Busy():
		return t.State.String() + " " + text.Seconds(h.Env.Now().Sub(t.TurnStarted))
	case t.State == thread.Idle:
		return h.outcome()
	}
	return t.State.String()
}

// Usage returns the context and the cost, as far as the agent has reported them.
func (h Head) Usage() (parts []string) {
	if used := h.Thread.Usage.Used; used > 0 {
		parts = append(parts, "ctx "+words.Tokens(used))
	}
	if cost := describe.Money(h.Thread.Usage); cost != "" {
		parts = append(parts, cost)
	}
	return parts
}

// outcome says how the last turn ended.
func (h Head) outcome() string {
	for _, it := range slices.Backward(h.Thread.Items) {
		if it.Kind != thread.TurnEnd {
			continue
		}
		word := "done"
		switch reason := it.End.StopReason; {
		case it.End.Err != nil:
			word = "failed"
		case reason == "cancelled":
			word = "stopped"
		case reason != "end_turn" && reason != "":
			word = safetext.Line(reason, 20)
		}
		return word + " " + text.Seconds(it.End.Duration)
	}
	return "idle"
}
