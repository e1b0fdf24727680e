package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/ui/theme"
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
	if len(rows) < doneHead+doneTail+leastHidden {
		return v.body(rows, 0)
	}
	out := v.body(rows[:doneHead], 0)
	out = append(out, bodyInset+v.th.Dim.Paint(fmt.Sprintf("… %d lines", len(rows)-doneHead-doneTail)))
	return append(out, v.body(rows[len(rows)-doneTail:], 0)...)
}

// toolText shows text content, and says how many rows there are besides. What was
// read or found is only counted, unless everything is to be shown.
func (v *View) toolText(t *thread.Tool, c *event.Content, live, full bool) (rows []string, left int) {
	if c.Kind != event.TextContent && c.Text == "" {
		return []string{bodyInset + v.th.Dim.Paint(widget.Truncate(attachment(c), v.width-len(bodyInset), "…"))}, 0
	}
	return v.plain(t, unfenced(c.Text), live, full)
}

// plain shows text as it is, by the same rules as output. Of a long one only what
// is shown is laid out.
func (v *View) plain(t *thread.Tool, text string, live, full bool) (rows []string, left int) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return nil, 0
	}
	if !full && !live && (t.Kind == "read" || t.Kind == "search" || t.Kind == "fetch") {
		lines, word := strings.Count(text, "\n")+1, "lines"
		if lines == 1 {
			word = "line"
		}
		return []string{bodyInset + v.th.Dim.Paint(fmt.Sprintf("▸ %d %s", lines, word))}, 0
	}
	width := max(1, v.width-len(bodyInset))
	switch {
	case full:
		return v.head(text, width, maxShown, v.th.Dim)
	case live:
		return v.dim(lastRows(text, width, liveTail)), 0
	}
	const whole = doneHead + doneTail + leastHidden - 1
	rows, rest := firstRows(text, width, whole+1)
	if rest == "" && len(rows) <= whole {
		return v.dim(rows), 0
	}
	out := v.dim(rows[:min(doneHead, len(rows))])
	out = append(out, bodyInset+v.th.Dim.Paint(fmt.Sprintf("… %d lines", max(1, countRows(text, width)-doneHead-doneTail))))
	return append(out, v.dim(lastRows(text, width, doneTail))...), 0
}

// head are the first rows of a text as they stand in a body, and how many there
// are besides.
func (v *View) head(text string, width, most int, ink theme.Ink) (rows []string, left int) {
	rows, rest := firstRows(text, width, most)
	if rest != "" {
		left = countRows(rest, width)
	}
	left += max(0, len(rows)-most)
	return v.inked(rows[:min(len(rows), most)], ink), left
}

func (v *View) dim(rows []string) []string { return v.inked(rows, v.th.Dim) }

// inked are rows of a body in one ink.
func (v *View) inked(rows []string, ink theme.Ink) []string {
	out := make([]string, 0, len(rows)+1)
	for _, r := range rows {
		out = append(out, bodyInset+ink.Paint(r))
	}
	return out
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
func (v *View) rawBody(t *thread.Tool, live, full bool) (rows []string, left int) {
	if t.RawInput != "" && t.RawInput != "{}" && !(t.Kind == "execute" && v.commandOf(t) != "") && (full || !v.saidInLine(t)) {
		limit := maxInput
		if full {
			limit = maxShown
		}
		var more int
		width := max(1, v.width-len(bodyInset))
		if rows, more = v.head(t.RawInput, width, limit, v.th.Faint); more < leastHidden {
			rows, more = v.head(t.RawInput, width, limit+leastHidden-1, v.th.Faint)
		}
		if more > 0 {
			rows = append(rows, bodyInset+v.th.Dim.Paint(fmt.Sprintf("▸ %d more", more)))
		}
	}
	out, left := v.plain(t, shownRaw(t.RawOutput), live, full)
	return append(rows, out...), left
}

// saidInLine tells whether the line of a call says all that its input does: every text of
// it stands there, paths as they are shown.
func (v *View) saidInLine(t *thread.Tool) bool {
	var members map[string]any
	if len(t.RawInput) > longInput || json.Unmarshal([]byte(t.RawInput), &members) != nil {
		return false
	}
	line := v.subject(t)
	for _, m := range members {
		switch m := m.(type) {
		case string:
			if m = safetext.Clean(m); !strings.Contains(line, m) && !strings.Contains(line, Short(m, v.cwd)) {
				return false
			}
		case nil, bool, float64:
		default:
			return false
		}
	}
	return true
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
		for _, key := range outputKeys {
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
