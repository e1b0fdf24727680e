package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/ui/widget"
)

func (v *View) body(rows []string, more int) []string {
	out := make([]string, 0, len(rows)+1)
	for _, r := range rows {
		out = append(out, bodyInset+r)
	}
	if more > 0 {
		out = append(out, bodyInset+v.th.Dim.Paint(fmt.Sprintf("▸ %d more", more)))
	}
	return out
}

// terminal shows a command's output: its tail while it runs, head and tail
// afterwards.
func (v *View) terminal(it *thread.Item, id string, full bool) []string {
	term := v.thread.TerminalOf(it, id)
	if term == nil {
		return nil
	}
	screen := v.screen(term)
	width := max(1, v.width-len(bodyInset))
	switch {
	case full:
		return v.body(screen.Rows(width, maxShown), 0)
	case !term.Exited:
		return v.body(screen.Rows(width, liveTail), 0)
	}
	return v.cut(screen.Rows(width, 0))
}

// screen feeds the emulator of a terminal with what is new.
func (v *View) screen(term *thread.Terminal) *widget.Terminal {
	if v.terminals == nil || len(v.terminals) > maxScreens {
		// A screen that is dropped is fed again from what the thread retains.
		v.terminals = map[*thread.Terminal]*terminal{}
	}
	t := v.terminals[term]
	if t == nil {
		t = &terminal{screen: widget.NewTerminal(max(20, v.width-len(bodyInset)))}
		v.terminals[term] = t
	}
	if fresh := term.Total - t.fed; fresh > 0 {
		from := max(0, len(term.Output)-int(min(fresh, int64(len(term.Output)))))
		t.screen.Write(term.Output[from:])
		t.fed = term.Total
	}
	return t.screen
}

// cut keeps the first and the last rows and says how many are missing.
func (v *View) cut(rows []string) []string {
	if len(rows) <= doneHead+doneTail+1 {
		return v.body(rows, 0)
	}
	out := v.body(rows[:doneHead], 0)
	out = append(out, bodyInset+v.th.Dim.Paint(fmt.Sprintf("… %d lines", len(rows)-doneHead-doneTail)))
	return append(out, v.body(rows[len(rows)-doneTail:], 0)...)
}

// toolText shows text content. What was read or found is only counted, unless
// everything is to be shown.
func (v *View) toolText(t *thread.Tool, c *acpclient.Content, live, full bool) []string {
	if c.Kind != acpclient.TextContent && c.Text == "" {
		return []string{bodyInset + v.th.Dim.Paint(widget.Truncate(attachment(c), v.width-len(bodyInset), "…"))}
	}
	return v.plain(t, unfenced(c.Text), live, full)
}

// plain shows text as it is, by the same rules as output.
func (v *View) plain(t *thread.Tool, text string, live, full bool) []string {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Count(text, "\n") + 1
	if !full && !live && (t.Kind == "read" || t.Kind == "search" || t.Kind == "fetch") {
		word := "lines"
		if lines == 1 {
			word = "line"
		}
		return []string{bodyInset + v.th.Dim.Paint(fmt.Sprintf("▸ %d %s", lines, word))}
	}
	if len(text) > hugeDiff {
		text = text[:hugeDiff]
	}
	rows := widget.Wrap(text, max(1, v.width-len(bodyInset)))
	for i := range rows {
		rows[i] = v.th.Dim.Paint(rows[i])
	}
	switch {
	case full:
		return v.body(rows, 0)
	case live && len(rows) > liveTail:
		return v.body(rows[len(rows)-liveTail:], 0)
	}
	return v.cut(rows)
}

// unfenced takes a code fence off that holds all of the text.
func unfenced(s string) string {
	t := strings.TrimSpace(s)
	if !strings.HasPrefix(t, "```") || !strings.HasSuffix(t, "```") {
		return s
	}
	_, body, ok := strings.Cut(t, "\n")
	if !ok || strings.Contains(strings.TrimSuffix(body, "```"), "\n```") {
		return s
	}
	return strings.TrimSuffix(body, "```")
}

// rawBody stands in where a call has no content: its input, and its output.
func (v *View) rawBody(t *thread.Tool, live, full bool) []string {
	var rows []string
	if t.RawInput != "" && t.RawInput != "{}" && !(t.Kind == "execute" && Command(t.RawInput) != "") {
		limit := maxInput
		if full {
			limit = maxShown
		}
		in := widget.Wrap(t.RawInput, max(1, v.width-len(bodyInset)))
		more := max(0, len(in)-limit)
		for _, r := range in[:len(in)-more] {
			rows = append(rows, bodyInset+v.th.Faint.Paint(r))
		}
		if more > 0 {
			rows = append(rows, bodyInset+v.th.Dim.Paint(fmt.Sprintf("▸ %d more", more)))
		}
	}
	return append(rows, v.plain(t, rawText(t.RawOutput), live, full)...)
}

// rawText is what there is to read in raw output: a string as it is, the usual
// members of an object, or else the JSON.
func rawText(raw string) string {
	var s string
	if json.Unmarshal([]byte(raw), &s) == nil {
		return safetext.Clean(s)
	}
	var o map[string]any
	if json.Unmarshal([]byte(raw), &o) == nil {
		for _, key := range []string{"output", "formatted_output", "stdout", "content", "text", "message", "error"} {
			if s, ok := o[key].(string); ok && s != "" {
				return safetext.Clean(s)
			}
		}
	}
	if raw == "{}" || raw == "null" {
		return ""
	}
	return raw
}
