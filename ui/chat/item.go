package chat

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/theme"
	"parley/ui/widget"
)

// item renders everything but the agent's messages and what is shown in pieces;
// live says that the rows hold for the moment only.
func (v *View) item(it *thread.Item) (rows []string, live bool) {
	switch it.Kind {
	case thread.UserMessage:
		return v.user(it), false
	case thread.ThoughtMessage:
		row, live := v.thoughtHead(it)
		return []string{row}, live
	case thread.ToolCall:
		return v.tool(it)
	case thread.Decision:
		return v.decision(it.Settled), false
	case thread.TurnEnd:
		return v.end(it), false
	case thread.Notice:
		return v.notice(it), false
	case thread.ShellCommand:
		return v.shell(it)
	case thread.Attachment:
		return []string{indent + v.th.Dim.Paint(widget.Truncate(attachment(it.Attachment), v.width-len(indent), "…"))}, false
	}
	return nil, false
}

// userBar stands left of the user's words.
const userBar = "▌"

// user shows the beginning of a prompt: a bar at the left, its own background, the
// time.
func (v *View) user(it *thread.Item) []string {
	lines, carried, hidden := v.prompt(it)
	var below []string
	if hidden > 0 {
		below = append(below, more(hidden))
	}
	for _, c := range carried {
		below = append(below, "with "+CarriedLine(c))
	}
	return append(v.promptRows(it, lines, true), v.belowPrompt(it, below)...)
}

func (v *View) promptWidth() int { return max(1, min(v.width-2, maxProse)) }

// prompt is what is shown of a prompt that was not opened: its first lines, what
// went with it, and how many lines are missing. Far behind the first ones only
// those of its text are counted.
func (v *View) prompt(it *thread.Item) (lines, carried []string, hidden int) {
	text := ownWords(it.Text)
	if went := len(it.Text) - len(text); went > 0 {
		carried, _ = SplitCarried(string(it.Text[:went]))
	}
	text = bytes.TrimRight(text, "\n")
	n := firstPiece(text)
	lines = widget.Wrap(strings.TrimSuffix(string(text[:n]), "\n"), v.promptWidth())
	if rest := text[n:]; len(rest) > 0 {
		hidden = bytes.Count(rest, newline) + 1
	}
	most := maxPrompt
	if v.closed(it.Index) {
		most = closedPrompt
	}
	if hidden == 0 && len(lines) <= most {
		return lines, carried, 0
	}
	shown := min(len(lines), most-1)
	return lines[:shown], carried, hidden + len(lines) - shown
}

// ownWords are those of a prompt behind the commands that went with it.
func ownWords(text []byte) []byte {
	if !bytes.HasPrefix(text, []byte(carriedIntro)) {
		return text
	}
	_, own := SplitCarried(string(text))
	return text[len(text)-len(own):]
}

// promptRows are lines of a prompt; the time stands beside the first.
func (v *View) promptRows(it *thread.Item, lines []string, first bool) []string {
	clock := ""
	if first && !it.At.IsZero() {
		clock = it.At.Format("15:04")
	}
	rows := make([]string, 0, len(lines)+1)
	for n, text := range lines {
		blank := v.width - 2 - widget.Width(text)
		right := ""
		if v.short { // the time stands right behind the text
			blank = min(blank, len(clock)+3)
		}
		if n == 0 && clock != "" && blank > len(clock)+2 {
			right, blank = v.th.Background.Repaint(v.th.Dim.Paint(clock)+" "), blank-len(clock)-1
		}
		rows = append(rows, v.th.UserBar.Paint(userBar)+v.th.UserText.Paint(" "+text)+v.th.Background.Paint(strings.Repeat(" ", max(0, blank)))+right)
	}
	return rows
}

// belowPrompt is what is said of a prompt below its words.
func (v *View) belowPrompt(it *thread.Item, below []string) (rows []string) {
	for _, text := range below {
		text = widget.Truncate(text, v.width-2, "…")
		blank := strings.Repeat(" ", max(0, v.width-2-widget.Width(text)))
		rows = append(rows, v.th.UserBar.Paint(userBar)+v.th.Background.Repaint(" "+v.th.Dim.Paint(text)+blank))
	}
	if it.Excluded {
		rows = append(rows, v.indented(v.th.Warn, "refused: this prompt and what followed are no longer part of the context")...)
	}
	return rows
}

// thoughtHead is the line that a thought is; live says that it still goes on.
func (v *View) thoughtHead(it *thread.Item) (row string, live bool) {
	live = it.Index == len(v.thread.Items)-1 && v.busy()
	word := "thought"
	until := it.Until
	if live {
		word, until = "thinking", v.now
	}
	if d := until.Sub(it.At); !it.At.IsZero() && d >= time.Second {
		word += " " + seconds(d)
	}
	if last := lastLine(it.Text); !v.open(it.Index) && live && last != "" {
		word += "  " + last
	}
	return indent + v.th.Dim.Paint(widget.Truncate(word, v.width-len(indent), "…")), live
}

// lastLine is the last line with text, or the end of it: no row is as long as
// what is looked at.
func lastLine(text []byte) string {
	const enough = 4096
	text = bytes.TrimSpace(text[max(0, len(text)-enough):])
	return strings.ToValidUTF8(string(text[bytes.LastIndexByte(text, '\n')+1:]), "")
}

// decision is one line: what was decided, about what, by whom, when.
func (v *View) decision(s *event.PermissionSettled) []string {
	if v.density == Quiet {
		return nil
	}
	ink, sign := v.th.Warn, "–"
	if s.Allowed {
		ink, sign = v.th.Good, "✓"
	}
	by := ""
	if s.By != "" {
		by = " by " + s.By
	}
	line := ink.Paint(sign+" "+s.Decision) + v.th.Dim.Paint(by+", "+s.At.Format("15:04:05"))
	if s.Subject != "" {
		line += v.th.Dim.Paint(": " + s.Subject)
	}
	return []string{indent + indent + widget.Truncate(line, v.width-4, "…")}
}

var endWords = map[string]string{
	"cancelled":         "stopped",
	"max_tokens":        "stopped: the answer reached the model's limit of tokens",
	"max_turn_requests": "stopped: the turn reached the agent's limit of requests",
	"refusal":           "the agent refused; this prompt and what followed are no longer part of the context",
}

// end says why a turn ended, where that is worth saying.
func (v *View) end(it *thread.Item) []string {
	if silent(it) {
		return nil
	}
	if it.End.Err != nil {
		rows := v.failure(it.End.Err)
		var lost *event.LostError
		if errors.As(it.End.Err, &lost) && !it.At.IsZero() { // in the middle of a turn
			rows = append(rows, paint(v.th.Dim, indent+"  ", "what the agent makes of the prompt is not known; it is not sent again by itself", v.width)...)
		}
		return rows
	}
	words := endWords[it.End.StopReason]
	if it.End.Empty {
		words = v.agentName() + " said nothing"
	}
	if words == "" {
		words = "stopped: " + it.End.StopReason
	}
	return v.indented(v.th.Warn, words)
}

// agentName is what the agent is called.
func (v *View) agentName() string {
	if v.Agent != nil {
		return v.Agent()
	}
	return "the agent"
}

// failure shows an error with what is known beside it.
func (v *View) failure(err error) []string { return Failure(err, v.width, v.th) }

// Failure renders an error and the tail of the agent's stderr, where it has one.
func Failure(err error, width int, th *theme.Theme) []string {
	rows := paint(th.Bad, indent, "✗ "+err.Error(), width)
	var exit *event.ExitError
	if errors.As(err, &exit) {
		for _, l := range exit.Stderr {
			rows = append(rows, paint(th.Dim, indent+"  │ ", l, width)...)
		}
	}
	return rows
}

func (v *View) indented(ink theme.Ink, text string) []string {
	return paint(ink, indent, text, v.width)
}

func paint(ink theme.Ink, before, text string, width int) []string {
	var rows []string
	for _, r := range widget.Wrap(text, max(1, prose(width-widget.Width(before)))) {
		rows = append(rows, before+ink.Paint(r))
	}
	return rows
}

// notice is a quiet line; its detail is shown when it is opened.
func (v *View) notice(it *thread.Item) []string {
	ink, before := v.th.Dim, "· "
	switch it.Severity {
	case "", "info":
	case "warning":
		ink, before = v.th.Warn, "⚠ Warning: "
	case "error":
		ink, before = v.th.Bad, "✗ Error: "
	default:
		before += strings.TrimLeft(it.Severity, "_") + ": "
	}
	rows := v.indented(ink, before+string(it.Text))
	if v.open(it.Index) && it.Detail != "" {
		rows = append(rows, v.detail(it.Detail)...)
	}
	return rows
}

// attachment names a block that is not text.
func attachment(c *event.Content) string {
	name := c.Name
	if name == "" {
		name = c.URI
	}
	switch c.Kind {
	case event.ImageContent:
		return "[" + strings.Join(strings.Fields(fmt.Sprintf("image %s %s %s", c.MimeType, size(c.Bytes), name)), " ") + "]"
	case event.AudioContent:
		return "[" + strings.Join(strings.Fields(fmt.Sprintf("audio %s %s %s", c.MimeType, size(c.Bytes), name)), " ") + "]"
	case event.LinkContent:
		return fmt.Sprintf("[link %s %s]", name, c.URI)
	case event.ResourceContent:
		return fmt.Sprintf("[resource %s]", c.URI)
	case event.UnknownContent:
		return fmt.Sprintf("[a block of a type that parley does not know: %s]", name)
	}
	return c.Text
}

func size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// seconds is a short duration without digits that jitter.
func seconds(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Seconds is a duration as the screen writes it: whole seconds, minutes, hours.
func Seconds(d time.Duration) string { return seconds(d) }

// Home shortens the user's home directory in a path to ~.
func Home(path, home string) string {
	if home == "" {
		return path
	}
	if path == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return "~/" + rest
	}
	return path
}
