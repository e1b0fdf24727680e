package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
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
	hugeJSON    = 1 << 20
	maxDecided  = 50 // cells of a decision in the row of its call
	leastSaid   = 30 // cells of a call's subject, before the decision is dropped
	// leastSubject is how many cells of a call's subject are shown before its parts are dropped.
	leastSubject = 10
	maxShown     = 2000 // rows of anything, even with everything shown
)

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// tool draws a tool call: the line that identifies it, always, and as much of its
// content as the density allows.
func (p *pen) tool() []string {
	t := p.it.Tool
	head, answered := p.toolHead()
	rows := []string{head}
	full := t.State() == thread.ToolFailed || p.open()
	if p.closed() || p.quiet() || p.live && t.Asked && !p.opened() || t.Steps != nil && !full { // the plan is shown elsewhere
		return rows
	}
	switch {
	case p.open() && t.Answer != nil:
		rows = append(rows, p.decisionRow(t.Answer, t.Answer.Subject))
	case !answered:
		rows = append(rows, p.decisionRow(t.Answer, ""))
	}
	shown, left := false, 0
	for _, c := range t.Content {
		var body []string
		more := 0
		switch {
		case c.Diff != nil:
			body = p.diff(c.Diff, full)
			if p.severalDiffs() {
				body = append([]string{p.diffHead(c.Diff)}, body...)
			}
		case c.Changes != nil:
			body = p.changes(c.Changes, full)
		case c.Terminal != "" && p.foldsRejected(): // claude writes there what it tells the model
		case c.Terminal != "":
			body = p.terminal(p.thread.TerminalOf(p.it, c.Terminal), full)
		case c.Content != nil && !full && t.State() == thread.ToolDone && p.changesShown() && countLines(c.Content.Text) == 1: // "Wrote file successfully."
		case c.Content != nil:
			body, more = p.toolText(c.Content, full)
			shown = shown || countLines(c.Content.Text) > 0 && p.folds(unfenced(c.Content.Text)) // its count is in the line
		}
		shown = shown || len(body) > 0 || c.Terminal != "" && !full // how it ended is in the line
		rows, left = append(rows, body...), left+more
	}
	if !shown {
		var body []string
		body, left = p.rawBody(full)
		rows = append(rows, body...)
	}
	left += max(0, len(rows)-maxShown)
	if rows = rows[:min(len(rows), maxShown)]; left > 0 {
		rows = append(rows, bodyInset+p.th.Dim.Paint(fmt.Sprintf("… %d more rows", left)))
	}
	return rows
}

// changesShown reports whether the content of a call has changes of files.
func (p *pen) changesShown() bool {
	return slices.ContainsFunc(p.it.Tool.Content, func(c event.ToolContent) bool { return c.Diff != nil || c.Changes != nil })
}

// toolHead returns the line of a call: sign, verb, subject, counts, state, time, decision. answered is false
// if there is no room for the decision.
func (p *pen) toolHead() (row string, answered bool) {
	if len(p.group) > 0 {
		return p.groupHead(), true
	}
	t := p.it.Tool
	ink, sign, word := p.sign()
	verb, subject := describe.Verb(t), p.subject()
	if verb == describe.UnknownVerb && t.Name != "" && t.Name != subject {
		verb = text.Truncate(t.Name, 20, "…")
	}
	trust := ""
	exit := p.exitBadge()
	switch {
	case exit == "":
	case t.State() == thread.ToolDone: // the agent is done with it, but it has failed
		ink, sign = p.th.Bad, "✗"
	case t.State() == thread.ToolFailed: // which the code says
		exit, word = "", exit
	}
	if t.Trust >= thread.Unasked {
		badge := p.th.Warn
		if t.Trust.Denied() {
			badge = p.th.Bad
		}
		if t.Status != "failed" {
			ink, sign = badge, "⚠"
		}
		trust = badge.Paint(t.Trust.String())
	}
	lines := ""
	if n := p.hiddenLines(); n > 0 {
		lines = p.th.Dim.Paint(foldedLines(n))
	}
	decided := p.decided()
	switch {
	case decided == "":
	case t.State() == thread.ToolRejected:
		word, decided = ink.Paint(decided), ""
	default:
		decided = p.th.Dim.Paint("· " + decided)
	}
	source := ""
	if !p.quiet() { // there the diff is not shown
		source = p.th.Dim.Paint(diffSource(t))
	}
	left := p.headStart(ink, sign, verb)
	return p.fit(left, words.FirstLine(subject), leastSubject, []string{exit, p.counts(), source, lines, word, trust, p.th.Dim.Paint(p.took())}, decided)
}

// fit returns the line of a call with as many of its parts as there is room for beside least cells of the
// subject: exit code, counts, source, lines, state, trust, time, then the decision. It reports whether the
// decision is among them.
func (p *pen) fit(left, subject string, least int, parts []string, decided string) (row string, answered bool) {
	room, right, after := 0, "", ""
	if decided != "" {
		after = " " + decided
	}
	const decision = 7
	for _, dropped := range []int{-1, 2, 6, decision, 3, 1, 0, 5, 4} { // where it is narrow, the state of the call is dropped last
		switch {
		case dropped == decision:
			after = ""
		case dropped >= 0:
			parts[dropped] = ""
		}
		needs := least
		if after != "" {
			needs = max(needs, min(text.Width(subject), leastSaid))
		}
		right = ""
		for _, part := range parts {
			right = join(right, part)
		}
		right = pad(right) + after
		if room = p.width - text.Width(left) - text.Width(right); room >= needs {
			break
		}
	}
	if room < leastSubject {
		room = max(1, p.width-text.Width(left))
	}
	return text.Truncate(left+text.Truncate(subject, room, "…")+right, p.width, "…"), after != "" || decided == ""
}

// headStart returns the beginning of the line of a call.
func (l *look) headStart(ink theme.Ink, sign, verb string) string {
	return indent + ink.Paint(sign) + " " + l.th.Strong.Paint(fmt.Sprintf("%-6s", verb)) + " "
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

// sign returns the state of a call as a sign with a colour and, where the sign could
// be missed, a word.
func (p *pen) sign() (ink theme.Ink, sign, word string) {
	t := p.it.Tool
	word = t.StateText()
	switch t.State() {
	case thread.ToolDone:
		return p.th.Good, "✓", ""
	case thread.ToolFailed:
		return p.th.Bad, "✗", p.th.Bad.Paint(word)
	case thread.ToolRejected, thread.ToolStopped, thread.ToolCancelled:
		return p.th.Warn, "⊘", p.th.Warn.Paint(word)
	case thread.ToolStillRunning:
		return p.th.Warn, "⚠", p.th.Warn.Paint(word)
	case thread.ToolUnfinished:
		return p.th.Dim, "·", p.th.Dim.Paint(word)
	case thread.ToolPending:
		if t.Answer == nil || !t.Answer.Allowed || t.Asked || !p.live {
			return p.th.Dim, "○", ""
		}
		word = "" // claude calls a command pending until it ends
	}
	if !p.live { // between turns: nothing moves
		return p.th.Accent, spinner[0], p.th.Dim.Paint(word)
	}
	if t.Status == "in_progress" && !t.Stopped {
		word = ""
	}
	return p.th.Accent, spinner[p.ticks%len(spinner)], p.th.Dim.Paint(word)
}

func (p *pen) took() string {
	t := p.it.Tool
	if !p.live && t.Ended.IsZero() {
		return ""
	}
	if d := t.Duration(p.now); d >= time.Second {
		return text.Seconds(d)
	}
	return ""
}

// subject returns what the call is about: its command, its files, or its title.
func (p *pen) subject() string {
	return describe.Subject(p.it.Tool, p.cache.command(p.it.Tool), p.cwd, "%s:%d", "  ")
}

// paths returns the files of a call on one line.
func (p *pen) paths() string { return strings.Join(describe.Paths(p.it.Tool, p.cwd, "%s:%d"), "  ") }

// exitBadge returns the exit code or signal of a call's command, "" if it succeeded.
func (p *pen) exitBadge() string {
	for _, c := range p.it.Tool.Content {
		if c.Terminal == "" {
			continue
		}
		term := p.thread.TerminalOf(p.it, c.Terminal)
		switch {
		case term == nil || !term.Exited:
		case term.Signal != "":
			return p.th.Bad.Paint(term.Signal)
		case term.Code != nil && (*term.Code != 0 || p.it.Tool.State() == thread.ToolStopped):
			return p.th.Bad.Paint(fmt.Sprintf("exit %d", *term.Code))
		}
	}
	if code := p.it.Tool.ExitCode; code != nil && *code != 0 {
		return p.th.Bad.Paint(fmt.Sprintf("exit %d", *code))
	}
	return ""
}
