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

// WorktreeOf returns the name of the worktree of parley's that a path is in, and the path in it; "" if it is in
// none. dir is the directory of the worktrees, "" for none.
func WorktreeOf(path, dir string) (tree, inside string) {
	rel, err := filepath.Rel(dir, path)
	names := strings.SplitN(filepath.ToSlash(rel), "/", 3) // the repository, the worktree, the path
	if dir == "" || err != nil || !filepath.IsLocal(rel) || len(names) < 2 {
		return "", ""
	}
	return names[1], filepath.FromSlash(strings.Join(names[2:], ""))
}
