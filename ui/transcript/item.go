package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/describe"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
)

// item draws any item but messages of the agent and what is shown in pieces.
func (p *pen) item() []string {
	switch p.it.Kind {
	case thread.UserMessage:
		return p.user()
	case thread.ThoughtMessage:
		if p.muted() && !p.live {
			return nil
		}
		return []string{p.thoughtHead()}
	case thread.ToolCall:
		return p.tool()
	case thread.Decision:
		return p.decision(p.it.Answer)
	case thread.TurnEnd:
		return p.turnEnd()
	case thread.Notice:
		return p.notice()
	case thread.ShellCommand:
		return p.shell()
	case thread.Attachment:
		return []string{indent + p.th.Dim.Paint(text.Truncate(attachment(p.it.Attachment), p.width-len(indent), "…"))}
	}
	return nil
}

// userBar is left of a prompt's rows.
const userBar = "▌"

// user draws the beginning of a prompt: a bar at the left, its own background, the
// time.
func (p *pen) user() []string {
	lines, blocks, hidden := p.prompt()
	var below []string
	if hidden > 0 {
		below = append(below, more(hidden))
	}
	for _, c := range blocks {
		below = append(below, "with "+carried.Line(c))
	}
	return append(p.promptRows(lines, true), p.belowPrompt(below)...)
}

// prompt returns what is shown of a prompt that was not opened: its first lines, the
// commands sent with it, and how many lines are hidden. Lines after the first piece
// are counted before wrapping.
func (p *pen) prompt() (lines, blocks []string, hidden int) {
	s := promptText(p.it.Text)
	if went := len(p.it.Text) - len(s); went > 0 {
		blocks, _ = carried.Split(string(p.it.Text[:went]))
	}
	s = bytes.TrimRight(s, "\n")
	n := firstPiece(s)
	lines = text.Wrap(strings.TrimSuffix(string(s[:n]), "\n"), p.promptWidth())
	if rest := s[n:]; len(rest) > 0 {
		hidden = bytes.Count(rest, newline) + 1
	}
	most := maxPrompt
	if p.closed() {
		most = closedPrompt
	}
	if hidden == 0 && len(lines) <= most {
		return lines, blocks, 0
	}
	shown := min(len(lines), most-1)
	return lines[:shown], blocks, hidden + len(lines) - shown
}

// clickable reports whether a click on the first row opens or closes the item.
func (p *pen) clickable() bool {
	switch p.it.Kind {
	case thread.ToolCall, thread.ShellCommand, thread.ThoughtMessage, thread.Notice:
		return true
	case thread.UserMessage:
		_, blocks, hidden := p.prompt()
		return p.chosen || !p.open() && hidden+len(blocks) > 0
	case thread.AgentMessage:
		return p.closed()
	}
	return false
}

// promptText returns the text of a prompt without the blocks that were sent with it.
func promptText(text []byte) []byte {
	if !carried.Begins(text) {
		return text
	}
	_, own := carried.Split(string(text))
	return text[len(text)-len(own):]
}

// promptRows draws lines of a prompt, the first with the time beside it.
func (p *pen) promptRows(lines []string, first bool) []string {
	clock := ""
	if first && !p.it.At.IsZero() {
		clock = p.it.At.Format("15:04")
		if p.it.Steered {
			clock = "in the turn " + clock
		}
	}
	rows := make([]string, 0, len(lines)+1)
	for n, s := range lines {
		blank := p.width - 2 - text.Width(s)
		right := ""
		if p.short { // the time comes right after the text
			blank = min(blank, len(clock)+3)
		}
		if n == 0 && clock != "" && blank > len(clock)+2 {
			right, blank = p.th.Background.Repaint(p.th.Dim.Paint(clock)+" "), blank-len(clock)-1
		}
		rows = append(rows, p.th.UserBar.Paint(userBar)+p.th.UserText.Paint(" "+s)+p.th.Background.Paint(strings.Repeat(" ", max(0, blank)))+right)
	}
	return rows
}

// belowPrompt draws the notes below a prompt.
func (p *pen) belowPrompt(below []string) (rows []string) {
	for _, s := range below {
		s = text.Pad(p.th.Dim.Paint(text.Truncate(s, p.width-2, "…")), p.width-2)
		rows = append(rows, p.th.UserBar.Paint(userBar)+p.th.Background.Repaint(" "+s))
	}
	if p.it.Excluded {
		rows = append(rows, p.indented(p.th.Warn, "Refused: this prompt and what followed are no longer in the context")...)
	}
	return rows
}

// thoughtHead returns the line of a thought.
func (p *pen) thoughtHead() string {
	word := "thought"
	until := p.it.Until
	if p.live {
		word, until = "thinking", p.now
	}
	if d := until.Sub(p.it.At); !p.it.At.IsZero() && d >= time.Second {
		word += " " + text.Seconds(d)
	}
	if last := describe.LastLine(p.it.Text); !p.open() && p.live && last != "" {
		word += "  " + last
	}
	return indent + p.th.Dim.Paint(text.Truncate(word, p.width-len(indent), "…"))
}

// decision draws one line: what was decided, by whom, when, about what. Of most decisions the row of
// their call says it.
func (p *pen) decision(s *event.PermissionAnswered) []string {
	if p.density == Quiet || p.it.OnCall {
		return nil
	}
	return []string{p.decisionRow(s, s.Subject)}
}

func (p *pen) decisionRow(s *event.PermissionAnswered, subject string) string {
	ink, sign := p.th.Warn, "✗"
	switch {
	case s.Allowed:
		ink, sign = p.th.Good, "✓"
	case s.Decision == "cancelled":
		sign = "–"
	}
	verb, rest, _ := strings.Cut(s.Outcome(), " ")
	rest = strings.TrimRight(" "+rest, " ") + " · " + s.At.Format("15:04")
	if subject != "" {
		rest += " · " + subject
	}
	return bodyInset + text.Truncate(ink.Paint(sign+" "+strings.ToUpper(verb[:1])+verb[1:])+p.th.Dim.Paint(rest), p.bodyWidth(), "…")
}

// decided is what the row of a call says of the answer to the question about it.
func (p *pen) decided() string {
	s := p.it.Tool.Answer
	if s == nil {
		return ""
	}
	words := s.Outcome()
	if s.By == "you" {
		words = strings.Replace(words, " by you", "", 1)
	}
	if !s.At.IsZero() {
		words += s.At.Format(" 15:04")
	}
	return text.Truncate(words, maxDecided, "…")
}

// turnEnd says why a turn ended, unless it ended normally.
func (p *pen) turnEnd() []string {
	if silent(p.it) {
		return nil
	}
	if p.it.End.Err != nil {
		rows := Failure(p.it.End.Err, p.width, p.th)
		var lost *event.LostError
		if errors.As(p.it.End.Err, &lost) && !p.it.At.IsZero() && !p.it.End.Arrived { // in the middle of a turn
			rows = append(rows, paint(p.th.Dim, indent+"  ", describe.MaybeSent, p.width)...)
		}
		return rows
	}
	agent := "the agent"
	if p.agent != nil {
		agent = p.agent()
	}
	said := describe.TurnEnd(p.it.End, agent)
	if !p.it.End.Empty || p.agent == nil {
		said = words.Sentence(said)
	}
	return p.indented(p.th.Warn, said)
}

// Failure draws an error and the tail of the agent's stderr, if it has one.
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

// notice draws a quiet line, with its detail if it was opened.
func (p *pen) notice() []string {
	ink, before := p.th.Dim, "· "
	switch p.it.Severity {
	case "", "info":
	case "warning":
		ink, before = p.th.Warn, "⚠ Warning: "
	case "error":
		ink, before = p.th.Bad, "✗ Error: "
	default:
		before += strings.TrimLeft(p.it.Severity, "_") + ": "
	}
	if p.it.Subagent != nil {
		return []string{p.subagent()}
	}
	rows := p.indented(ink, before+string(p.it.Text))
	if p.open() && p.it.Detail != "" {
		rows = append(rows, p.inDetail(p.it.Detail)...)
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
		return "[" + words.OneLine(fmt.Sprintf("image %s %s %s", c.MimeType, words.Bytes(c.Bytes), name)) + "]"
	case event.AudioContent:
		return "[" + words.OneLine(fmt.Sprintf("audio %s %s %s", c.MimeType, words.Bytes(c.Bytes), name)) + "]"
	case event.LinkContent:
		return fmt.Sprintf("[link %s %s]", name, c.URI)
	case event.ResourceContent:
		return fmt.Sprintf("[resource %s]", c.URI)
	case event.UnknownContent:
		return fmt.Sprintf("[unsupported content: %s]", name)
	}
	return c.Text
}
