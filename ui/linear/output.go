package linear

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/ui/transcript"
)

// output writes all that a tool call has brought: what, and each line of it.
func (r report) output(arg string) {
	most := len(r.numbers.items)
	n, ok := numbered(arg, most)
	switch {
	case most == 0:
		r.out.say("There is no output yet.")
		return
	case !ok:
		r.out.say("There is no output %s: tools have the numbers 1 to %d.", arg, most)
		return
	}
	it := r.Thread.Items[r.numbers.items[n-1]]
	tool := it.Tool
	r.out.say("Output of %s: %s.", toolName(tool, n), subject(tool, cwd(r.Session)))
	shown := false
	for _, content := range tool.Content {
		shown = r.content(it, content) || shown
	}
	if !shown && !r.raw(tool) {
		r.out.say("There is nothing to show.")
		return
	}
	r.out.say("End of output.")
}

func (r report) content(it *thread.Item, content event.ToolContent) bool {
	switch {
	case content.Diff != nil && content.Diff.Deleted && content.Diff.Old+content.Diff.New == "":
		r.out.say("File: delete %s", oneLine(transcript.Short(content.Diff.Path, cwd(r.Session))))
	case content.Diff != nil:
		d := transcript.Change(content.Diff)
		d.Path = transcript.Short(d.Path, cwd(r.Session))
		r.out.change(d)
	case content.Changes != nil:
		for _, f := range content.Changes.Files {
			r.out.say("File: %s", strings.TrimSpace(f.Operation+" "+oneLine(transcript.Short(f.Path, cwd(r.Session)))))
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
			r.out.say("The beginning is not kept.")
		}
		const wide = 1 << 16 // no line is wrapped
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

// numbered reads which of so many is meant: the last where nothing was said.
func numbered(arg string, most int) (n int, ok bool) {
	if arg == "" {
		return most, most > 0
	}
	n, err := strconv.Atoi(arg)
	return n, err == nil && n >= 1 && n <= most
}

// raw writes the input and output of a call that has nothing else.
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
