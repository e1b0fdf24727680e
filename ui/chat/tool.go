package chat

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/acpclient"
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
	hugeDiff = 1 << 20
	maxShown = 2000 // rows of anything, even with everything shown
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
	live := t.Live() && v.busy() && it.Turn == v.thread.Turn
	rows := []string{v.toolHead(it, live)}
	full := v.density == Everything || t.Status == "failed"
	if v.density == Quiet && t.Status != "failed" {
		return rows, live
	}
	shown := false
	for _, c := range t.Content {
		var body []string
		switch {
		case c.Diff != nil:
			body = v.diff(c.Diff, full)
		case c.Changes != nil:
			body = v.changes(c.Changes, full)
		case c.Terminal != "":
			body = v.terminal(it, c.Terminal, full)
		case c.Content != nil:
			body = v.toolText(t, c.Content, live, full)
		}
		shown = shown || len(body) > 0
		rows = append(rows, body...)
	}
	if !shown {
		rows = append(rows, v.rawBody(t, live, full)...)
	}
	if len(rows) > maxShown {
		rows = append(rows[:maxShown], bodyInset+v.th.Dim.Paint(fmt.Sprintf("… %d more rows", len(rows)-maxShown)))
	}
	return rows, live
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
	right := word
	if added, removed, ok := v.counts(t); ok {
		right = join(v.th.DiffAdd.Paint(fmt.Sprintf("+%d", added))+" "+v.th.DiffDel.Paint(fmt.Sprintf("−%d", removed)), right)
	}
	if badge := v.exitBadge(it); badge != "" {
		right = join(badge, right)
	}
	if took := v.took(t, live); took != "" {
		right = join(right, v.th.Dim.Paint(took))
	}
	left := indent + ink.Paint(sign) + " " + v.th.Strong.Paint(fmt.Sprintf("%-6s", verb)) + " "
	room := v.width - widget.Width(left) - widget.Width(right) - 2
	if room < 10 {
		room = max(1, v.width-widget.Width(left))
		right = ""
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
	switch {
	case t.Status == "completed":
		return v.th.Good, "✓", ""
	case t.Status == "failed":
		return v.th.Bad, "✗", v.th.Bad.Paint("failed")
	case t.Rejected && !t.Cancelled:
		return v.th.Warn, "⊘", v.th.Warn.Paint("rejected")
	case t.Cancelled:
		return v.th.Warn, "⊘", v.th.Warn.Paint("cancelled")
	case t.Unfinished || !live:
		return v.th.Dim, "·", v.th.Dim.Paint("unfinished")
	case t.Status == "pending":
		return v.th.Dim, "○", ""
	case t.Status == "in_progress":
		return v.th.Accent, spinner[v.spin%len(spinner)], ""
	}
	return v.th.Accent, spinner[v.spin%len(spinner)], v.th.Dim.Paint(t.Status)
}

func (v *View) took(t *thread.Tool, live bool) string {
	end := t.Ended
	if live {
		end = v.now
	}
	if d := end.Sub(t.Started); !end.IsZero() && d >= time.Second {
		return seconds(d)
	}
	return ""
}

// subject says what the call is about: its command, its files, or its title.
func (v *View) subject(t *thread.Tool) string {
	if t.Kind == "execute" {
		if c := Command(t.RawInput); c != "" {
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
func (v *View) paths(t *thread.Tool) string {
	var out []string
	seen := map[string]bool{}
	add := func(path string, line int) {
		path = Short(path, v.cwd)
		if seen[path] || len(out) == 20 {
			return
		}
		seen[path] = true
		if line > 0 {
			path = fmt.Sprintf("%s:%d", path, line)
		}
		out = append(out, path)
	}
	for _, c := range t.Content {
		if c.Diff != nil {
			add(c.Diff.Path, 0)
		}
		if c.Changes != nil {
			for _, f := range c.Changes.Files {
				add(f.Path, 0)
			}
		}
	}
	for _, l := range t.Locations {
		add(l.Path, l.Line)
	}
	return strings.Join(out, "  ")
}

// Short makes a path relative where it lies below dir.
func Short(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && dir != "" && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return path
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
			return safetext.Clean(strings.Trim(fmt.Sprint(c...), "[]"))
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

// counts sums up the diffs of a call.
func (v *View) counts(t *thread.Tool) (added, removed int, ok bool) {
	for _, c := range t.Content {
		if c.Diff == nil {
			continue
		}
		ok = true
		if d := v.computed(c.Diff); d != nil {
			added, removed = added+d.Added, removed+d.Removed
		}
	}
	return added, removed, ok
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
		case term.Code != nil && *term.Code != 0:
			return v.th.Bad.Paint(fmt.Sprintf("exit %d", *term.Code))
		}
	}
	return ""
}

// computed compares the texts of a diff once; nil where they are too large to
// do that while the reader waits.
func (v *View) computed(d *acpclient.Diff) *widget.Computed {
	if len(d.Old)+len(d.New) > hugeDiff {
		return nil
	}
	if c := v.diffs[d]; c != nil {
		return c
	}
	if v.diffs == nil || len(v.diffs) > 200 {
		v.diffs = map[*acpclient.Diff]*widget.Computed{}
	}
	before, after := d.Old, d.New
	if before != "" && after != "" && !strings.HasSuffix(before, "\n") && !strings.HasSuffix(after, "\n") {
		// A fragment of a file: that it ends without a newline says nothing.
		before, after = before+"\n", after+"\n"
	}
	c := widget.Compute(widget.Diff{Path: d.Path, Old: before, New: after, OldMissing: d.OldMissing})
	v.diffs[d] = c
	return c
}

func (v *View) diff(d *acpclient.Diff, full bool) []string {
	c := v.computed(d)
	if c == nil {
		return []string{bodyInset + v.th.Dim.Paint(fmt.Sprintf("a change of %s, too large to compare here", size(len(d.Old)+len(d.New))))}
	}
	limit := diffRows
	if full {
		limit = maxShown
	}
	rows, more := c.Rows(max(1, v.width-len(bodyInset)), limit, v.th)
	return v.body(rows, more)
}

// changes shows what a tool call of v2 has done to files: the files, which are
// what counts, and the patch, where there is one.
func (v *View) changes(c *acpclient.Changes, full bool) []string {
	width := max(1, v.width-len(bodyInset))
	var rows []string
	for _, f := range c.Files {
		line := f.Operation + " " + Short(f.Path, v.cwd)
		if f.OldPath != "" {
			line = f.Operation + " " + Short(f.OldPath, v.cwd) + " to " + Short(f.Path, v.cwd)
		}
		if f.FileType != "" && f.FileType != "text" {
			line += " (" + f.FileType + ")"
		}
		rows = append(rows, v.th.Dim.Paint(widget.Truncate(line, width, "…")))
	}
	limit := diffRows
	if full {
		limit = maxShown
	}
	lines := strings.Split(strings.TrimRight(c.Patch, "\n"), "\n")
	if c.Patch == "" {
		lines = nil
	}
	more := max(0, len(lines)-limit)
	for _, l := range lines[:len(lines)-more] {
		ink := v.th.DiffContext
		switch {
		case strings.HasPrefix(l, "+"):
			ink = v.th.DiffAdd
		case strings.HasPrefix(l, "-"):
			ink = v.th.DiffDel
		case strings.HasPrefix(l, "@@"), strings.HasPrefix(l, "diff "):
			ink = v.th.DiffHunk
		}
		for _, r := range widget.Wrap(l, width) {
			rows = append(rows, ink.Paint(r))
		}
	}
	return v.body(rows, more)
}

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
