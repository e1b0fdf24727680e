package transcript

import (
	"net/url"
	"path/filepath"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// maxFiles bounds the files that Files returns.
const maxFiles = 200

// Files returns the files that items name, each once, with a line where one is
// given.
func Files(items ...*thread.Item) []event.Location {
	var out []event.Location
	index := map[string]int{}
	add := func(path string, line int) {
		i, ok := index[path]
		switch {
		case path == "" || len(out) >= maxFiles:
		case !ok:
			index[path] = len(out)
			out = append(out, event.Location{Path: path, Line: line})
		case out[i].Line == 0:
			out[i].Line = line
		}
	}
	for _, it := range items {
		addFiles(it, add)
	}
	return out
}

// addFiles calls add for each file that an item names.
func addFiles(it *thread.Item, add func(path string, line int)) {
	if it.Tool != nil {
		for _, l := range it.Tool.Locations {
			add(l.Path, l.Line)
		}
		for _, c := range it.Tool.Content {
			switch {
			case c.Diff != nil:
				add(c.Diff.Path, 0)
			case c.Changes != nil:
				for _, f := range c.Changes.Files {
					add(f.Path, 0)
				}
			case c.Content != nil:
				add(fileOf(c.Content), 0)
			}
		}
	}
	if it.Attachment != nil {
		add(fileOf(it.Attachment), 0)
	}
}

// fileOf returns the file that a link or a resource names; "" for none.
func fileOf(c *event.Content) string {
	if c.Kind != event.LinkContent && c.Kind != event.ResourceContent {
		return ""
	}
	u, err := url.Parse(c.URI)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // /C:/…
		path = path[1:]
	}
	return filepath.FromSlash(path)
}
