package host

import (
	"path/filepath"
	"slices"
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

// outside reports whether the path leads out of the session's directories, or nobody knows where.
func (f found) outside() bool { return !f.elsewhere && (f.err != nil || !f.target.Inside) }

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

// findFiles resolves the files that the tool call names, those with a shown change first, each once. It
// adds them to the input, so that it knows them, too.
func (d *draft) findFiles() {
	h, in, session := d.host, d.in, d.q.Session
	in.addNamed(d.call)
	if in.command != "" {
		for _, dir := range in.dirs {
			in.file(dir, false)
		}
	} else if in.search && len(in.files) == 0 && text(d.call.Kind) == "search" {
		in.file(h.dirs(session).cwd(), false) // the default of a search
	}
	var places []string // that are searched
	for _, f := range in.files {
		places = append(places, f.path)
	}
	for _, name := range in.names {
		for _, file := range d.meantSecrets(name, places) {
			in.file(file, false)
		}
	}
	at := map[string]int{}
	for _, f := range in.files {
		i, seen := at[f.path]
		switch {
		case seen:
			d.files[i].write = d.files[i].write || f.write
		case len(d.files) == maxPaths:
			d.more = true
		default:
			at[f.path] = len(d.files)
			d.files = append(d.files, named{f, h.find(session, f.path)})
		}
	}
}

// meantSecrets returns the sensitive files that a pattern of file names means, as the pattern or by their
// own paths. One that matches them by stars alone, such as *, does not mean them: they are hidden, or
// found below the directory that is searched.
func (d *draft) meantSecrets(pattern string, in []string) (files []string) {
	h, session := d.host, d.q.Session
	for _, name := range []string{pattern, strings.ReplaceAll(pattern, "*", "")} {
		if f := h.find(session, strings.TrimSpace(name)); f.err == nil && f.target.Secret != "" {
			return []string{pattern}
		}
	}
	if !strings.ContainsAny(pattern, "*?[") || strings.HasPrefix(pattern, "!") || !h.shared() {
		return nil
	}
	if len(in) == 0 {
		in = []string{h.dirs(session).cwd()}
	}
	for _, dir := range in {
		at := h.find(session, dir)
		if at.elsewhere || at.err != nil {
			continue
		}
		h.disk(session).Walk(at.target.Resolved, true, func(f permissions.FileFact) bool {
			rel, err := filepath.Rel(at.target.Resolved, f.RequestedPath)
			if rel = filepath.ToSlash(rel); f.Secret && err == nil && strings.Contains("/"+rel, "/.") && matchesPath(pattern, rel) {
				files = append(files, f.RequestedPath)
			}
			return len(files) == 0
		})
	}
	return files
}

// matchesPath reports whether a pattern as search tools read it may match a path below the directory that
// is searched, or one above it. A * alone matches no name that begins with a dot.
func matchesPath(pattern, path string) bool {
	want := strings.Split(strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(pattern, "[!", "[^")), "./"), "/")
	if len(want) == 1 {
		want = append([]string{"**"}, want...)
	}
	return matchesNames(want, strings.Split(strings.ToLower(path), "/"))
}

func matchesNames(want, names []string) bool {
	switch {
	case len(want) == 0: // below a directory that it matches
		return !slices.ContainsFunc(names, hidden)
	case want[0] == "**" && matchesNames(want[1:], names):
		return len(want) > 1 || len(names) == 0
	case len(names) == 0:
		return false
	case want[0] == "**":
		return !hidden(names[0]) && matchesNames(want, names[1:])
	}
	ok, err := filepath.Match(want[0], names[0])
	return (err != nil || ok && (strings.Trim(want[0], "*") != "" || !hidden(names[0]))) && matchesNames(want[1:], names[1:])
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// addPaths adds warnings for files that lead outside or are sensitive and, unless it is a command, names
// those that nothing else shows. A path that cannot be resolved counts as outside.
func (d *draft) addPaths() {
	shown := map[string]bool{}
	for _, path := range d.seen.paths() {
		shown[path] = true
	}
	field := func(label, path string) {
		d.seen.add(path, rolePlace, roleTarget)
		if !shown[path] {
			shown[path] = true
			d.q.Body = append(d.q.Body, permissions.Part{Kind: permissions.Field, Label: label, Text: d.host.shownPath(d.q.Session, path)})
		}
	}
	if len(d.about.paths) == 1 && d.about.verb != "" {
		shown[d.about.paths[0]] = true
		d.seen.add(d.about.paths[0], rolePlace, roleTarget)
		for _, dir := range d.about.within {
			field("directory", dir)
		}
	}
	if d.in.command == "" && d.call.Locations != nil {
		for _, l := range *d.call.Locations {
			field("file", l.Path)
		}
	}
	for _, f := range d.files {
		d.warnOf(f)
	}
	if d.more {
		d.q.Outside = true
		d.q.Body = append(d.q.Body, permissions.Part{Kind: permissions.Warning, Text: "more files than parley looks up: some may be outside the session's directories"})
	}
}

// warnOf adds the warnings for a file that the heading does not say.
func (d *draft) warnOf(f named) {
	warn := func(s string) {
		if !d.about.named(f.path) {
			s = d.host.shownPath(d.q.Session, f.path) + ": " + s
		}
		d.q.Body = append(d.q.Body, permissions.Part{Kind: permissions.Warning, Text: s})
	}
	said := d.about.outside && d.about.verb != "" && len(d.about.paths) == 1 && (d.about.named(f.path) || slices.Contains(d.about.within, f.path))
	switch {
	case f.elsewhere:
		d.q.Outside = true
		return
	case f.err != nil:
		d.q.Outside = true
		warn("nobody knows where it leads: " + visiblePath(f.err.Error()))
		return
	}
	if f.target.Symlink && !f.target.Inside {
		warn("really " + visiblePath(f.target.Resolved))
	}
	if !f.target.Inside {
		d.q.Outside = true
		if !said {
			warn("outside the project")
		}
	}
	if f.target.Secret != "" {
		d.q.Secret = true
		warn("sensitive: " + f.target.Secret)
	}
}
