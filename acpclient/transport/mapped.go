package transport

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// PathMap is a directory that the agent knows by another path than this machine: in a container, or over ssh.
type PathMap struct {
	There string // absolute, with slashes
	Here  string // absolute
}

// MapPaths returns a Conn over conn on which the agent's paths are those of this machine, both ways: where a message
// has a path by the protocol, and in the raw input of tool calls where a name says so, so that what was approved is
// recognised. Paths in no directory of the list are unchanged, and so are texts, commands, rawOutput and _meta.
func MapPaths(conn Conn, dirs []PathMap) Conn {
	if len(dirs) == 0 {
		return conn
	}
	return &mapped{conn, dirs}
}

type mapped struct {
	Conn
	dirs []PathMap
}

// Recv implements Conn.
func (m *mapped) Recv() ([]byte, error) {
	data, err := m.Conn.Recv()
	if err != nil {
		return data, err
	}
	return rewrite(data, m.toHere), nil
}

// Send implements Conn.
func (m *mapped) Send(msg Message) error {
	msg.Data = rewrite(msg.Data, m.toThere)
	return m.Conn.Send(msg)
}

// toHere maps the agent's path to one of this machine; that in the deepest directory counts.
func (m *mapped) toHere(p string) string {
	best, to := "", ""
	for _, d := range m.dirs {
		if rest, ok := below(p, d.There); ok && len(d.There) > len(best) {
			best, to = d.There, filepath.Join(d.Here, filepath.FromSlash(rest))
		}
	}
	if best == "" {
		return p
	}
	return to
}

// toThere maps a path of this machine to the agent's.
func (m *mapped) toThere(p string) string {
	best, to := "", ""
	for _, d := range m.dirs {
		if rest, ok := below(filepath.ToSlash(p), filepath.ToSlash(d.Here)); ok && len(d.Here) > len(best) {
			best, to = d.Here, path.Join(d.There, rest)
		}
	}
	if best == "" {
		return p
	}
	return to
}

// below returns the rest of a path below a directory. Paths are compared as they are written, but for dots in them.
func below(p, dir string) (rest string, ok bool) {
	p, dir = path.Clean(p), path.Clean(dir)
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// rewrite maps the paths of a message. One without any is returned as it is.
func rewrite(data []byte, to func(string) string) []byte {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var message any
	if err := dec.Decode(&message); err != nil {
		return data // the reader says what is wrong with it
	}
	w := walker{to: to}
	w.walk(message)
	if !w.changed {
		return data
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(message); err != nil {
		return data
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// walker maps the paths in decoded JSON.
type walker struct {
	to      func(string) string
	changed bool
}

func (w *walker) mapped(p string) string {
	q := w.to(p)
	w.changed = w.changed || q != p
	return q
}

func (w *walker) walk(value any) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			w.walk(e)
		}
	case map[string]any:
		for _, key := range slices.Collect(maps.Keys(v)) {
			member := v[key]
			switch {
			case slices.Contains([]string{"rawOutput", "_meta", "env", "headers"}, key):
				continue
			case isPlace(key):
				v[key] = w.member(key, member)
			default:
				w.walk(member)
			}
			at := w.mapped(key) // some agents list changes by path
			if _, both := v[at]; !both {
				v[at] = v[key]
				delete(v, key)
			}
		}
	}
}

// isPlace reports whether a member of that name holds a path, or a list of them: by the protocol, or in the input of
// tools, where each agent has its own names.
func isPlace(key string) bool {
	name := strings.ToLower(strings.ReplaceAll(key, "_", ""))
	return slices.ContainsFunc(places, func(place string) bool { return strings.HasSuffix(name, place) })
}

var places = strings.Fields("path paths cwd uri dir dirs directory directories root roots folder folders file files")

// member maps a member that holds a path, or a list of them.
func (w *walker) member(key string, value any) any {
	switch v := value.(type) {
	case string:
		if key != "uri" {
			return w.mapped(v)
		}
		if u, err := url.Parse(v); err == nil && u.Scheme == "file" {
			if q := w.to(u.Path); q != u.Path {
				w.changed = true
				u.Path, u.RawPath = filepath.ToSlash(q), ""
				return u.String()
			}
		}
	case []any:
		for i, e := range v {
			if p, ok := e.(string); ok {
				v[i] = w.mapped(p)
			} else {
				w.walk(e)
			}
		}
	default:
		w.walk(v)
	}
	return value
}
