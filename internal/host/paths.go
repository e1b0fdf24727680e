package host

import (
	"path/filepath"
	"strings"

	"parley/acpclient/wire"
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

// addPaths resolves the files that a tool call names, shows them where nothing
// else does, and warns of those that lead outside or are sensitive. What cannot
// be resolved counts as outside.
func (h *Host) addPaths(q *permissions.Question, session string, t wire.ToolCall, show bool) {
	shown := map[string]bool{}
	seen := map[string]bool{}
	var paths []string
	add := func(p string) {
		if p != "" && !seen[p] {
			seen[p] = true
			paths = append(paths, p)
		}
	}
	for _, c := range contents(t) {
		if c.Type == "diff" {
			add(c.Path)
			shown[c.Path] = true
		}
	}
	if t.Locations != nil {
		for _, l := range *t.Locations {
			add(l.Path)
			if show && !shown[l.Path] {
				shown[l.Path] = true
				q.Body = append(q.Body, permissions.Part{Kind: permissions.Field, Label: "file", Text: visiblePath(l.Path)})
			}
		}
	}
	for _, p := range inputPaths(t.RawInput) {
		add(p)
	}
	for i, p := range paths {
		if i == maxPaths {
			q.Outside = true
			q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: "more files than parley looks up: some may be outside the session's directories"})
			break
		}
		h.warnOf(q, session, p)
	}
}

// warnOf looks one path up and adds what there is to warn of. Of a machine that is
// not this one nobody knows anything.
func (h *Host) warnOf(q *permissions.Question, session, p string) {
	if !h.shared() {
		q.Outside = true
		return
	}
	warn := func(s string) {
		q.Body = append(q.Body, permissions.Part{Kind: permissions.Warning, Text: visiblePath(p) + ": " + s})
	}
	full := p
	if !filepath.IsAbs(full) {
		if strings.HasPrefix(p, "~") || strings.Contains(p, "://") { // the agent knows where that is
			q.Outside = true
			return
		}
		full = filepath.Join(h.cwd(session), full)
	}
	target, err := h.files.Resolve(session, full)
	if err != nil {
		q.Outside = true
		warn("nobody knows where it leads: " + visiblePath(err.Error()))
		return
	}
	if target.Symlink && !target.Inside {
		warn("really " + visiblePath(target.Resolved))
	}
	if !target.Inside {
		q.Outside = true
		warn("outside the session's directories")
	}
	if target.Secret != "" {
		q.Secret = true
		warn("sensitive: " + target.Secret)
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
