package words

import (
	"path/filepath"
	"strings"
)

// RelativePath returns the path relative to dir if it is below that.
func RelativePath(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && dir != "" && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return path
}

// ShortenHome shortens the user's home directory in a path to ~.
func ShortenHome(path, home string) string {
	if home == "" {
		return path
	}
	if path == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return "~/" + rest
	}
	return path
}
