package host

import (
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/jsonscan"
	"parley/internal/toolserver"
)

// writeOverMCP reads a call of write_text_file as an agent shows it in a question of its own,
// under the name that the agent gives the tool: path is the file and content what it is
// to hold. A call with anything else in it is none, nor is one with a path that would
// mean another file here.
func writeOverMCP(name string, input []byte) (path, content string, ok bool) {
	if !strings.Contains(name, toolserver.Name) || !strings.HasSuffix(name, toolserver.WriteTool) || jsonscan.KindOf(input) != jsonscan.Object {
		return "", "", false
	}
	found := map[string]bool{}
	m := jsonscan.MembersOf(input)
	for m.Next() {
		key := string(m.Key)
		value, isText := jsonscan.Text(m.Value)
		switch {
		case !isText || found[key]:
			return "", "", false
		case key == "path":
			path = value
		case key == "content":
			content = value
		default:
			return "", "", false
		}
		found[key] = true
	}
	away := !filepath.IsAbs(path) && (strings.HasPrefix(path, "~") || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".."))
	return path, content, m.Err() == nil && len(found) == 2 && path != "" && !away
}
