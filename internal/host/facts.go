package host

import (
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/fsops"
	"parley/permissions"
	"parley/terminal"
)

// facts returns what rules may know of a tool call that an agent asks about. Anything unknown makes
// the facts partial, so that no rule, mode or flag allows it.
func (d *draft) facts() permissions.Facts {
	kind, session := d.q.Kind, d.q.Session
	f := d.host.facts(session, kind)
	f.Tool = text(d.call.Name)
	dir := d.in.dir(d.host.dirs(session).cwd())
	switch {
	case d.in.command != "":
		f.Commands = []permissions.CommandFact{commandFact(d.in.runs, d.in.command, d.host.absolute(session, dir))}
	case kind == "execute" && len(d.call.RawInput) == 0 && d.call.Title != nil: // only its title is known
		f.Commands, f.Partial = []permissions.CommandFact{{Line: *d.call.Title, Dir: dir}}, true
	}
	for _, n := range d.files {
		file := d.host.fact(session, n.path, n.found)
		file.Write = d.in.writesTo(n.inputFile, kind)
		if d.in.command == "" || file.Write || n.path != dir && (!file.Inside || file.Secret) {
			f.Files = append(f.Files, file)
		}
	}
	f.Hosts = d.in.hosts
	switch kind {
	case "read", "search", "edit", "delete", "move":
		f.OtherEffects = len(f.Files) == 0
	case "execute":
		f.OtherEffects = len(f.Commands) == 0
	case "fetch":
		f.OtherEffects = len(f.Hosts) == 0
	default:
		f.OtherEffects = true
	}
	// Unknown members are fine for a tool that a rule allows by its name, but not for one
	// that is allowed for its files or hosts.
	f.Partial = f.Partial || d.more || d.in.unclear || d.in.unnamed && !f.OtherEffects || slices.ContainsFunc(contents(d.call), odd)
	return f
}

// odd reports whether parley does not know a piece of content, or which files it changes.
func odd(c wire.ToolContent) bool {
	switch c.Type {
	case "content", "diff", "terminal":
		_, ok := patched(c.Patch)
		return c.Patch != "" && !ok
	}
	return true
}

// dir returns where the command of an input runs, as shown. cwd is the session's directory.
func (in *input) dir(cwd string) string {
	if in.command != "" && len(in.dirs) > 0 {
		return in.dirs[0]
	}
	return cwd
}

// absolute returns a path relative to the session's directory; "" if that is unknown.
func (h *Host) absolute(session, path string) string {
	switch {
	case filepath.IsAbs(path):
		return path
	case !h.shared() || strings.HasPrefix(path, "~") || strings.Contains(path, "://"):
		return ""
	}
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") {
		return h.dirs(session).cwd() + string(filepath.Separator) + path // not cleaned: .. after a link leads elsewhere
	}
	return filepath.Join(h.dirs(session).cwd(), path)
}

// facts returns the facts that all questions of a session have.
func (h *Host) facts(session, kind string) permissions.Facts {
	if kind == "" {
		kind = "other"
	}
	f := permissions.Facts{Agent: h.opts.Agent, Kind: kind}
	h.BindFacts(session, &f)
	return f
}

// BindFacts makes facts, possibly from elsewhere, be judged by the files of a session.
func (h *Host) BindFacts(session string, f *permissions.Facts) {
	if h.shared() {
		d := h.disk(session)
		f.Resolve, f.Walk, f.ListDir, f.Tracked = d.Resolve, d.Walk, d.ListDir, fsops.Tracked
	}
}

func (h *Host) disk(session string) Disk { return Disk{h.files, session, h.dirs(session).real} }

// fact returns what rules know of a path. A path that cannot be resolved counts as outside.
func (h *Host) fact(session, path string, f found) permissions.FileFact {
	if f.elsewhere || f.err != nil {
		return permissions.FileFact{Path: path}
	}
	return h.disk(session).fact(f.target)
}

// fileFacts are the facts of a file that parley would read or, with the kind "edit", write.
func (h *Host) fileFacts(session, kind string, t fsops.Target) permissions.Facts {
	f := h.facts(session, kind)
	file := h.disk(session).fact(t)
	file.Write = kind == "edit"
	f.Files = []permissions.FileFact{file}
	return f
}

// commandFacts are the facts of a command that parley would run.
func (h *Host) commandFacts(session string, cmd terminal.Command, line string) permissions.Facts {
	f := h.facts(session, "execute")
	f.Commands = []permissions.CommandFact{commandFact(cmd, line, cmd.Dir)}
	return f
}

// commandFact returns what rules know of a command. line is how it is shown.
func commandFact(cmd terminal.Command, line, dir string) permissions.CommandFact {
	c := permissions.CommandFact{Line: line, Dir: dir, Env: len(cmd.Env) > 0}
	if len(cmd.Args) > 0 {
		c.Words = append([]string{cmd.Command}, cmd.Args...)
	} else {
		c.Line = cmd.Command
	}
	return c
}
