package host

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/jsonscan"
	"parley/permissions"
	"parley/terminal"
)

// harmless are members of a command's input that change nothing of what it does.
var harmless = []string{"command", "cmd", "cwd", "workdir", "description", "timeout", "timeout_ms", "timeoutMs", "title"}

// toolFacts are what rules may know of a tool call that an agent asks about. What
// is not understood makes them partial, so that no rule allows it.
func (h *Host) toolFacts(session, kind string, t wire.ToolCall, files []named, more bool) permissions.Facts {
	f := h.facts(session, kind)
	f.Tool = text(t.Name)
	command, dir := commandOf(t)
	if dir == "" {
		dir = h.cwd(session)
	}
	switch {
	case command != "":
		f.Commands = []permissions.CommandFact{{Line: command, Words: argv(t.RawInput), Dir: dir}}
		f.Partial = strange(t.RawInput)
	case kind == "execute" && len(t.RawInput) == 0 && t.Title != nil: // all that is known of it, and that is words
		f.Commands, f.Partial = []permissions.CommandFact{{Line: *t.Title, Dir: dir}}, true
	case len(t.RawInput) > 0 && string(t.RawInput) != "null" && buried(t.RawInput):
		f.Partial = true
	}
	f.Partial = f.Partial || more
	for _, n := range files {
		file := h.fact(session, n.path, n.found)
		file.Write = n.write || kind == "edit" || kind == "delete" || kind == "move"
		if command == "" || file.Write || n.path != dir && (!file.Inside || file.Secret) {
			f.Files = append(f.Files, file)
		}
	}
	f.Hosts = hostsOf(t.RawInput)
	switch kind {
	case "read", "search", "edit", "delete", "move":
		f.Use = len(f.Files) == 0
	case "execute":
		f.Use = len(f.Commands) == 0
	case "fetch":
		f.Use = len(f.Hosts) == 0
	default:
		f.Use = true
	}
	return f
}

// facts are those that all questions of a session have.
func (h *Host) facts(session, kind string) permissions.Facts {
	if kind == "" {
		kind = "other"
	}
	f := permissions.Facts{Agent: h.opts.Agent, Kind: kind}
	if h.shared() {
		f.Look = func(path string) permissions.FileFact { return h.fact(session, path, h.find(session, path)) }
	}
	return f
}

// fact is what rules know of a path. What cannot be found out counts as outside.
func (h *Host) fact(session, path string, f found) permissions.FileFact {
	if f.elsewhere || f.err != nil {
		return permissions.FileFact{Path: path}
	}
	return h.targetFact(session, f.target)
}

func (h *Host) targetFact(session string, t fsops.Target) permissions.FileFact {
	return permissions.FileFact{Path: t.Resolved, Inside: t.Inside, Secret: t.Secret != "", Roots: h.realRoots(session)}
}

// fileFacts are those of a file that parley itself would read or, with the kind
// "edit", write.
func (h *Host) fileFacts(session, kind string, t fsops.Target) permissions.Facts {
	f := h.facts(session, kind)
	file := h.targetFact(session, t)
	file.Write = kind == "edit"
	f.Files = []permissions.FileFact{file}
	return f
}

// realRoots are the session's directories without links, as resolved paths begin.
func (h *Host) realRoots(session string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[session]; s != nil {
		return s.real
	}
	return nil
}

// commandFacts are those of a command that parley itself would run.
func (h *Host) commandFacts(session string, cmd terminal.Command, line string) permissions.Facts {
	f := h.facts(session, "execute")
	c := permissions.CommandFact{Line: line, Dir: cmd.Dir, Env: len(cmd.Env) > 0}
	if len(cmd.Args) > 0 {
		c.Words = append([]string{cmd.Command}, cmd.Args...)
	} else {
		c.Line = cmd.Command
	}
	f.Commands = []permissions.CommandFact{c}
	return f
}

// argv is a command that was given as a list of words; nil where it was not.
func argv(raw []byte) []string {
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		if key := string(m.Key); key != "command" && key != "cmd" {
			continue
		}
		var list []string
		if json.Unmarshal(m.Value, &list) == nil && len(list) > 0 && m.Err() == nil {
			return list
		}
	}
	return nil
}

// strange tells whether a command's input has a member of which parley does not
// know what it does: a switch that leaves a sandbox, say.
func strange(raw []byte) bool {
	m := jsonscan.MembersOf(raw)
	commands, dirs := 0, 0
	for m.Next() {
		switch key := string(m.Key); key {
		case "command", "cmd":
			commands++
		case "cwd", "workdir":
			dirs++
		default:
			if !slices.Contains(harmless, key) && string(m.Value) != "null" && string(m.Value) != "false" {
				return true
			}
		}
	}
	return m.Err() != nil || commands > 1 || dirs > 1 // nobody knows which of them counts
}

// buried tells whether an input names a file or a host in a place where nobody looks:
// below its own members.
func buried(raw []byte) bool {
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		if k := jsonscan.KindOf(m.Value); (k == jsonscan.Object || k == jsonscan.Array) && names(m.Value, 0) {
			return true
		}
		if s, ok := jsonscan.Text(m.Value); ok && hostless(s) {
			return true
		}
	}
	return m.Err() != nil
}

// hostless tells whether a text is a URL of which the host is not known.
func hostless(s string) bool {
	u, err := url.Parse(s)
	lower := strings.ToLower(strings.TrimSpace(s))
	return (strings.HasPrefix(lower, "http:") || strings.HasPrefix(lower, "https:")) && (err != nil || u.Hostname() == "")
}

// names tells whether an object in a value has a member that is called like a file
// or a URL, or whose text is one.
func names(raw []byte, depth int) bool {
	if depth > 8 {
		return true
	}
	if jsonscan.KindOf(raw) == jsonscan.Array {
		items := jsonscan.ItemsOf(raw)
		for items.Next() {
			if k := jsonscan.KindOf(items.Value); (k == jsonscan.Object || k == jsonscan.Array) && names(items.Value, depth+1) {
				return true
			}
		}
		return items.Err() != nil
	}
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		key := strings.ToLower(string(m.Key))
		if strings.Contains(key, "path") || strings.Contains(key, "file") || strings.Contains(key, "url") || strings.Contains(key, "uri") || key == "dir" || key == "directory" || key == "command" {
			return true
		}
		if s, ok := jsonscan.Text(m.Value); ok && !strings.ContainsAny(s, " \n") && (filepath.IsAbs(s) || strings.Contains(s, "://")) {
			return true
		}
		if k := jsonscan.KindOf(m.Value); (k == jsonscan.Object || k == jsonscan.Array) && names(m.Value, depth+1) {
			return true
		}
	}
	return m.Err() != nil
}

// hostsOf are the hosts of the URLs that an input names.
func hostsOf(raw []byte) []string {
	var hosts []string
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		for _, s := range texts(m.Value) {
			u, err := url.Parse(s)
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !slices.Contains(hosts, u.Hostname()) {
				hosts = append(hosts, u.Hostname())
			}
		}
	}
	return hosts
}
