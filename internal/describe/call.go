// Package describe says what a tool call is about and what happened, in the words that all front ends use.
package describe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/words"
)

var verbs = map[string]string{"read": "Read", "edit": "Edit", "delete": "Delete", "move": "Move", "search": "Search",
	"execute": "Run", "think": "Think", "fetch": "Fetch", "switch_mode": "Mode"}

// UnknownVerb is the word for a call of an unknown kind.
const UnknownVerb = "Tool"

// Verb returns the word for the kind of a call: "Read", "Run", or UnknownVerb. An edit that creates all of its
// files is "Create", as in its question.
func Verb(t *thread.Tool) string {
	switch {
	case t.Steps != nil:
		return "Plan"
	case t.Kind == "edit" && creates(t):
		return "Create"
	}
	return cmp.Or(verbs[t.Kind], UnknownVerb)
}

// Verbed puts the verb of a call, and sep, before what the call is about, unless that begins with it, as the title
// "Read lex.go" does.
func Verbed(t *thread.Tool, about, sep string) string {
	verb := Verb(t)
	if strings.HasPrefix(about, verb+" ") {
		return about
	}
	return verb + sep + about
}

// creates reports whether a call shows changes of files, all of them new.
func creates(t *thread.Tool) (all bool) {
	for _, c := range t.Content {
		if d := c.Diff; d != nil {
			if all = d.OldMissing && !d.Deleted; !all {
				return false
			}
		}
		if c.Changes == nil {
			continue
		}
		for _, f := range c.Changes.Files {
			if all = f.Operation == "add"; !all {
				return false
			}
		}
	}
	return all
}

// Progress returns how far the steps of a plan are, such as "1/3", and the one that is done now, "" if none is left.
func Progress(steps []event.PlanEntry) (count, now string) {
	done := 0
	for _, p := range steps {
		switch {
		case p.Status == "completed":
			done++
		case p.Status == "cancelled":
		case p.Status == "in_progress" || now == "":
			now = StripMarkdown(p.Content)
		}
	}
	return fmt.Sprintf("%d/%d", done, len(steps)), now
}

// StripMarkdown returns a step of a plan without the asterisks and backticks of Markdown.
func StripMarkdown(step string) string { return strings.NewReplacer("**", "", "`", "").Replace(step) }

// maxPaths bounds the files that Paths returns.
const maxPaths = 20

// Paths returns the files of a call, each once and relative to dir, at most 20. The format is used for a file
// with a line number.
func Paths(t *thread.Tool, dir, format string) []string {
	var out []string
	seen := map[string]bool{}
	for _, l := range t.Files() {
		path := words.RelativePath(l.Path, dir)
		if seen[path] || len(out) == maxPaths {
			continue
		}
		seen[path] = true
		if l.Line > 1 { // the first says no more than the file
			path = fmt.Sprintf(format, path, l.Line)
		}
		out = append(out, path)
	}
	return out
}

// Command returns the command line in a tool call's raw input, "" if there is none. It is safe to show.
func Command(rawInput string) string {
	var in struct {
		Command any `json:"command"`
		Cmd     any `json:"cmd"`
	}
	if json.Unmarshal([]byte(rawInput), &in) != nil {
		return ""
	}
	for _, c := range []any{in.Command, in.Cmd} {
		switch c := c.(type) {
		case string:
			return safetext.Clean(c)
		case []any:
			return safetext.Clean(commandOf(c))
		}
	}
	return ""
}

// commandOf returns a list of words as a shell would read them.
func commandOf(list []any) string {
	var out []string
	for _, w := range list {
		s, ok := w.(string)
		if !ok {
			s = fmt.Sprint(w)
		}
		if s == "" || strings.Trim(s, plainWord) != "" {
			s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// plainWord holds the characters without a meaning to a shell.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

// Subject returns what a call is about: its command, its files, how far its todo list is, or its title. command is the one in its input;
// files are joined by separator, each with its line by the format.
func Subject(t *thread.Tool, command, dir, format, separator string) string {
	if t.Steps != nil {
		count, now := Progress(t.Steps)
		return strings.TrimSuffix(count+" ▸ "+now, " ▸ ")
	}
	switch t.Kind {
	case "execute":
		return cmp.Or(command, t.Title)
	case "read", "edit", "delete", "move":
		if paths := Paths(t, dir, format); len(paths) > 0 {
			return strings.Join(paths, separator)
		}
	case "search", "fetch":
		if !strings.ContainsAny(t.Title, " /:.") { // the name of a tool, until opencode knows more
			return cmp.Or(sought(t.RawInput), t.Title, t.Name)
		}
	}
	return cmp.Or(t.Title, t.Name)
}

// maxSought bounds the input in which sought looks, in bytes.
const maxSought = 4096

// sought returns the address, the pattern or the query in a tool call's raw input, "" if there is none. It is safe to
// show.
func sought(rawInput string) string {
	var in struct{ URL, Pattern, Query string }
	if len(rawInput) > maxSought || json.Unmarshal([]byte(rawInput), &in) != nil {
		return ""
	}
	return safetext.Clean(cmp.Or(in.URL, in.Pattern, in.Query))
}
