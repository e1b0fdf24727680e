package acpclient

import (
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/patch"
)

// complete adds to the content of a call what the agent has left out or taken back: the
// changes of a finished call that a sentence replaced, old texts that were known before,
// and output that is only in the raw output. It removes a patch that repeats the changes.
// had is what was known of the call before, whole is everything that is known now.
func complete(t *wire.ToolCall, whole wire.ToolCall, had storedTool) {
	ended := t.Status != nil && final(*t.Status)
	if !ended && t.Content == nil {
		return
	}
	var content []wire.ToolContent
	if whole.Content != nil {
		content = *whole.Content
	}
	now := withOldTexts(content, had.changes)
	kept := 0
	if ended && *t.Status == "completed" && !slices.ContainsFunc(now, isChange) {
		now, kept = slices.Concat(had.changes, now), len(had.changes)
	}
	n := len(now)
	if now = withoutRepeats(now); len(now) == n { // no patch confirms them
		for i := range kept {
			now[i].Kept = true
		}
	}
	if ended && !slices.ContainsFunc(now, func(c wire.ToolContent) bool { return c.Type != "terminal" || !had.silent(t) }) {
		if text := outputOf(whole.RawOutput); text != "" {
			now = append(slices.Clip(now), textContent(text))
		}
	}
	if t.Content != nil || len(now) != len(content) {
		t.Content = &now
	}
}

func isChange(c wire.ToolContent) bool { return c.Type == "diff" || c.Type == wire.ChangesContent }

// withOldTexts returns content in which a diff without an old text has the one that the same
// diff had before.
func withOldTexts(content, before []wire.ToolContent) []wire.ToolContent {
	for i, c := range content {
		same := func(o wire.ToolContent) bool { return o.Type == "diff" && o.Path == c.Path && o.NewText == c.NewText }
		if k := slices.IndexFunc(before, same); k >= 0 && c.Type == "diff" && valueOf(c.OldText) == "" {
			content = slices.Concat(content[:i], before[k:k+1], content[i+1:])
		}
	}
	return content
}

// withoutRepeats returns content without patches of which the diffs show every change.
func withoutRepeats(content []wire.ToolContent) []wire.ToolContent {
	repeats := func(c wire.ToolContent) bool { return c.Type == "content" && isRepeated(c.Block.Text, content) }
	if slices.ContainsFunc(content, isChange) && slices.ContainsFunc(content, repeats) {
		return slices.DeleteFunc(slices.Clone(content), repeats)
	}
	return content
}

// maxRepeated bounds a text that is compared with the changes beside it, in bytes.
const maxRepeated = 1 << 20

// isRepeated reports whether a text is a patch that only makes changes that are in content.
func isRepeated(text string, content []wire.ToolContent) bool {
	if len(text) > maxRepeated || !strings.Contains(text, "\n@@ ") {
		return false
	}
	for _, f := range patch.Parse(text) {
		for _, h := range f.Hunks {
			before, after := f.Texts(h)
			if !slices.ContainsFunc(content, func(c wire.ToolContent) bool {
				return c.Type == "diff" && strings.HasSuffix(c.Path, f.Path) && makes(c, before, after)
			}) {
				return false
			}
		}
		if len(f.Hunks) == 0 {
			return false
		}
	}
	return true
}

// makes reports whether a diff, of a whole file or of a part, turns a text of the file into
// another.
func makes(c wire.ToolContent, before, after string) bool {
	old := valueOf(c.OldText)
	return strings.Contains(old, strings.TrimSuffix(before, "\n")) && strings.Contains(c.NewText, strings.TrimSuffix(after, "\n")) ||
		old != "" && strings.Replace(before, old, c.NewText, 1) == after
}

// outputOf returns the output of a command in raw output, "" if there is none.
func outputOf(raw wire.Raw) (output string) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return ""
	}
	members := []string{"formatted_output", "aggregated_output", "stdout"}
	for m := jsonscan.MembersOf(raw); m.Next(); {
		if i := slices.Index(members, string(m.Key)); i >= 0 {
			if text, ok := jsonscan.Text(m.Value); ok && strings.TrimSpace(text) != "" {
				output, members = text, members[:i]
			}
		}
	}
	return output
}

// exitCodeOf returns the exit code of a command in raw output; nil if there is none. opencode, which calls
// every command completed, has it in the metadata.
func exitCodeOf(raw wire.Raw) *int {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return nil
	}
	for m := jsonscan.MembersOf(raw); m.Next(); {
		switch string(m.Key) {
		case "exit", "exit_code", "exitCode":
			if n, ok := jsonscan.Int(m.Value); ok {
				return new(int(n))
			}
		case "metadata":
			if code := exitCodeOf(m.Value); code != nil {
				return code
			}
		}
	}
	return nil
}
