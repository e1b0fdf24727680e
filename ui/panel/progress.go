package panel

import (
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/ui/theme"
)

var planSigns = map[string]string{"completed": "✓", "in_progress": "▸", "pending": "○"}

// PlanRows lists the plans with their steps. markdown draws a plan that is a text.
func PlanRows(plans []thread.Plan, markdown func(text string, width int, th *theme.Theme) []string, width int, th *theme.Theme) []string {
	if len(plans) == 0 {
		return []string{th.Dim.Paint("No plan yet")}
	}
	var rows []string
	for i, plan := range plans {
		if len(plans) > 1 {
			if i > 0 {
				rows = append(rows, "")
			}
			rows = append(rows, th.Strong.Paint(text.Truncate(fmt.Sprintf("Plan %d of %d", i+1, len(plans)), width, "…"))+" "+th.Dim.Paint(safetext.Line(plan.ID, 40)))
		}
		if plan.Markdown != "" {
			rows = append(rows, markdown(plan.Markdown, width, th)...)
		}
		for _, step := range plan.Entries {
			rows = append(rows, stepRows(step, width, th)...)
		}
	}
	return rows
}

// stepRows draws one step of a plan.
func stepRows(p event.PlanEntry, width int, th *theme.Theme) []string {
	sign := planSigns[p.Status]
	if sign == "" {
		sign = "·"
	}
	var rows []string
	for i, r := range text.Wrap(describe.StripMarkdown(p.Content), max(1, width-2)) {
		if i > 0 {
			sign = " "
		}
		if p.Status == "completed" {
			r = th.Dim.Paint(r)
		}
		rows = append(rows, sign+" "+r)
	}
	return rows
}

// LogRows draws the kept lines of an agent's log. total counts the dropped ones, too.
func LogRows(lines []event.LogLine, total, width int, th *theme.Theme) []string {
	if total == 0 {
		return []string{th.Dim.Paint("Nothing yet")}
	}
	var rows []string
	if total > len(lines) {
		rows = append(rows, th.Dim.Paint(fmt.Sprintf("… %d older lines", total-len(lines))))
	}
	for _, l := range lines {
		before := th.Dim.Paint(l.At.Format("15:04:05 ")) + th.Faint.Paint(fmt.Sprintf("%-8s ", l.Source))
		ink := th.Text
		if l.Source == event.LogProtocol {
			ink = th.Warn
		}
		for i, r := range text.Wrap(l.Text, max(1, width-18)) {
			if i > 0 {
				before = strings.Repeat(" ", 18)
			}
			rows = append(rows, before+ink.Paint(r))
		}
	}
	return rows
}
