package linear

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"znkr.io/diff"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/words"
)

// output prints the whole content of a tool call.
func (r report) output(arg string) {
	all := r.calls.all()
	n, ok := numbered(arg, len(all))
	switch {
	case len(all) == 0:
		r.out.say("No output yet.")
		return
	case !ok:
		r.out.say("No output %s: tools are numbered 1 to %d.", arg, len(all))
		return
	}
	it := r.Thread.Items[all[n-1]]
	tool := it.Tool
	r.out.say("Output of %s: %s.", r.calls.name(it), subject(tool, r.Session.Cwd()))
	shown := false
	for _, content := range tool.Content {
		shown = r.content(it, content) || shown
	}
	if !shown && !r.raw(tool) {
		r.out.say("Nothing to show.")
		return
	}
	r.out.say("End of output.")
}

func (r report) content(it *thread.Item, content event.ToolContent) bool {
	switch {
	case content.Diff != nil && content.Diff.Deleted && content.Diff.Old+content.Diff.New == "":
		r.out.say("File: delete %s", words.OneLine(words.RelativePath(content.Diff.Path, r.Session.Cwd())))
	case content.Diff != nil:
		d := content.Diff.Texts()
		d.Path = words.RelativePath(d.Path, r.Session.Cwd())
		r.out.change(d)
	case content.Changes != nil:
		for _, f := range content.Changes.Files {
			r.out.say("File: %s", strings.TrimSpace(f.Operation+" "+words.OneLine(words.RelativePath(f.Path, r.Session.Cwd()))))
		}
		if content.Changes.Patch != "" {
			r.out.say("Patch:")
			r.out.lines(content.Changes.Patch)
		}
	case content.Terminal != "":
		term := r.Thread.TerminalOf(it, content.Terminal)
		if term == nil {
			return false
		}
		if term.Gap || term.Total > int64(len(term.Output)) {
			r.out.say("The beginning has been dropped.")
		}
		const wide = 1 << 16 // so that no line is wrapped
		for _, row := range screenOf(term).Rows(wide, 0) {
			r.out.lines(ansi.Strip(row))
		}
	case content.Content != nil && content.Content.Kind == event.TextContent:
		r.out.lines(content.Content.Text)
	case content.Content != nil:
		r.out.say("Attachment: %s.", attachment(content.Content))
	default:
		return false
	}
	return true
}

// numbered parses a number from 1 to most; an empty arg means the last.
func numbered(arg string, most int) (n int, ok bool) {
	if arg == "" {
		return most, most > 0
	}
	n, err := strconv.Atoi(arg)
	return n, err == nil && n >= 1 && n <= most
}

// raw prints the input and output of a call without other content. It returns false if it has
// neither.
func (r report) raw(tool *thread.Tool) bool {
	shown := false
	show := func(label, text string) {
		if text != "" && text != "{}" && text != "null" {
			r.out.say("%s:", label)
			r.out.lines(safetext.Clean(text))
			shown = true
		}
	}
	show("Input", tool.RawInput)
	result := tool.RawOutput
	var text string
	if json.Unmarshal([]byte(result), &text) == nil {
		result = text
	}
	show("Result", result)
	return shown
}

// change prints the lines that differ between two texts with three lines of context, each with
// its number and whether it was added or removed.
func (p *printer) change(d linediff.Texts) {
	path := words.OneLine(d.Path)
	if d.Old == d.New && !d.OldMissing {
		p.say("Change of %s: no changes.", path)
		return
	}
	if d.OldMissing && d.Old == "" {
		p.say("New file %s, %s:", path, words.Count(linesIn(d.New), "line"))
	} else {
		p.say("Change of %s:", path)
	}
	for _, l := range changeLines(d) {
		p.lines(l)
	}
	p.say("End of the change.")
}

func linesIn(s string) int {
	if s == "" {
		return 0
	}
	return len(splitLines(s))
}

// changeLines returns the lines of a change, in words.
func changeLines(t linediff.Texts) []string {
	d := linediff.Compare(t)
	if d.TooLarge {
		return append(allLines(t.First, "removed", t.Old), allLines(t.First, "added", t.New)...)
	}
	var out []string
	last := math.MaxInt
	for _, h := range d.Hunks {
		if h.LineNoX > last {
			out = append(out, fmt.Sprintf("%s without a change.", words.Count(h.LineNoX-last, "line")))
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

// lineOf describes one line of a text, with its number from 0. In part of a file at an unknown
// place it has no number.
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
