package host

import (
	"strings"

	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/safetext"
	"parley/permissions"
)

// visiblePath returns a path on one line, for a question: a name with line breaks could draw rows that
// look like parley's own.
func visiblePath(path string) string {
	return strings.ReplaceAll(safetext.Visible(path), "\n", `<\n>`)
}

// maxPaths bounds the files of one question that are resolved.
const maxPaths = 200

// named is a file that a tool call names, and where it leads.
type named struct {
	inputFile
	found
}

// found is where a path leads. A path on another machine is not resolved.
type found struct {
	target    fsops.Target
	elsewhere bool
	err       error
}

// find resolves a path.
func (h *Host) find(session, path string) (f found) {
	if !h.shared() {
		return found{elsewhere: true}
	}
	if path = h.absolute(session, path); path == "" {
		return found{elsewhere: true}
	}
	f.target, f.err = h.files.Resolve(session, path)
	return f
}

// addNamed adds the files that a tool call names to its input, those with a shown change first.
func (in *input) addNamed(t wire.ToolCall) {
	said := in.files
	in.files = nil
	for _, c := range contents(t) {
		if c.Type == "diff" {
			in.file(c.Path, true)
		}
		for _, f := range c.Changes {
			in.file(f.OldPath, true)
			in.file(f.Path, true)
		}
		changed, _ := patched(c.Patch)
		for _, path := range changed {
			in.file(path, true)
		}
	}
	if t.Locations != nil {
		for _, l := range *t.Locations {
			in.file(l.Path, false)
		}
	}
	in.files = append(in.files, said...)
}

// namedFiles returns the files that a tool call names, those with a shown change first, each resolved
// once; more reports that there are others. It adds them to in, so that it knows them, too.
func (h *Host) namedFiles(session string, t wire.ToolCall, in *input) (files []named, more bool) {
	in.addNamed(t)
	if in.command != "" {
		for _, dir := range in.dirs {
			in.file(dir, false)
		}
	} else if in.search && len(in.files) == 0 && text(t.Kind) == "search" {
		in.file(h.cwd(session), false) // the default of a search
	}
	for _, name := range in.names {
		if h.meansSecret(session, name) {
			in.file(name, false)
		}
	}
	at := map[string]int{}
	for _, f := range in.files {
		i, seen := at[f.path]
		switch {
		case seen:
			files[i].write = files[i].write || f.write
		case len(files) == maxPaths:
			more = true
		default:
			at[f.path] = len(files)
			files = append(files, named{f, h.find(session, f.path)})
		}
	}
	return files, more
}

// meansSecret reports whether a pattern of file names names sensitive files. One that merely matches
// them, such as *, does not.
func (h *Host) meansSecret(session, pattern string) bool {
	for _, name := range []string{pattern, strings.ReplaceAll(pattern, "*", "")} {
		if f := h.find(session, strings.TrimSpace(name)); f.err == nil && f.target.Secret != "" {
			return true
		}
	}
	return false
}

// addPaths adds warnings for files that lead outside or are sensitive and, with show, names those that
// nothing else shows. A path that cannot be resolved counts as outside.
func (h *Host) addPaths(q *permissions.Question, seen *sights, t wire.ToolCall, files []named, more, show bool) {
	shown := map[string]bool{}
	for _, path := range seen.paths() {
		shown[path] = true
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

// warnOf adds the warnings for a file.
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
