package transcript

import (
	"fmt"
	"strconv"
	"strings"

	"parley/acpclient/thread"
	"parley/ui/theme"
	"parley/ui/widget/text"
)

// shell draws a command of the user's: the line that identifies it, and its output
// by the same rules as that of tool calls.
func (p *pen) shell() []string {
	s := p.it.Shell
	rows := []string{p.shellHead()}
	switch {
	case s.Err != nil:
		rows = append(rows, paint(p.th.Bad, bodyInset, s.Err.Error(), p.width)...)
	case !p.closed() && !p.quiet():
		rows = append(rows, p.terminal(s.Terminal, p.open())...)
	}
	return rows
}

// shellHead returns the line of the command: sign, command, state, time.
func (p *pen) shellHead() string {
	s := p.it.Shell
	ink, sign, word := p.shellSign(s)
	right := word
	until := s.Ended
	if s.Live() {
		until = p.now
	}
	if d := until.Sub(s.Started); !s.Started.IsZero() && d.Seconds() >= 1 {
		right = join(right, p.th.Dim.Paint(text.Seconds(d)))
	}
	left := indent + ink.Paint(sign) + " " + p.th.Strong.Paint("Shell ") + " "
	room := p.width - text.Width(left) - text.Width(right) - 2
	if room < 10 {
		room, right = max(1, p.width-text.Width(left)), ""
	}
	return text.Truncate(left+text.Truncate(oneLine(s.Terminal.Command), room, "…")+pad(right), p.width, "…")
}

// shellSign returns the state of a command as a sign with a colour and a word.
func (p *pen) shellSign(s *thread.Shell) (ink theme.Ink, sign, word string) {
	t := s.Terminal
	switch {
	case s.Waiting():
		return p.th.Dim, "○", p.th.Dim.Paint("waiting for the previous one")
	case s.Live():
		return p.th.Accent, spinner[p.ticks%len(spinner)], ""
	case s.Err != nil:
		return p.th.Bad, "✗", p.th.Bad.Paint("did not run")
	case s.Stopped && s.Started.IsZero():
		return p.th.Warn, "⊘", p.th.Warn.Paint("not run")
	case s.Stopped:
		return p.th.Warn, "⊘", p.th.Warn.Paint("stopped")
	case t.Signal != "":
		return p.th.Bad, "✗", p.th.Bad.Paint(t.Signal)
	case failed(t):
		return p.th.Bad, "✗", p.th.Bad.Paint(fmt.Sprintf("exit %d", *t.Code))
	}
	return p.th.Good, "✓", p.th.Dim.Paint("exit 0")
}

func failed(t *thread.Terminal) bool { return t.Signal != "" || t.Code != nil && *t.Code != 0 }

// The text around a command that is sent with a prompt. It tells the model what the
// block is, and the transcript recognises it by that, also in a replayed prompt.
const (
	carriedIntro = "I ran this command myself:\n\n"
	carriedSign  = "$ "
)

// maxCarried is how much of a command's output is sent with a prompt, in bytes.
const maxCarried = 20_000

// ShellBlock returns what is sent to the agent about a command that the user ran: a
// fenced block of the command and its output, cut in the middle if it is long, and
// how it ended.
func ShellBlock(s *thread.Shell) string {
	screen, rows := played(s.Terminal.Output, 500)
	text := strings.Join(rows, "\n")
	const page = 2000 // lines that a screen keeps at least
	lost := s.Terminal.Gap || s.Terminal.Total > int64(len(s.Terminal.Output)) || len(rows) >= page && screen.Len() > len(rows)
	if len(text) > maxCarried {
		const head = maxCarried / 4
		tail := len(text) - (maxCarried - head)
		left := text[head:tail]
		text = fmt.Sprintf("%s\n… %d lines, %d bytes omitted …\n%s", strings.ToValidUTF8(text[:head], ""), strings.Count(left, "\n")+1, len(left), strings.ToValidUTF8(text[tail:], ""))
	}
	if lost {
		text = "… earlier output omitted …\n" + text
	}
	fence := fenceFor(text + "\n" + s.Terminal.Command)
	if text != "" {
		text += "\n"
	}
	ended := "It succeeded."
	switch t := s.Terminal; {
	case s.Stopped:
		ended = "I stopped it."
	case t.Signal != "":
		ended = "It was killed by " + t.Signal + "."
	case failed(t):
		ended = fmt.Sprintf("It ended with exit code %d.", *t.Code)
	}
	return carriedIntro + fence + "console " + strconv.Itoa(max(len(rows), screen.Len())) + "\n" + carriedSign + s.Terminal.Command + "\n" + text + fence + "\n\n" + ended + "\n\n"
}

// fenceFor returns a fence that the text does not contain.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
