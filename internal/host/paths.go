package host

import (
	"path/filepath"
	"strings"

	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/permissions"
)

// visiblePath is a path as a question shows it: on one line, whatever it holds. A
// name with line breaks could draw rows that look like parley's own.
func visiblePath(path string) string {
	return strings.ReplaceAll(safetext.Visible(path), "\n", `<\n>`)
}

// maxPaths bounds how many files of one question are looked up.
const maxPaths = 200

// named is a file that a tool call names, and where it leads.
type named struct {
	path  string // as it came
	write bool   // a change of it is shown
	found
}

// found is where a path leads. One that is elsewhere is not looked up: the agent
// knows where that is, or another machine does.
type found struct {
	target    fsops.Target
	elsewhere bool
	err       error
}

// find looks a path up.
func (h *Host) find(session, path string) (f found) {
	if !h.shared() {
		return found{elsewhere: true}
	}
	if !filepath.IsAbs(path) {
		if strings.HasPrefix(path, "~") || strings.Contains(path, "://") {
			return found{elsewhere: true}
		}
		path = filepath.Join(h.cwd(session), path)
	}
	f.target, f.err = h.files.Resolve(session, path)
	return f
}

// namedFiles are the files that a tool call names, those that it shows a change of
// first, each looked up once; more tells that there are others.
func (h *Host) namedFiles(session string, t wire.ToolCall) (files []named, more bool) {
	seen := map[string]bool{}
	add := func(p string, write bool) {
		switch {
		case p == "" || seen[p]:
		case len(files) == maxPaths:
			more = true
		default:
			seen[p] = true
			files = append(files, named{p, write, h.find(session, p)})
		}
	}
	for _, c := range contents(t) {
		if c.Type == "diff" {
			add(c.Path, true)
		}
	}
	if t.Locations != nil {
		for _, l := range *t.Locations {
			add(l.Path, false)
		}
	}
	for _, p := range inputPaths(t.RawInput) {
		add(p, false)
	}
	return files, more
}

// addPaths warns of the files that lead outside or are sensitive, and with show
// names those that nothing else shows. What cannot be resolved counts as outside.
func (h *Host) addPaths(q *permissions.Question, t wire.ToolCall, files []named, more, show bool) {
	shown := map[string]bool{}
	for _, c := range contents(t) {
		if c.Type == "diff" {
			shown[c.Path] = true
		}
	}
	if show && t.Locations != nil {
		for _, l := range *t.Locations {
			if !shown[l.Path] {
				shown[l.Path] = true
				q.Body = append(q.Body, permissions.Part{Kind: permissions.Field, Label: "file", Text: visiblePath(l.Path)})
			}
		}
	}
	for _, f := range files {
		warnOf(q, f)
	}
	if more {
		q.Outside = true
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: "more files than parley looks up: some may be outside the session's directories"})
	}
}

// warnOf adds what there is to warn of a file.
func warnOf(q *permissions.Question, f named) {
	warn := func(s string) {
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: visiblePath(f.path) + ": " + s})
	}
	switch {
	case f.elsewhere:
		q.Outside = true
		return
	case f.err != nil:
		q.Outside = true
		warn("nobody knows where it leads: " + visiblePath(f.err.Error()))
		return
	}
	if f.target.Symlink && !f.target.Inside {
		warn("really " + visiblePath(f.target.Resolved))
	}
	if !f.target.Inside {
		q.Outside = true
		warn("outside the session's directories")
	}
	if f.target.Secret != "" {
		q.Secret = true
		warn("sensitive: " + f.target.Secret)
	}
}

// inputPaths finds the members of a raw input that name a file: by their name,
// or because their value can hardly be anything else.
func inputPaths(raw []byte) []string {
	var out []string
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		key := strings.ToLower(string(m.Key))
		switch key {
		case "command", "cmd", "pattern", "query", "regex": // no paths, even if they begin like one
			continue
		}
		if strings.Contains(key, "path") || key == "file" || key == "filename" || key == "directory" || key == "dir" {
			out = append(out, texts(m.Value)...)
			continue
		}
		if s, ok := jsonscan.Text(m.Value); ok && filepath.IsAbs(s) && !strings.ContainsAny(s, " \n") {
			out = append(out, s)
		}
	}
	return out
}

// texts are the strings of a JSON string or list.
func texts(raw []byte) []string {
	if s, ok := jsonscan.Text(raw); ok {
		return []string{s}
	}
	var out []string
	items := jsonscan.ItemsOf(raw)
	for items.Next() {
		if s, ok := jsonscan.Text(items.Value); ok {
			out = append(out, s)
		}
	}
	return out
}
