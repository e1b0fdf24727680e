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
// a name for any names, none included. A strict pattern, one that allows, matches
// what it says; one that does not also matches other cases of letters, and all below
// a directory that it names.
func matchPath(pattern, path string, roots []string, strict bool) bool {
	names := splitPath(path)
	if strict && slices.Contains(names, "..") {
		return false // it could not be looked up
	}
	if !strict {
		pattern, path = strings.ToLower(pattern), strings.ToLower(filepath.Clean(path))
		names = splitPath(path)
	}
	match := func(pattern, names []string) bool {
		return matchNames(pattern, names) || !strict && matchNames(append(slices.Clip(pattern), "**"), names)
	}
	if pattern == "**" { // any file at all
		return true
	}
	if strings.HasPrefix(pattern, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return false
		}
		if !strict {
			home = strings.ToLower(home)
		}
		return match(append(splitPath(home), splitPath(pattern[2:])...), names)
	}
	if filepath.IsAbs(pattern) {
		return match(splitPath(pattern), names)
	}
	for _, root := range roots {
		if !strict {
			root = strings.ToLower(root)
		}
		base := splitPath(root)
		if len(names) >= len(base) && slices.Equal(base, names[:len(base)]) && match(splitPath(pattern), names[len(base):]) {
			return true
		}
	}
	return false
}

func splitPath(p string) []string {
	return strings.FieldsFunc(filepath.ToSlash(p), func(r rune) bool { return r == '/' })
}

// matchNames goes back to the last ** only, so that its time is the product of both
// lengths.
func matchNames(pattern, names []string) bool {
	i, k, star, from := 0, 0, -1, 0
	for k < len(names) {
		switch {
		case i < len(pattern) && pattern[i] == "**":
			star, from = i, k
			i++
		case i < len(pattern) && matchText(pattern[i], names[k]):
			i, k = i+1, k+1
		case star >= 0:
			from++
			i, k = star+1, from
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == "**" {
		i++
	}
	return i == len(pattern)
}

// matchHost matches a host's name: *.example.com is all below example.com.
func matchHost(pattern, host string) bool {
	return matchText(strings.ToLower(pattern), strings.ToLower(strings.TrimSuffix(host, ".")))
}
