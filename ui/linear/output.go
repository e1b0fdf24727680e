package linear

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// showOutput writes all that a tool call has brought: what, and each line of it.
func (c *chat) showOutput(arg string) {
	n := len(c.numbers)
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil {
			n = 0
		}
	}
	if n < 1 || n > len(c.numbers) {
		if len(c.numbers) == 0 {
			c.say("There is no output yet.")
			return
		}
		c.say("There is no output %s: tools have the numbers 1 to %d.", arg, len(c.numbers))
		return
	}
	it := c.Thread.Items[c.numbers[n-1]]
	tool := it.Tool
	c.say("Output of %s: %s.", toolName(tool, n), subject(tool, c.cwd()))
	shown := false
	for _, content := range tool.Content {
		shown = c.showContent(it, content) || shown
	}
	if !shown {
		shown = c.showRaw(tool)
	}
	if !shown {
		c.say("There is nothing to show.")
		return
	}
	c.say("End of output.")
}

func (c *chat) showContent(it *thread.Item, content event.ToolContent) bool {
	switch {
	case content.Diff != nil && content.Diff.Deleted && content.Diff.Old+content.Diff.New == "":
		c.say("File: delete %s", oneLine(transcript.Short(content.Diff.Path, c.cwd())))
	case content.Diff != nil:
		d := transcript.Change(content.Diff)
		d.Path = transcript.Short(d.Path, c.cwd())
		c.showChange(d)
	case content.Changes != nil:
		for _, f := range content.Changes.Files {
			c.say("File: %s", strings.TrimSpace(f.Operation+" "+oneLine(transcript.Short(f.Path, c.cwd()))))
		}
		if content.Changes.Patch != "" {
			c.say("Patch:")
			c.out.lines(content.Changes.Patch)
		}
	case content.Terminal != "":
		term := terminalOf(c.talk, it, content)
		if term == nil {
			return false
		}
		if term.Gap || term.Total > int64(len(term.Output)) {
			c.say("The beginning is not kept.")
		}
		const wide = 1 << 16 // no line is wrapped
		for _, row := range screenOf(term).Rows(wide, 0) {
			c.out.lines(ansi.Strip(row))
		}
	case content.Content != nil && content.Content.Kind == event.TextContent:
		c.out.lines(content.Content.Text)
	case content.Content != nil:
		c.say("Attachment: %s.", attachment(content.Content))
	default:
		return false
	}
	return true
}

// showRaw writes the input and output of a call that has nothing else.
func (c *chat) showRaw(tool *thread.Tool) bool {
	shown := false
	if tool.RawInput != "" && tool.RawInput != "{}" {
		c.say("Input:")
		c.out.lines(safetext.Clean(tool.RawInput))
		shown = true
	}
	text := tool.RawOutput
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		text = s
	}
	if text != "" && text != "{}" && text != "null" {
		c.say("Result:")
		c.out.lines(safetext.Clean(text))
		shown = true
	}
	return shown
}

// maxCompared bounds the texts that are compared, in bytes of each; of longer
// ones all lines are written.
const maxCompared = 4 << 20

// showChange writes the lines that differ between two texts, and three around
// them, each with its number and what becomes of it.
func (c *chat) showChange(d widget.Diff) {
	path := oneLine(d.Path)
	if d.Old == d.New && !d.OldMissing {
		c.say("Change of %s: no changes.", path)
		return
	}
	if d.OldMissing && d.Old == "" {
		c.say("New file %s, %s:", path, count(linesIn(d.New), "line"))
	} else {
		c.say("Change of %s:", path)
	}
	for _, l := range changeLines(d) {
		c.out.lines(l)
	}
	c.say("End of the change.")
}

func linesIn(s string) int {
	if s == "" {
		return 0
	}
	return len(splitLines(s))
}

// changeLines are the lines of a change, in words.
func changeLines(d widget.Diff) []string {
	const around = 3
	opts := []textdiff.Option{diff.Context(around), textdiff.IndentHeuristic()}
	if max(len(d.Old), len(d.New)) > maxCompared {
		return append(allLines(d.First, "removed", d.Old), allLines(d.First, "added", d.New)...)
	}
	var out []string
	last := math.MaxInt
	for _, h := range textdiff.Hunks(d.Old, d.New, opts...) {
		if h.LineNoX > last {
			out = append(out, fmt.Sprintf("%s without a change.", count(h.LineNoX-last, "line")))
		}
		last = h.EndLineNoX
		for _, e := range h.Edits {
			switch e.Op {
			case diff.Delete:
				out = append(out, lineOf(d.First, e.LineNoX, ", removed", e.Line))
			case diff.Insert:
				out = append(out, lineOf(d.First, e.LineNoY, ", added", e.Line))
			default:
				out = append(out, lineOf(d.First, e.LineNoY, "", e.Line))
			}
		}
	}
	return out
}

func allLines(first int, what, text string) []string {
	var out []string
	i := 0
	for l := range strings.Lines(text) {
		out = append(out, lineOf(first, i, ", "+what, l))
		i++
	}
	return out
}

// lineOf is one line of a text, with its number from 0. Lines of a part of a file of
// which the place is not known have none that would help.
func lineOf(first, n int, what, line string) string {
	text, whole := strings.CutSuffix(line, "\n")
	switch {
	case first < 0:
		return fmt.Sprintf("Line%s: %s", what, text)
	case !whole:
		what += ", without a newline at its end"
	}
	return fmt.Sprintf("Line %d%s: %s", first+n+1, what, text)
}
