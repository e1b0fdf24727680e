package transcript

import (
	"fmt"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
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
	return text.Truncate(left+text.Truncate(words.FirstLine(s.Terminal.Command), room, "…")+pad(right), p.width, "…")
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

// ShellBlock returns what is sent to the agent about a command that the user ran; see [carried.Shell].
func ShellBlock(s *thread.Shell) string {
	screen, rows := played(s.Terminal.Output, 500)
	const page = 2000 // lines that a screen keeps at least
	ended := "It succeeded."
	switch t := s.Terminal; {
	case s.Stopped:
		ended = "I stopped it."
	case t.Signal != "":
		ended = "It was killed by " + t.Signal + "."
	case failed(t):
		ended = fmt.Sprintf("It ended with exit code %d.", *t.Code)
	}
	return carried.Shell(carried.Command{Line: s.Terminal.Command, Output: strings.Join(rows, "\n"), Rows: max(len(rows), screen.Len()), Ended: ended,
		Lost: s.Terminal.Gap || s.Terminal.Total > int64(len(s.Terminal.Output)) || len(rows) >= page && screen.Len() > len(rows)})
}
