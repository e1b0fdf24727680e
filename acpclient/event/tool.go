package event

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/linediff"
)

// ToolChanged creates or changes a tool call (tool_call, tool_call_update, the toolCall
// of a permission request). Nil means unchanged.
type ToolChanged struct {
	For
	ID                  string
	Title, Name, Kind   *string
	Status              *string
	Content             *[]ToolContent
	AppendContent       []ToolContent // v2: appended to the content
	Locations           *[]Location
	RawInput, RawOutput *string     // JSON
	Steps               []PlanEntry // of the todo list that it carries; nil: none
	ExitCode            *int        // of its command, where the agent says it in the raw output
	Cancelable          *bool       // v2: whether Session.CancelTool may be used now
	At                  time.Time
	Until               time.Time // when the last of several joined changes arrived
}

// ToolExamined says what the disk says about a tool call that was reported before.
type ToolExamined struct {
	For
	ID        string
	Diffs     []*Diff // changes of the call: with their Context, and the old text of a file that is overwritten
	Forbidden bool    // it has ended, and the user's rules deny what it did
	Recorded  *Diff   // its change, which the agent has not shown, from the record of what changed in its turn; else nil
}

// Completes reports whether d makes the same change as c, a piece of a tool call, and says no less.
func (d *Diff) Completes(c ToolContent) bool {
	switch {
	case c.Diff != nil:
		return d.Path == c.Diff.Path && d.New == c.Diff.New && (d.Old == c.Diff.Old || c.Diff.Old == "")
	case c.Changes != nil && len(c.Changes.Files) == 1: // a patch that adds a file
		added := "+" + strings.ReplaceAll(strings.TrimSuffix(d.New, "\n"), "\n", "\n+")
		f := c.Changes.Files[0]
		return f.Operation == "add" && f.Path == d.Path && !d.OldMissing && strings.Contains(c.Changes.Patch, added)
	}
	return false
}

// isEmpty reports whether e has no content: it only says that the call is still running.
func (e *ToolChanged) isEmpty() bool {
	return e.Title == nil && e.Name == nil && e.Kind == nil && e.Status == nil && e.Content == nil && e.AppendContent == nil &&
		e.Locations == nil && e.RawInput == nil && e.RawOutput == nil && e.Steps == nil && e.ExitCode == nil && e.Cancelable == nil
}

// ToolContent is one item of a tool call's content. Exactly one of the first four fields is set.
type ToolContent struct {
	Content  *Content
	Diff     *Diff
	Terminal string // its id
	Changes  *Changes

	Kept    bool // a change that the agent showed before the call had ended, and not at its end
	Asked   bool // a kept change that the question about the call showed
	OldRead bool // the old text of a diff is what the file held when the user was asked

	Recorded bool // a diff that the agent has not shown, from the record of what changed in the turn
}

// Changes is a diff of v2. Files is authoritative; Patch may show all or part of it. A
// Patch of another format than "git_patch" is plain text.
type Changes struct {
	Files              []FileChange
	PatchFormat, Patch string // both "" if there is no patch
}

// FileChange is one file of Changes. Operation: add, delete, modify, move, copy, or a
// newer value. FileType: text, binary, directory, symlink, or "".
type FileChange struct {
	Operation, Path, OldPath, FileType string
}

// Diff is a change of a file as reported by the agent. Old need not be the whole file,
// and a missing Old does not prove that the file is new.
type Diff struct {
	Path       string
	Old, New   string
	OldMissing bool
	Deleted    bool
	Context    *DiffContext // nil if the file was not read
}

// TooLarge reports whether the texts are too large to be compared in a moment.
func (d *Diff) TooLarge() bool { return len(d.Old)+len(d.New) > 1<<20 }

// DiffContext says where in its file a Diff is.
type DiffContext struct {
	First         int    // lines of the file before Before; -1 if the texts are part of the file but their position is unknown
	Before, After string // the file's text around the diff: a few lines, the first and the last of them whole
}

// Texts returns the texts to compare. Agents cut parts of a file anywhere, so the file's lines around the parts are added.
func (d *Diff) Texts() linediff.Texts {
	t := linediff.Texts{Path: d.Path, Old: d.Old, New: d.New, OldMissing: d.OldMissing}
	p := d.Context
	switch {
	case p != nil && p.First >= 0:
		t.Old, t.New, t.First = p.Before+d.Old+p.After, p.Before+d.New+p.After, p.First
	case d.Old != "" && d.New != "" && !strings.HasSuffix(d.Old, "\n") && !strings.HasSuffix(d.New, "\n"): // probably not whole files
		t.Old, t.New, t.First = d.Old+"\n", d.New+"\n", -1
	case p != nil:
		t.First = -1
	}
	return t
}

// Location is a position in a file. Line counts from 1, 0 if not given.
type Location struct {
	Path string
	Line int
}

// CommandLine returns the command line in the raw input of a tool call, a list of words
// joined with spaces, or "" if there is none. It is not safe to show.
func CommandLine(rawInput string) string {
	var in struct{ Command, Cmd any }
	if json.Unmarshal([]byte(rawInput), &in) != nil {
		return ""
	}
	for _, c := range []any{in.Command, in.Cmd} {
		switch c := c.(type) {
		case string:
			if c != "" {
				return c
			}
		case []any:
			words := make([]string, len(c))
			for i, w := range c {
				words[i] = fmt.Sprint(w)
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}
