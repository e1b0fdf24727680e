package permissions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// matchWords tells whether a pattern of words matches a command. A * inside a
// word stands for any characters of that word, and as the last word for any
// words, none included. Nothing else is special.
func matchWords(pattern, words []string) bool {
	for i, p := range pattern {
		if p == "*" && i == len(pattern)-1 {
			return true
		}
		if i >= len(words) || !matchText(p, words[i]) {
			return false
		}
	}
	return len(pattern) == len(words)
}

// matchText matches with * for any characters.
func matchText(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}

// matchPath matches a path of the file system. A pattern begins with / or ~/, or
// is relative to each of the roots; * stands for any characters of a name, ** as
// a name for any names, none included.
func matchPath(pattern, path string, roots []string, fold bool) bool {
	if fold {
		pattern, path = strings.ToLower(pattern), strings.ToLower(path)
	}
	if pattern == "**" { // any file at all
		return true
	}
	names := splitPath(path)
	if strings.HasPrefix(pattern, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return false
		}
		if fold {
			home = strings.ToLower(home)
		}
		return matchNames(append(splitPath(home), splitPath(pattern[2:])...), names)
	}
	if filepath.IsAbs(pattern) {
		return matchNames(splitPath(pattern), names)
	}
	for _, root := range roots {
		if fold {
			root = strings.ToLower(root)
		}
		base := splitPath(root)
		if len(names) >= len(base) && slices.Equal(base, names[:len(base)]) && matchNames(splitPath(pattern), names[len(base):]) {
			return true
		}
	}
	return false
}

func splitPath(p string) []string {
	return strings.FieldsFunc(filepath.ToSlash(p), func(r rune) bool { return r == '/' })
}

// matchNames takes a time that grows with every ** of the pattern: see maxDeep.
func matchNames(pattern, names []string) bool {
	for i, p := range pattern {
		if p == "**" {
			for skip := 0; skip <= len(names)-i; skip++ {
				if matchNames(pattern[i+1:], names[i+skip:]) {
					return true
				}
			}
			return false
		}
		if i >= len(names) || !matchText(p, names[i]) {
			return false
		}
	}
	return len(pattern) == len(names)
}

// matchHost matches a host's name: *.example.com is all below example.com.
func matchHost(pattern, host string) bool {
	return matchText(strings.ToLower(pattern), strings.ToLower(strings.TrimSuffix(host, ".")))
}
