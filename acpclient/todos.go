package acpclient

import (
	"cmp"
	"encoding/json"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// Bounds of a todo list, in bytes and steps.
const (
	maxTodos     = 256 << 10
	maxTodoSteps = 500
)

// todo is a step of a todo list, as opencode, claude (content), codex (step) and gemini (description) write it.
type todo struct{ Content, Step, Description, Status, Priority string }

// todosOf returns the steps of the todo list that a change of a tool call carries, in its input or in the text
// of its content; nil if there is none. An agent with a tool for its todo list need not send plans.
func todosOf(t wire.ToolCall) []event.PlanEntry {
	if t.Status != nil && *t.Status == "failed" {
		return nil
	}
	var in struct{ Todos, Plan []todo }
	if raw := string(t.RawInput); isTodos(raw) && json.Unmarshal(t.RawInput, &in) == nil {
		if steps := stepsOf(in.Todos); steps != nil {
			return steps
		}
		return stepsOf(in.Plan)
	}
	if t.Content == nil {
		return nil
	}
	for _, c := range *t.Content {
		text := strings.TrimSpace(c.Block.Text)
		var list []todo
		if c.Type == "content" && strings.HasPrefix(text, "[") && isTodos(text) && json.Unmarshal([]byte(text), &list) == nil {
			return stepsOf(list)
		}
	}
	return nil
}

// isTodos reports whether JSON may be a todo list.
func isTodos(raw string) bool { return len(raw) <= maxTodos && strings.Contains(raw, `"status"`) }

// stepsOf returns the steps of a list, nil unless each has a text and the status of a step.
func stepsOf(list []todo) (steps []event.PlanEntry) {
	if len(list) > maxTodoSteps {
		return nil
	}
	for _, d := range list {
		text := safetext.Line(cmp.Or(d.Content, d.Step, d.Description), maxPhrase)
		switch d.Status {
		case "pending", "in_progress", "completed", "cancelled":
		default:
			return nil
		}
		if text == "" {
			return nil
		}
		steps = append(steps, event.PlanEntry{Content: text, Priority: safetext.Line(d.Priority, 40), Status: d.Status})
	}
	return steps
}
