package permissions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// matchWords reports whether a pattern of words matches a command. A * inside a word matches
// any characters of that word except a .. in a path; as the last word it matches any number of
// words, including none. Nothing else is special.
func matchWords(pattern, words []string) bool {
	for i, p := range pattern {
		if p == "*" && i == len(pattern)-1 {
			return true
		}
		if i >= len(words) || !matchText(p, words[i]) || p != words[i] && climbs(words[i]) && !climbs(p) {
			return false
		}
	}
	return len(pattern) == len(words)
}

func climbs(word string) bool { return slices.Contains(splitPath(word), "..") }

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

// pathPattern is a pattern of paths: literal names followed by names with stars.
type pathPattern struct{ base, names []string }

// pathPatterns parses a pattern. It begins with / or ~/, or is relative to each of the roots
// and cannot leave them. * matches any characters of a name; ** as a name matches any number of
// names, including none.
func pathPatterns(pattern string, roots []string) []pathPattern {
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		return []pathPattern{{splitPath(home), splitPath(rest)}}
	}
	if filepath.IsAbs(pattern) {
		return []pathPattern{{nil, splitPath(pattern)}}
	}
	var out []pathPattern
	for _, root := range roots {
		out = append(out, pathPattern{splitPath(root), splitPath(pattern)})
	}
	return out
}

// resolved returns the pattern with the links in its literal names followed.
func (p pathPattern) resolved(look func(string) FileFact) pathPattern {
	literal := slices.Clone(p.base)
	rest := p.names
	for len(rest) > 0 && !strings.Contains(rest[0], "*") {
		literal, rest = append(literal, rest[0]), rest[1:]
	}
	return pathPattern{splitPath(look("/" + strings.Join(literal, "/")).Path), rest}
}

// matches is strict for a pattern that allows. Otherwise it ignores case and also matches
// everything below a matching directory.
func (p pathPattern) matches(path string, strict bool) bool {
	names, base, pattern := splitPath(path), p.base, p.names
	if strict && slices.Contains(names, "..") {
		return false // it could not be looked up
	}
	if !strict {
		names, base, pattern = lower(splitPath(filepath.Clean(path))), lower(base), lower(pattern)
	}
	if len(names) < len(base) || !slices.Equal(base, names[:len(base)]) {
		return false
	}
	names = names[len(base):]
	return matchNames(pattern, names) || !strict && matchNames(append(slices.Clip(pattern), "**"), names)
}

// lower folds what file systems fold: case, including letters with two lower cases (ſ and s) or
// with none of one letter (ß), and the encodings of accented letters. Letters are decomposed,
// so that * can match an accent.
func lower(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		if strings.IndexFunc(n, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 {
			out[i] = strings.ToLower(n)
			continue
		}
		out[i] = norm.NFD.String(cases.Fold().String(norm.NFD.String(n)))
	}
	return out
}

// meansFile reports whether the path of a rule matches a file. A rule that allows must match
// where the file really is and, if it is sensitive, name it. Any other rule also matches the
// path as requested, and the place where its own path leads.
func (r *Rule) meansFile(f *Facts, file FileFact) bool {
	for _, p := range pathPatterns(r.Path, file.Roots) {
		if r.Effect == Allow {
			if p.matches(file.Path, true) && (!file.Secret || p.namesSecret(f, file.Path)) {
				return true
			}
			continue
		}
		if p.matches(file.Path, false) || file.RequestedPath != "" && file.RequestedPath != file.Path && p.matches(file.RequestedPath, false) {
			return true
		}
		if f.lookRulePath != nil && p.resolved(f.lookRulePath).matches(file.Path, false) {
			return true
		}
	}
	return false
}

// namesSecret reports whether a pattern that matches a sensitive file names it on purpose: the
// file itself, or the directory that makes it sensitive, by more than stars.
func (p pathPattern) namesSecret(f *Facts, path string) bool {
	place := path
	for f.lookRulePath != nil {
		above := filepath.Dir(place)
		if above == place || !f.lookRulePath(above).Secret {
			break
		}
		place = above
	}
	names := splitPath(place)
	if len(p.base) >= len(names) {
		return true // the rule's own directory is the sensitive one
	}
	for k := 1; k <= len(p.names); k++ {
		last := p.names[k-1]
		if (!strings.Contains(last, "*") || strings.HasPrefix(last, "*.") && len(last) > 2) && (pathPattern{p.base, p.names[:k]}).matches(place, true) {
			return true
		}
	}
	return false
}

func splitPath(p string) []string {
	return strings.FieldsFunc(filepath.ToSlash(p), func(r rune) bool { return r == '/' })
}

// matchNames matches names, with ** for any number of them. It backtracks to the last ** only, so its time is the product
// of the lengths.
func matchNames(pattern, names []string) bool {
	i, k, last, from := 0, 0, -1, 0
	for k < len(names) {
		switch {
		case i < len(pattern) && pattern[i] == "**":
			last, from = i, k
			i++
		case i < len(pattern) && matchText(pattern[i], names[k]):
			i, k = i+1, k+1
		case last >= 0:
			from++
			i, k = last+1, from
		default:
			return false
		}
	}
	return !slices.ContainsFunc(pattern[i:], func(p string) bool { return p != "**" })
}

// matchHost matches a host name: *.example.com is everything below example.com.
func matchHost(pattern, host string) bool {
	return matchText(strings.ToLower(pattern), strings.ToLower(strings.TrimSuffix(host, ".")))
}
