package headless

import (
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/patch"
	"parley/internal/safetext"
)

// tool returns the object of a call. It includes the output of commands only after the call
// has ended; before, every change would repeat it.
func (c *encoder) tool(tool *thread.Tool, t *thread.Thread) *toolEvent {
	out := &toolEvent{ID: tool.ID, Title: tool.Title, Kind: tool.Kind, Status: tool.Status, RawInput: tool.RawInput, RawOutput: tool.RawOutput}
	for _, l := range tool.Locations {
		place := l.Path
		if l.Line > 0 {
			place = fmt.Sprintf("%s:%d", l.Path, l.Line)
		}
		out.Locations = append(out.Locations, place)
	}
	for _, content := range tool.Content {
		switch {
		case content.Diff != nil:
			d := diffEvent{Path: content.Diff.Path, Old: content.Diff.Old, New: content.Diff.New}
			if content.Diff.Deleted {
				d.Operation = "delete"
			}
			if p := content.Diff.Context; p != nil && p.First >= 0 {
				d.Line = p.First + strings.Count(p.Before, "\n") + 1
			}
			out.Diffs = append(out.Diffs, d)
		case content.Changes != nil:
			c.changes(out, content.Changes)
		case content.Terminal != "":
			out.Terminals = append(out.Terminals, content.Terminal)
			if term := t.Terminal(content.Terminal); term != nil && !tool.Live() {
				out.ran(term)
			}
		case content.Content != nil:
			out.Output += content.Content.Text
			if a := content.Content; a.Kind != event.TextContent {
				out.Attachments = append(out.Attachments, attachmentEvent{a.Name, a.URI, a.MimeType, a.Bytes})
			}
		}
	}
	return out
}

// ran adds the output of a command as text, and how it ended.
func (out *toolEvent) ran(term *thread.Terminal) {
	if out.Output != "" && !strings.HasSuffix(out.Output, "\n") {
		out.Output += "\n"
	}
	out.Output += safetext.Clean(string(term.Output))
	out.Truncated = out.Truncated || term.Gap || term.Total > int64(len(term.Output))
	if term.Exited {
		out.ExitCode, out.Signal = term.Code, term.Signal
	}
}

// changes adds the changes of a patch, one for each hunk.
func (c *encoder) changes(out *toolEvent, changes *event.Changes) {
	all, unread := patch.Match(changes.Files, changes.PatchFormat, changes.Patch, c.dir)
	for _, change := range all {
		d := diffEvent{Path: change.Path, OldPath: change.OldPath, Operation: change.Operation, FileType: change.FileType}
		before := len(out.Diffs)
		for _, part := range change.Parts {
			for _, h := range part.Hunks {
				d.Line = h.LineNoX + 1
				d.Old, d.New = part.Texts(h)
				out.Diffs = append(out.Diffs, d)
			}
		}
		if len(out.Diffs) == before { // moved, binary, or not in the patch
			out.Diffs = append(out.Diffs, d)
		}
	}
	out.Unread += strings.Join(unread, "")
}
