package event

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// ToolChanged creates or changes a tool call (tool_call, tool_call_update, the
// toolCall of a permission request). Nil means unchanged.
type ToolChanged struct {
	For
	ID                  string
	Title, Name, Kind   *string
	Status              *string
	Content             *[]ToolContent
	AppendContent       []ToolContent // v2: added to the end of what it has
	Locations           *[]Location
	RawInput, RawOutput *string // JSON
	Cancelable          *bool   // v2: Session.CancelTool may be used, now
	Forbidden           bool    // it has ended, and the user's rules deny what it did
	At                  time.Time
	Until               time.Time // when the last came, where a Queue has joined several
}

// bare tells whether it says nothing but that the call continues.
func (e *ToolChanged) bare() bool {
	return e.Title == nil && e.Name == nil && e.Kind == nil && e.Status == nil && e.Content == nil && e.AppendContent == nil &&
		e.Locations == nil && e.RawInput == nil && e.RawOutput == nil && e.Cancelable == nil
}

// ToolContent is one piece of a tool call's content: exactly one of the fields
// is set.
type ToolContent struct {
	Content  *Content
	Diff     *Diff
	Terminal string // id
	Changes  *Changes
}

// Changes is the diff of v2: Files says what happens to which file and is the
// whole truth, Patch may show it, or a part of it. A Patch of another format
// than "git_patch" is text.
type Changes struct {
	Files              []FileChange
	PatchFormat, Patch string // both "" where there is none
}

// FileChange is one file of Changes. Operation: add, delete, modify, move, copy,
// or something newer. FileType: text, binary, directory, symlink, or "".
type FileChange struct {
	Operation, Path, OldPath, FileType string
}

// Diff is a change of a file as the agent tells it. Old need not be the whole
// file, and a missing Old does not prove that the file is new.
type Diff struct {
	Path       string
	Old, New   string
	OldMissing bool
	Deleted    bool
	Place      *Place // nil: nobody could look
}

// Place is where in its file a Diff is.
type Place struct {
	First         int    // lines of the file before Before; -1: the texts are a part of it, and it is not known which
	Before, After string // what the file holds around the texts: a few lines, the first and the last of them whole
}

// Texts are the old and the new text as they are to be compared, and how many lines of
// the file come before them: -1 where that is not known. Agents that send a part of a
// file cut it wherever they like, so the file's own lines around it are added.
func (d *Diff) Texts() (before, after string, first int) {
	p := d.Place
	switch {
	case p != nil && p.First >= 0:
		return p.Before + d.Old + p.After, p.Before + d.New + p.After, p.First
	case d.Old != "" && d.New != "" && !strings.HasSuffix(d.Old, "\n") && !strings.HasSuffix(d.New, "\n"): // hardly whole files
		return d.Old + "\n", d.New + "\n", -1
	case p != nil:
		return d.Old, d.New, -1
	}
	return d.Old, d.New, 0
}

// Location is a place in a file; Line is 1-based, 0 when not given.
type Location struct {
	Path string
	Line int
}

// CommandLine is the command line in the raw input of a tool call, or its words with
// blanks between them; "" where there is none. It is as the agent sent it: make it safe
// before it is shown.
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
