package linear

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// announceAfter is how long a tool call may take before it is said that it runs:
// of one that is quick only the end is worth a line.
const announceAfter = 2 * time.Second

var verbs = map[string]string{"read": "Read", "edit": "Edit", "delete": "Delete", "move": "Move", "search": "Search", "think": "Think", "fetch": "Fetch", "switch_mode": "Mode"}

// tellTool says how a tool call ended, and numbers it when it is first heard of.
func (n *narrator) tellTool(it *thread.Item, s *told) {
	n.numbers.of(it.Index)
	state := it.Tool.State()
	if it.Tool.Live() && state != thread.ToolStillRunning {
		if s.line == "" && !slices.Contains(n.slow, it.Index) {
			n.slow = append(n.slow, it.Index)
		}
		return
	}
	n.slow = slices.DeleteFunc(n.slow, func(i int) bool { return i == it.Index })
	if once := state == thread.ToolStillRunning || state == thread.ToolStopped; once && s.state == state && s.trust == it.Tool.Trust {
		return // what it puts out meanwhile, and how the agent calls its end, is no news
	}
	s.state, s.trust = state, it.Tool.Trust
	n.sayOnce(s, n.toolLine(it))
}

// announce says of tool calls that take long that they run.
func (n *narrator) announce() {
	for _, i := range slices.Clone(n.slow) {
		it, s := n.Thread.Items[i], n.told[i]
		if it.Tool.State() != thread.ToolRunning { // it may wait for the user
			continue
		}
		if due := it.Tool.Started.Add(announceAfter); due.After(time.Now()) {
			n.tasks.wakeAt(due)
			continue
		}
		n.slow = slices.DeleteFunc(n.slow, func(o int) bool { return o == i })
		if s.line == "" && subject(it.Tool, n.cwd()) != "" {
			n.sayOnce(s, n.toolLine(it))
		}
	}
}

// numbers are those that /output knows tool calls by.
type numbers struct {
	items []int       // their indexes
	at    map[int]int // the number of an index
}

// of is the number of an item, which gets one when it is first heard of.
func (ns *numbers) of(item int) int {
	if ns.at[item] == 0 {
		ns.items = append(ns.items, item)
		ns.at[item] = len(ns.items)
	}
	return ns.at[item]
}

// toolLine is all of a tool call but its content, in a line.
func (n *narrator) toolLine(it *thread.Item) string {
	tool, number := it.Tool, n.numbers.of(it.Index)
	line := toolName(tool, number) + ": " + strings.TrimSpace(strings.TrimSpace(verbs[tool.Kind])+" "+subject(tool, n.cwd()))
	if tool.Kind == "execute" {
		line = toolName(tool, number) + ": " + subject(tool, n.cwd())
	}
	var parts []string
	if added, removed, ok := counts(tool); ok {
		parts = append(parts, fmt.Sprintf("plus %d, minus %d", added, removed))
	}
	ended, lines := commandEnd(n.Thread, it)
	if ended != "" {
		parts = append(parts, ended)
	}
	if tool.State() != thread.ToolDone || ended == "" {
		parts = append(parts, tool.StateWord())
	}
	if tool.Trust >= thread.Unasked {
		parts = append(parts, tool.Trust.String())
	}
	if took := tool.Took(tool.Ended); tool.Final() && !tool.Ended.IsZero() && took >= announceAfter {
		parts = append(parts, spoken(took))
	}
	if lines += textLines(tool); lines > 0 && tool.Kind == "execute" {
		parts = append(parts, count(lines, "line")+fmt.Sprintf("; /output %d shows them", number))
	}
	return line + ", " + strings.Join(parts, ", ") + "."
}

// toolName is what a call is called, with its number.
func toolName(t *thread.Tool, number int) string {
	if t.Kind == "execute" {
		return fmt.Sprintf("Run %d", number)
	}
	return fmt.Sprintf("Tool %d", number)
}

// subject says what a call is about: its command, its files, or its title.
func subject(t *thread.Tool, cwd string) string {
	if t.Kind == "execute" {
		if command := transcript.Command(t.RawInput); command != "" {
			return cut(oneLine(command), 300)
		}
		return inline(t.Title)
	}
	if paths := paths(t, cwd); paths != "" && slices.Contains([]string{"read", "edit", "delete", "move"}, t.Kind) {
		return paths
	}
	if t.Title != "" {
		return inline(t.Title)
	}
	return t.Name
}

// paths lists the files of a call, each once.
func paths(t *thread.Tool, cwd string) string {
	out := transcript.Paths(t, cwd, "%s line %d")
	for i := range out {
		out[i] = oneLine(out[i])
	}
	return strings.Join(out, ", ")
}

// counts sums up the lines of the diffs of a call.
func counts(t *thread.Tool) (added, removed int, ok bool) {
	for _, content := range t.Content {
		switch {
		case content.Diff != nil:
			plus, minus := widget.Summarise(transcript.Change(content.Diff))
			added, removed, ok = added+plus, removed+minus, true
		case content.Changes != nil && content.Changes.PatchFormat == "git_patch":
			for _, f := range widget.ParsePatch(content.Changes.Patch) {
				if f.Diff != nil {
					added, removed, ok = added+f.Diff.Added, removed+f.Diff.Removed, true
				}
			}
		}
	}
	return added, removed, ok
}

// commandEnd says how the commands of a call ended, and how many lines of output
// there are of them.
func commandEnd(t *thread.Thread, it *thread.Item) (words string, lines int) {
	for _, content := range it.Tool.Content {
		term := terminalOf(t, it, content)
		if term == nil {
			continue
		}
		lines += screenOf(term).Len()
		switch {
		case !term.Exited:
		case term.Signal != "":
			words = "ended by " + term.Signal
		case term.Code != nil:
			words = fmt.Sprintf("exit code %d", *term.Code)
		}
	}
	return words, lines
}

func terminalOf(t *thread.Thread, it *thread.Item, content event.ToolContent) *thread.Terminal {
	if content.Terminal == "" {
		return nil
	}
	return t.TerminalOf(it, content.Terminal)
}

// screenOf plays the output of a command.
func screenOf(term *thread.Terminal) *widget.Terminal {
	const cols = 200 // of a program that addresses its screen
	screen := widget.NewTerminal(cols)
	screen.Write(term.Output)
	return screen
}

// textLines is how many lines of text a call has brought.
func textLines(t *thread.Tool) int {
	n := 0
	for _, content := range t.Content {
		if content.Content != nil && content.Content.Text != "" {
			n += len(splitLines(content.Content.Text))
		}
	}
	return n
}

// tellPlan says how far the plan is, when that is news.
func (n *narrator) tellPlan() {
	done, now := 0, ""
	for _, e := range n.Thread.Plan {
		switch {
		case e.Status == "completed":
			done++
		case e.Status == "in_progress" && now == "":
			now = inline(e.Content)
		}
	}
	line := ""
	if heading := n.Thread.Heading(); heading != "" {
		line = "Plan: " + strings.TrimRight(inline(heading), ".") + ". /plan reads all of it."
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
