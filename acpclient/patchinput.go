package acpclient

import (
	"bytes"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/patch"
)

// PatchContents returns the changes that a tool call has only in its input, as a patch
// that patch.Fragments can read, and the member that holds the patch. It returns nil if
// there are none. Such a call is an edit.
func PatchContents(t wire.ToolCall) (member string, contents []wire.ToolContent) {
	const tool = "apply_patch"
	kind, named := valueOf(t.Kind), strings.HasPrefix(valueOf(t.Title), tool) || strings.HasPrefix(valueOf(t.Name), tool)
	if kind != "edit" && !(named && (kind == "" || kind == "other")) || !bytes.Contains(t.RawInput, []byte(patch.Begin)) || jsonscan.KindOf(t.RawInput) != jsonscan.Object {
		return "", nil
	}
	text, n := "", 0
	m := jsonscan.MembersOf(t.RawInput)
	for m.Next() {
		switch key := string(m.Key); key {
		case "input", "patch", "patchText", "patch_text":
			member, n = key, n+1
			text, _ = jsonscan.Text(m.Value)
		}
	}
	fragments, ok := patch.Fragments(text)
	if !ok || n != 1 || m.Err() != nil {
		return "", nil
	}
	for _, f := range fragments {
		c := wire.ToolContent{Type: "diff", Path: f.Path, NewText: f.New}
		switch f.Operation {
		case "move":
			c = textContent("Move " + f.Path + " to " + f.To)
		case "delete":
			c.Deleted = true
		case "modify":
			c.OldText, c.Partial = &f.Old, true
		}
		contents = append(contents, c)
	}
	return member, contents
}

// fromInput completes a tool call whose changes are only in its input. It returns the
// changes if the update t should carry them.
func fromInput(t wire.ToolCall, whole *wire.ToolCall) *[]wire.ToolContent {
	if whole.Content != nil && len(*whole.Content) > 0 {
		return nil
	}
	_, found := PatchContents(*whole)
	if found == nil {
		return nil
	}
	contents, kind := found, "edit"
	whole.Kind, whole.Content = &kind, &contents
	if t.RawInput == nil && t.Content == nil && t.Kind == nil && t.Title == nil {
		return nil
	}
	return whole.Content
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
