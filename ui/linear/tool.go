package linear

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/emulator"
	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/ui/linear/plain"
)

// announceAfter is how long a tool call runs before that is reported. Of a quick call only the
// end is worth a line.
const announceAfter = 2 * time.Second

// tellTool reports how a tool call ended.
func (n *narrator) tellTool(it *thread.Item, s *printedItem) {
	state := it.Tool.State()
	if it.Tool.Live() && state != thread.ToolStillRunning {
		if s.line == "" && !slices.Contains(n.slow, it.Index) {
			n.slow = append(n.slow, it.Index)
		}
		return
	}
	n.slow = slices.DeleteFunc(n.slow, func(i int) bool { return i == it.Index })
	if once := state == thread.ToolStillRunning || state == thread.ToolStopped; once && s.state == state && s.trust == it.Tool.Trust {
		return // more output, or another status from the agent, is no news
	}
	s.state, s.trust = state, it.Tool.Trust
	n.sayOnce(s, n.toolLine(it))
}

// announce reports tool calls that have run for a while.
func (n *narrator) announce() {
	for _, i := range slices.Clone(n.slow) {
		it, s := n.Thread.Items[i], n.printed[i]
		if it.Tool.State() != thread.ToolRunning { // it may be waiting for the user
			continue
		}
		if due := it.Tool.Started.Add(announceAfter); due.After(time.Now()) {
			n.tasks.wakeAt(due)
			continue
		}
		n.slow = slices.DeleteFunc(n.slow, func(o int) bool { return o == i })
		if s.line == "" && subject(it.Tool, n.Session.Cwd()) != "" {
			n.sayOnce(s, n.toolLine(it))
		}
	}
}

// calls numbers the tool calls of a conversation from 1, for /output.
type calls struct {
	thread *thread.Thread
	at     []int // item indexes
	seen   int   // number of items scanned
}

func (c *calls) all() []int {
	for ; c.seen < len(c.thread.Items); c.seen++ {
		if c.thread.Items[c.seen].Kind == thread.ToolCall {
			c.at = append(c.at, c.seen)
		}
	}
	return c.at
}

func (c *calls) number(it *thread.Item) int {
	i, _ := slices.BinarySearch(c.all(), it.Index)
	return i + 1
}

// name returns the name of a call, with its number.
func (c *calls) name(it *thread.Item) string {
	kind := "Tool"
	if it.Tool.Kind == "execute" {
		kind = "Run"
	}
	return fmt.Sprintf("%s %d", kind, c.number(it))
}

// toolLine describes a tool call in one line, without its content.
func (n *narrator) toolLine(it *thread.Item) string {
	tool, b := it.Tool, broughtBy(n.Thread, it)
	what := subject(tool, n.Session.Cwd())
	if tool.Kind != "execute" {
		what = strings.TrimPrefix(describe.Verb(tool)+" "+what, describe.UnknownVerb+" ")
	}
	var parts []string
	switch {
	case b.tooLarge:
		parts = append(parts, "too large to compare")
	case b.diffs:
		parts = append(parts, fmt.Sprintf("plus %d, minus %d", b.added, b.removed))
	}
	if b.ended != "" {
		parts = append(parts, b.ended)
	}
	if tool.State() != thread.ToolDone || b.ended == "" {
		parts = append(parts, tool.StateText())
	}
	if tool.Trust >= thread.Unasked {
		parts = append(parts, tool.Trust.String())
	}
	if took := tool.Duration(tool.Ended); tool.Final() && !tool.Ended.IsZero() && took >= announceAfter {
		parts = append(parts, spoken(took))
	}
	if b.lines > 0 && tool.Kind == "execute" {
		parts = append(parts, fmt.Sprintf("%s; /output %d shows them", words.Count(b.lines, "line"), n.calls.number(it)))
	}
	return n.calls.name(it) + ": " + what + ", " + strings.Join(parts, ", ") + "."
}

// subject returns what a call is about: its command, its files or its title.
func subject(t *thread.Tool, cwd string) string {
	said := describe.Subject(t, describe.Command(t.RawInput), cwd, "%s line %d", ", ")
	if said == t.Title {
		return plain.Inline(said)
	}
	return safetext.Line(said, 300)
}

// brought sums up the content of a tool call so far.
type brought struct {
	diffs          bool // there are diffs, with so many lines added and removed
	added, removed int
	tooLarge       bool   // one of them was not compared
	lines          int    // of text and output
	ended          string // how its command ended
}

func broughtBy(t *thread.Thread, it *thread.Item) (b brought) {
	for _, content := range it.Tool.Content {
		switch {
		case content.Diff != nil && content.Diff.TooLarge():
			b.tooLarge = true
		case content.Diff != nil:
			added, removed := linediff.Count(content.Diff.Texts())
			b.diffs, b.added, b.removed = true, b.added+added, b.removed+removed
		case content.Changes != nil && content.Changes.PatchFormat == "git_patch":
			for _, f := range linediff.ParsePatch(content.Changes.Patch) {
				if f.Diff != nil {
					b.diffs, b.added, b.removed = true, b.added+f.Diff.Added, b.removed+f.Diff.Removed
				}
			}
		case content.Terminal != "":
			if term := t.TerminalOf(it, content.Terminal); term != nil {
				b.lines += screenOf(term).Len()
				b.ended = cmp.Or(endOf(term), b.ended)
			}
		case content.Content != nil && content.Content.Text != "":
			b.lines += len(splitLines(content.Content.Text))
		}
	}
	if code := it.Tool.ExitCode; code != nil && b.ended == "" {
		b.ended = fmt.Sprintf("exit code %d", *code)
	}
	return b
}

// endOf says how a command ended, "" if that is not known.
func endOf(term *thread.Terminal) string {
	switch {
	case !term.Exited:
	case term.Signal != "":
		return "ended by " + term.Signal
	case term.Code != nil:
		return fmt.Sprintf("exit code %d", *term.Code)
	}
	return ""
}

// screenOf replays a command's output.
func screenOf(term *thread.Terminal) *emulator.Terminal {
	const cols = 200 // for a program that addresses its screen
	screen := emulator.New(cols)
	screen.Write(term.Output)
	return screen
}

// tellPlan reports the progress of the plan if it has changed.
func (n *narrator) tellPlan() {
	done, now := 0, ""
	for _, e := range n.Thread.Plan {
		switch {
		case e.Status == "completed":
			done++
		case e.Status == "in_progress" && now == "":
			now = plain.Inline(e.Content)
		}
	}
	line := ""
	if heading := n.Thread.Heading(); heading != "" {
		line = "Plan: " + strings.TrimRight(plain.Inline(heading), ".") + ". /plan reads all of it."
	}
	if steps := len(n.Thread.Plan); steps > 0 {
		line = fmt.Sprintf("Plan: %d of %d done.", done, steps)
		if now != "" {
			line += " Now: " + strings.TrimRight(now, ".") + "."
		}
	}
	if line != n.plan && line != "" {
		n.out.say("%s", line)
	}
	n.plan = line
}
