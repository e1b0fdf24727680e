package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/permissions"
)

// shownPath returns a path as questions show it: relative to the session's directory if it is in it, and
// in a worktree of parley's with the name of that instead of its place in the state directory.
func (h *Host) shownPath(session, path string) string {
	shown := path
	if !slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") { // after a link, .. leads elsewhere
		if !strings.Contains(path, "://") && path != "" {
			shown = filepath.Clean(path)
		}
		if rel, err := filepath.Rel(h.dirs(session).cwd(), shown); err == nil && filepath.IsLocal(rel) && filepath.IsAbs(shown) {
			shown = rel
		} else if tree, inside := words.WorktreeOf(shown, h.opts.Worktrees); tree != "" {
			return visiblePath(filepath.Join(tree, inside)) + " (a worktree)"
		}
	}
	return visiblePath(shown)
}

// runHeading says where a command runs, unless that is the session's directory.
func (h *Host) runHeading(session, dir string) string {
	cwd := h.dirs(session).cwd()
	tree, _ := words.WorktreeOf(cwd, h.opts.Worktrees)
	switch shown := h.shownPath(session, dir); {
	case dir != "" && shown != "." && h.find(session, dir).outside():
		return "Run outside the project: " + shown
	case dir != "" && shown != ".":
		return "Run in " + strings.TrimSuffix(shown, "/") + "/"
	case tree != "":
		return "Run in worktree " + visiblePath(tree)
	}
	return "Run a command"
}

// subject is what the heading of a question names, so that nothing below repeats it.
type subject struct {
	verb    string
	paths   []string // that it names, or counts, as received
	within  []string // directories that these are in
	outside bool     // it says that they are outside the project
}

// named reports whether the heading names a path itself.
func (s subject) named(path string) bool { return len(s.paths) == 1 && s.paths[0] == path }

// verbs are the verbs for the kinds of tool calls that are about files.
var verbs = map[string]string{"edit": "Change", "delete": "Delete", "move": "Move", "read": "Read", "search": "Search"}

// aboutFiles returns what a question that is not about a command is about.
func (d *draft) aboutFiles() (s subject) {
	s.verb = verbs[d.q.Kind]
	shown := d.seen.paths()
	for i, f := range d.files {
		switch {
		case len(shown) > 0 && !slices.Contains(shown, f.path):
		case i > 0 && d.q.Kind != "edit" && len(s.paths) == 1 && strings.HasPrefix(s.paths[0], strings.TrimSuffix(f.path, "/")+"/"):
			s.within = append(s.within, f.path)
		default:
			s.paths = append(s.paths, f.path)
			s.outside = s.outside || f.outside()
		}
	}
	if s.verb == "" {
		if s.outside && !d.in.unnamed {
			s.verb = "Use"
		}
		return s
	}
	if d.q.Kind == "edit" {
		s.verb = d.changeVerb(s.paths)
	}
	return s
}

// changeVerb says what a change does to all of its files.
func (d *draft) changeVerb(paths []string) string {
	verb := ""
	for _, path := range paths {
		now := "Change"
		exists := slices.ContainsFunc(d.files, func(f named) bool { return f.path == path && f.target.Exists })
		switch {
		case shows(d.call, path, "delete"), slices.ContainsFunc(d.seen.diffs, func(s shownDiff) bool { return s.path == path && s.deleted }):
			now = "Delete"
		case !exists && (shows(d.call, path, "add") || slices.ContainsFunc(d.seen.diffs, func(s shownDiff) bool { return s.path == path && s.created })):
			now = "Create"
		}
		if verb != "" && verb != now {
			return "Change"
		}
		verb = now
	}
	if verb == "" {
		return "Change"
	}
	return verb
}

// shows reports whether the content of a call says that a file is added or deleted.
func shows(t wire.ToolCall, path, operation string) bool {
	return slices.ContainsFunc(contents(t), func(c wire.ToolContent) bool {
		return c.Type == "diff" && c.Deleted && c.Path == path && operation == "delete" ||
			slices.ContainsFunc(c.Changes, func(f wire.FileChange) bool { return f.Operation == operation && f.Path == path })
	})
}

// says reports whether the heading says all of a text of the body: a change of v2 without its patch.
func (s subject) says(p permissions.Part) bool {
	words := map[string]string{"Create": "add ", "Change": "modify ", "Delete": "delete "}
	return p.Kind == permissions.Text && len(s.paths) == 1 && words[s.verb] != "" && p.Text == words[s.verb]+safetext.Visible(s.paths[0])
}

// heading says what a question that is not about a command is about, verb first.
func (d *draft) heading() string {
	s := d.about
	switch one := len(s.paths) == 1; {
	case s.verb == "" && d.q.Kind == "fetch":
		if url := urlOf(d.in.raw); url != "" {
			return "Fetch " + visiblePath(url)
		}
		return "Fetch from the web"
	case s.verb == "" && d.q.Kind == "switch_mode":
		return "Switch the agent's mode"
	case s.verb == "" && text(d.call.Name) != "":
		return "Use the tool " + safetext.Line(*d.call.Name, 80)
	case s.verb == "" && (d.q.Kind == "" || d.q.Kind == "other"):
		return "Use a tool"
	case s.verb == "":
		return "Use a tool (" + safetext.Line(d.q.Kind, 40) + ")"
	case one && s.outside:
		verb := s.verb
		switch verb {
		case "Create", "Change":
			verb = "Write"
		case "Use":
			verb = "Use a file"
		}
		return verb + " outside the project: " + d.host.shownPath(d.q.Session, s.paths[0])
	case one:
		if path := d.host.shownPath(d.q.Session, s.paths[0]); path != "." {
			return s.verb + " " + path
		}
		return s.verb + " the project"
	case len(s.paths) > 1:
		s.verb += fmt.Sprintf(" %d files", len(s.paths))
	case d.q.Kind != "search":
		s.verb += " a file"
	}
	return s.verb
}

// urlOf returns the only URL that an input names; "" if there is none, or another.
func urlOf(raw []byte) (url string) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return ""
	}
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		if r, known := roleOf(plainName(string(m.Key))); known && r == roleURL {
			text, ok := jsonscan.Text(m.Value)
			if !ok || url != "" {
				return ""
			}
			url = text
		}
	}
	return url
}
