package patch

import (
	"strconv"
	"strings"
)

const devNull = "/dev/null"

// best returns the names of a file from the most reliable line.
func (n *patchNames) best() (before, after string) {
	names := n.moved
	if n.hasFile {
		names = unprefixed(n.file)
	} else if n.git != [2]string{} { // for a move, git writes the names without prefixes, and ACP's paths are like that
		names = unprefixed(n.git)
	}
	switch { // git mistakes changes with such paths for new files; the names of the hunks are right
	case n.hasFile, n.moved != [2]string{}:
	case n.added:
		names[0] = ""
	case n.deleted:
		names[1] = ""
	}
	return names[0], names[1]
}

// unprefixed removes git's prefixes a/ and b/ if both names have theirs.
func unprefixed(names [2]string) [2]string {
	var out [2]string
	for i, prefix := range [...]string{"a/", "b/"} {
		rest, ok := strings.CutPrefix(names[i], prefix)
		if !ok && names[i] != devNull && names[i] != "" {
			return unnulled(names)
		}
		out[i] = rest
	}
	return unnulled(out)
}

func unnulled(names [2]string) [2]string {
	for i := range names {
		if names[i] == devNull {
			names[i] = ""
		}
	}
	return names
}

// patchName unquotes a name and removes what follows it.
func patchName(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	if strings.HasPrefix(s, `"`) {
		if name, err := strconv.Unquote(s); err == nil {
			return name
		}
	}
	return s
}

// gitNames parses the names on a line "diff --git". Two names with spaces are ambiguous
// unless they are equal, or one is quoted or /dev/null; if they differ, the following lines
// name them too.
func gitNames(s string) (names [2]string) {
	if quoted, err := strconv.QuotedPrefix(s); err == nil && strings.HasPrefix(s, `"`) {
		return [2]string{patchName(quoted), patchName(strings.TrimPrefix(s[len(quoted):], " "))}
	}
	if i := strings.Index(s, ` "`); i >= 0 && strings.HasSuffix(s, `"`) {
		return [2]string{s[:i], patchName(s[i+1:])}
	}
	if name, ok := strings.CutPrefix(s, devNull+" "); ok {
		return [2]string{devNull, name}
	}
	if name, ok := strings.CutSuffix(s, " "+devNull); ok {
		return [2]string{name, devNull}
	}
	if strings.Count(s, " ") == 1 {
		before, after, _ := strings.Cut(s, " ")
		return [2]string{before, after}
	}
	if mid := len(s) / 2; mid > 0 && s[mid] == ' ' {
		names = [2]string{s[:mid], s[mid+1:]}
		if same := unprefixed(names); same[0] == same[1] {
			return names
		}
	}
	return [2]string{}
}
