package chat

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/ui/theme"
	"parley/ui/widget"
)

// How much of a tool call's content is shown before it is cut, in rows.
const (
	liveTail = 5  // of output that still runs
	doneHead = 3  // of output that is complete
	doneTail = 7  //
	diffRows = 20 // of a diff
	maxInput = 4  // of raw input
	// leastHidden is how many rows are hidden, if any: fewer take hardly more room than
	// the row that says so.
	leastHidden = 4
	hugeDiff    = 1 << 20
	maxShown    = 2000 // rows of anything, even with everything shown
	// maxScreens bounds the emulators that are kept: more than fit a screen.
	maxScreens = 100
	bodyInset  = "     "
)

var verbs = map[string]string{"read": "Read", "edit": "Edit", "delete": "Delete", "move": "Move", "search": "Search",
	"execute": "Run", "think": "Think", "fetch": "Fetch", "switch_mode": "Mode"}

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// tool renders a tool call: a line that always says what it is, and of its
// content what the density allows.
func (v *View) tool(it *thread.Item) ([]string, bool) {
	t := it.Tool
	v.drawing = it.Index
	live := v.ticks(it)
	rows := []string{v.toolHead(it, live)}
	failed := t.Status == "failed"
	full := failed || v.open(it.Index)
	if v.closed(it.Index) || v.quiet(it.Index) && !failed || live && t.Asked && !v.opened(it.Index) {
		return rows, live
	}
	shown, left := false, 0
	for _, c := range t.Content {
		var body []string
		more := 0
		switch {
		case c.Diff != nil:
			body = v.diff(c.Diff, full)
		case c.Changes != nil:
			body = v.changes(t, c.Changes, full)
		case c.Terminal != "":
			body = v.terminal(it, c.Terminal, full)
		case c.Content != nil:
			body, more = v.toolText(t, c.Content, live, full)
		}
		shown = shown || len(body) > 0
		rows, left = append(rows, body...), left+more
	}
	if !shown {
		var body []string
		body, left = v.rawBody(t, live, full)
		rows = append(rows, body...)
	}
	left += max(0, len(rows)-maxShown)
	if rows = rows[:min(len(rows), maxShown)]; left > 0 {
		rows = append(rows, bodyInset+v.th.Dim.Paint(fmt.Sprintf("… %d more rows", left)))
	}
	return rows, live
}

// ticks tells whether the line of a call has a clock or a spinner.
func (v *View) ticks(it *thread.Item) bool {
	return it.Tool.Live() && !it.Tool.StillRunning && v.busy() && it.Turn == v.thread.Turn
}

// toolHead is the one line: sign, verb, subject, counts, time.
func (v *View) toolHead(it *thread.Item, live bool) string {
	t := it.Tool
	ink, sign, word := v.sign(t, live)
	verb := verbs[t.Kind]
	subject := v.subject(t)
	if verb == "" {
		verb = "Tool"
		if t.Name != "" && t.Name != subject {
			verb = widget.Truncate(t.Name, 20, "…")
		}
	}
	counts, trust := "", ""
	if added, removed, ok := v.counts(t); ok {
		counts = v.th.DiffAdd.Paint(fmt.Sprintf("+%d", added)) + " " + v.th.DiffDel.Paint(fmt.Sprintf("−%d", removed))
	}
	exit := v.exitBadge(it)
	if exit != "" && t.State() == thread.ToolDone { // the agent is done with it, but it has failed
		ink, sign = v.th.Bad, "✗"
	}
	if t.Trust >= thread.Unasked {
		badge := v.th.Warn
		if t.Trust.Against() {
			badge = v.th.Bad
		}
		if t.Status != "failed" {
			ink, sign = badge, "⚠"
		}
		trust = badge.Paint(t.Trust.String())
	}
	left := indent + ink.Paint(sign) + " " + v.th.Strong.Paint(fmt.Sprintf("%-6s", verb)) + " "
	parts := []string{exit, counts, word, trust, v.th.Dim.Paint(v.took(t, live))}
	right := ""
	room := 0
	for _, dropped := range []int{-1, 4, 1, 0, 3, 2} { // where it is narrow, how the call stands goes last
		if dropped >= 0 {
			parts[dropped] = ""
		}
		right = ""
		for _, p := range parts {
			right = join(right, p)
		}
		if room = v.width - widget.Width(left) - widget.Width(right) - 2; room >= 10 {
			break
		}
	}
	if room < 10 {
		room = max(1, v.width-widget.Width(left))
	}
	return widget.Truncate(left+widget.Truncate(oneLine(subject), room, "…")+pad(right), v.width, "…")
}

func pad(right string) string {
	if right == "" {
		return ""
	}
	return "  " + right
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "  " + b
}

// sign is how a call stands, as a sign with a colour and, where the sign could
// be missed, a word.
func (v *View) sign(t *thread.Tool, live bool) (ink theme.Ink, sign, word string) {
	word = t.StateWord()
	switch t.State() {
	case thread.ToolDone:
		return v.th.Good, "✓", ""
	case thread.ToolFailed:
		return v.th.Bad, "✗", v.th.Bad.Paint(word)
	case thread.ToolRejected, thread.ToolStopped, thread.ToolCancelled:
		return v.th.Warn, "⊘", v.th.Warn.Paint(word)
	case thread.ToolStillRunning:
		return v.th.Warn, "⚠", v.th.Warn.Paint(word)
	case thread.ToolUnfinished:
		return v.th.Dim, "·", v.th.Dim.Paint(word)
	case thread.ToolPending:
		return v.th.Dim, "○", ""
	}
	if !live { // between turns: nothing moves
		return v.th.Accent, spinner[0], v.th.Dim.Paint(word)
	}
	if t.Status == "in_progress" && !t.Stopped {
		word = ""
	}
	return v.th.Accent, spinner[v.spin%len(spinner)], v.th.Dim.Paint(word)
}

func (v *View) took(t *thread.Tool, live bool) string {
	if !live && t.Ended.IsZero() {
		return ""
	}
	if d := t.Took(v.now); d >= time.Second {
		return seconds(d)
	}
	return ""
}

// subject says what the call is about: its command, its files, or its title.
func (v *View) subject(t *thread.Tool) string {
	if t.Kind == "execute" {
		if c := v.commandOf(t); c != "" {
			return c
		}
		return t.Title
	}
	if paths := v.paths(t); paths != "" && (t.Kind == "read" || t.Kind == "edit" || t.Kind == "delete" || t.Kind == "move") {
		return paths
	}
	if t.Title != "" {
		return t.Title
	}
	return t.Name
}

// paths lists the files of a call, each once.
func (v *View) paths(t *thread.Tool) string { return strings.Join(Paths(t, v.cwd, "%s:%d"), "  ") }

// Paths are the files of a call, each once and relative to dir, at most 20. The
// format is for one with a line.
func Paths(t *thread.Tool, dir, format string) []string {
	var out []string
	seen := map[string]bool{}
	for _, l := range t.Places() {
		path := Short(l.Path, dir)
		if seen[path] || len(out) == 20 {
			continue
		}
		seen[path] = true
		if l.Line > 0 {
			path = fmt.Sprintf(format, path, l.Line)
		}
		out = append(out, path)
	}
	return out
}

// Short makes a path relative where it lies below dir.
func Short(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && dir != "" && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return path
}

// maxCommands bounds the commands that are remembered, and longInput is how long,
// in bytes, the input is in which one is looked for once only.
const (
	maxCommands = 100
	longInput   = 1024
)

// command is what was found in a call's raw input.
type command struct{ input, line string }

// commandOf is Command of a call; a long input is read once.
func (v *View) commandOf(t *thread.Tool) string {
	if len(t.RawInput) < longInput {
		return Command(t.RawInput)
	}
	if c, ok := v.commands[t]; ok && c.input == t.RawInput {
		return c.line
	}
	if v.commands == nil || len(v.commands) >= maxCommands {
		v.commands = map[*thread.Tool]command{}
	}
	c := command{input: t.RawInput}
	if len(t.RawInput) > maxRead {
		c.line, _, _ = beginning(t.RawInput, []string{"command", "cmd"})
	} else {
		c.line = Command(t.RawInput)
	}
	v.commands[t] = c
	return c.line
}

// Command finds the command line in a tool call's raw input, "" where there is
// none. The result is safe to show.
func Command(rawInput string) string {
	var in struct {
		Command any `json:"command"`
		Cmd     any `json:"cmd"`
	}
	if json.Unmarshal([]byte(rawInput), &in) != nil {
		return ""
	}
	for _, c := range []any{in.Command, in.Cmd} {
		switch c := c.(type) {
		case string:
			return safetext.Clean(c)
		case []any:
			return safetext.Clean(words(c))
		}
	}
	return ""
}

func oneLine(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" {
		first += " …"
	}
	return first
}

// exitBadge says how the command of a call ended, unless it ended well.
func (v *View) exitBadge(it *thread.Item) string {
	for _, c := range it.Tool.Content {
		if c.Terminal == "" {
			continue
		}
		term := v.thread.TerminalOf(it, c.Terminal)
		switch {
		case term == nil || !term.Exited:
		case term.Signal != "":
			return v.th.Bad.Paint(term.Signal)
		case term.Code != nil && (*term.Code != 0 || it.Tool.State() == thread.ToolStopped):
			return v.th.Bad.Paint(fmt.Sprintf("exit %d", *term.Code))
		}
	}
	return ""
}
