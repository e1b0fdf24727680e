package transcript

import (
	"encoding/json"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
)

// terminal draws a command's output: the tail while it runs, head and tail
// afterwards.
func (p *pen) terminal(term *thread.Terminal, full bool) []string {
	if term == nil {
		return nil
	}
	screen, width := p.cache.screen(term, p.columns), p.bodyWidth()
	switch {
	case full:
		return p.body(screen.Rows(width, maxShown), 0)
	case !term.Exited:
		return p.body(screen.Rows(width, liveTail), 0)
	}
	return p.cut(screen.Rows(width, 0))
}

// toolText draws text content. left is how many rows of it are not shown.
func (p *pen) toolText(c *event.Content, full bool) (rows []string, left int) {
	if c.Kind != event.TextContent && c.Text == "" {
		return []string{bodyInset + p.th.Dim.Paint(text.Truncate(attachment(c), p.width-len(bodyInset), "…"))}, 0
	}
	return p.plain(unfenced(c.Text), full)
}

// plain draws text as it is, by the same rules as output. Only the part that is
// shown is laid out.
func (p *pen) plain(text string, full bool) (rows []string, left int) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" || p.folds(text) {
		return nil, 0
	}
	width := p.bodyWidth()
	switch {
	case full:
		return p.head(text, maxShown, p.th.Dim)
	case p.live:
		return p.dim(lastRows(text, width, liveTail)), 0
	}
	const whole = doneHead + doneTail + leastHidden - 1
	rows, rest := firstRows(text, width, whole+1)
	if rest == "" && len(rows) <= whole {
		return p.dim(rows), 0
	}
	out := append(p.dim(rows[:min(doneHead, len(rows))]), p.leftOut(max(1, countRows(text, width)-doneHead-doneTail)))
	return append(out, p.dim(lastRows(text, width, doneTail))...), 0
}

// counted reports whether text of the call is only counted, in its line. That is
// so for what was read or found, until it is opened.
func (p *pen) counted() bool {
	switch t := p.it.Tool; t.Kind {
	case "read", "search", "fetch":
		return !p.live && !p.open() && t.State() != thread.ToolFailed
	}
	return false
}

// folds reports whether a text of the call is only counted, in its line: also JSON, and what tells the model
// that the user has rejected the call, until it is opened.
func (p *pen) folds(text string) bool {
	if p.counted() {
		return true
	}
	return p.foldsRejected() || !p.open() && p.it.Tool.State() == thread.ToolDone && isJSON(text)
}

// foldsRejected reports whether the call was rejected and what the agent says about that is only counted.
func (p *pen) foldsRejected() bool { return !p.open() && p.it.Tool.State() == thread.ToolRejected }

// isJSON reports whether a text is an object or a list in JSON.
func isJSON(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) <= maxRead && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text))
}

// hiddenLines returns how many lines of text are only counted.
func (p *pen) hiddenLines() (n int) {
	t := p.it.Tool
	raw := true // of the output: nothing else is shown
	count := func(text string) {
		if p.folds(text) {
			n += countLines(text)
		}
	}
	if t.Steps != nil {
		return 0
	}
	for _, c := range t.Content {
		if c.Terminal != "" && p.foldsRejected() {
			if term := p.thread.TerminalOf(p.it, c.Terminal); term != nil {
				n += p.cache.screen(term, p.columns).Len()
			}
		}
		if c.Content == nil || c.Content.Text == "" {
			raw = false
		} else {
			count(unfenced(c.Content.Text))
		}
	}
	if raw && n == 0 {
		count(shownRaw(t.RawOutput))
	}
	return n
}

// unfenced removes a code fence around all of the text.
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

// rawBody draws the raw input and output of a call that has no content.
func (p *pen) rawBody(full bool) (rows []string, left int) {
	t := p.it.Tool
	if p.hiddenLines() > 0 { // the output is in the line, and opens together with the input
		return nil, 0
	}
	if t.RawInput != "" && t.RawInput != "{}" && !(t.Kind == "execute" && p.cache.command(t) != "") && (full || !p.saidInLine()) {
		limit := maxInput
		if full {
			limit = maxShown
		}
		var more int
		if rows, more = p.head(t.RawInput, limit, p.th.Faint); more < leastHidden {
			rows, more = p.head(t.RawInput, limit+leastHidden-1, p.th.Faint)
		}
		if more > 0 {
			rows = append(rows, bodyInset+p.moreRows(more))
		}
	}
	out, left := p.plain(shownRaw(t.RawOutput), full)
	return append(rows, out...), left
}

// saidInLine reports whether the line of a call contains every text of its input,
// paths in the form in which they are shown.
func (p *pen) saidInLine() bool {
	t := p.it.Tool
	var members map[string]any
	if len(t.RawInput) > longInput || json.Unmarshal([]byte(t.RawInput), &members) != nil {
		return false
	}
	line := p.subject()
	for _, m := range members {
		switch m := m.(type) {
		case string:
			if m = safetext.Clean(m); !strings.Contains(line, m) && !strings.Contains(line, words.RelativePath(m, p.cwd)) {
				return false
			}
		case nil, bool, float64:
		default:
			return false
		}
	}
	return true
}

// rawText returns the readable part of raw output: a string as it is, one of the
// usual members of an object, or else the JSON.
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
