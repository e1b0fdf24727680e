package permissions

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// speaksOf reports whether a rule that asks or denies means a command: also by its path or a
// link to it, after programs that run others, and with options anywhere among the words of the
// pattern. It errs on the side of matching.
func (r *Rule) speaksOf(f *Facts, words []string, dir string) bool {
	if len(words) == 0 {
		return false
	}
	first := strings.ToLower(r.words[0])
	if first == "*" && len(r.words) == 1 {
		return true
	}
	var options, operands []string
	for _, w := range r.words[1:] {
		if strings.HasPrefix(w, "-") {
			options = append(options, w)
		} else {
			operands = append(operands, w)
		}
	}
	for _, command := range wrappedBy(words).commands {
		if !slices.ContainsFunc(calledBy(f, command[0], dir), func(name string) bool { return matchText(first, name) }) && !sameFile(f, dir, r.words[0], command[0]) {
			continue
		}
		p := anyProfile(command[0])
		if p == nil {
			p = &profile{}
		}
		match := matchAmong
		if p.is("each") {
			match = matchEach
		}
		if match(p.usualNames(operands), p.usualNames(command[1:]), p.matches) && hasOptions(otherNames(command), options) {
			return true
		}
	}
	return false
}

// hasOptions reports whether all options are among the words of a command, as written or as
// what they stand for.
func hasOptions(words, options []string) bool {
	var means map[string][]string
	if p := innermost(words); p != nil {
		means = p.means
	}
	return !slices.ContainsFunc(options, func(o string) bool {
		return !hasOption(words[1:], o) && (means[o] == nil || !hasOptions(words, means[o]))
	})
}

// sameFile reports whether a word leads to the program that a rule names by its path.
func sameFile(f *Facts, dir, pattern, word string) bool {
	if !strings.Contains(pattern, "/") || strings.Contains(pattern, "*") || f.Resolve == nil {
		return false
	}
	dirs := []string{dir}
	if dir == "" {
		dirs = f.possible.dirs
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		file, known := lookUp(f, dir, word, false)
		return known && slices.ContainsFunc(file.Roots, func(root string) bool {
			meant, _ := lookUp(f, root, pattern, false)
			return slices.Equal(compared(meant.Path), compared(file.Path))
		})
	})
}

// usualNames returns words with aliases of subcommands replaced.
func (p *profile) usualNames(words []string) []string {
	var out []string
	for _, w := range words {
		if name, ok := p.same[w]; ok {
			w = name
		}
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// matches reports whether a word matches a word of a pattern. Paths match with redundant
// slashes, too.
func (p *profile) matches(pattern, word string) bool {
	return matchText(pattern, word) || p.is("abbrev") && len(word) > 1 && strings.HasPrefix(pattern, word) ||
		strings.Contains(word, "/") && matchText(path.Clean(pattern), path.Clean(word))
}

// calledBy returns the names by which rules may mean the program of a word.
func calledBy(f *Facts, word, dir string) []string {
	names := []string{word, strings.TrimSuffix(filepath.Base(word), ".exe"), program(word)}
	if strings.Contains(word, "/") {
		if file, known := lookUp(f, dir, word, false); known {
			names = append(names, filepath.Base(file.Path))
		}
	}
	if p := anyProfile(word); p != nil {
		names = append(names, p.says["called"]...)
	}
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	return names
}

// matchAmong matches a pattern with words, skipping options and a value after each.
func matchAmong(pattern, words []string, match func(pattern, word string) bool) bool {
	type state struct {
		at    int  // in the pattern
		value bool // the next word may be the value of an option
	}
	states := map[state]bool{{}: true}
	rest := func(at int) bool { return at == len(pattern)-1 && pattern[at] == "*" }
	for _, w := range words {
		next := map[state]bool{}
		for s := range states {
			if rest(s.at) {
				return true
			}
			if s.at < len(pattern) && match(pattern[s.at], w) {
				next[state{s.at + 1, false}] = true
			}
			if strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+") {
				next[state{s.at, w[0] == '-' && !strings.Contains(w, "=")}] = true
			} else if s.value {
				next[state{s.at, false}] = true
			}
		}
		states = next
	}
	for s := range states {
		if s.at == len(pattern) || rest(s.at) {
			return true
		}
	}
	return false
}

// alike are options that mean the same to the programs whose options people deny.
var alike = [][]string{{"-f", "--force"}, {"-r", "-R", "--recursive"}, {"-d", "--delete"}, {"-n", "--no-verify"}, {"-g", "--global"}}

// hasOption reports whether words contain an option: as written or by another name, with a
// value, abbreviated, or in a cluster of letters.
func hasOption(words []string, option string) bool {
	if hasWritten(words, option) {
		return true
	}
	for _, names := range alike {
		if slices.Contains(names, option) && slices.ContainsFunc(names, func(name string) bool { return hasWritten(words, name) }) {
			return true
		}
	}
	if strings.HasPrefix(option, "--") || len(option) < 3 {
		return false
	}
	for _, letter := range option[1:] {
		if !hasOption(words, "-"+string(letter)) {
			return false
		}
	}
	return true
}

// hasWritten is hasOption for one name of an option.
func hasWritten(words []string, option string) bool {
	long := strings.HasPrefix(option, "--")
	return slices.ContainsFunc(words, func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		switch {
		case matchText(option, w), matchText(option, name):
			return true
		case long:
			return len(name) > 2 && strings.HasPrefix(option, name)
		}
		return len(option) == 2 && len(w) > 2 && w[0] == '-' && w[1] != '-' && strings.Contains(w[1:], option[1:])
	})
}

// mentioned reports whether words that may be code, in a language that parley does not read or
// for an unknown program, contain all names of the rule's command, or its path.
func (r *Rule) mentioned(p part) bool {
	place := r.place()
	if len(p.words) == 0 || place == "" && (len(r.words) == 0 || strings.Contains(r.words[0], "*")) {
		return false
	}
	seen := map[string]bool{}
	for _, it := range read(p.words).items {
		switch it.class {
		case classOther, classOdd, classCode, classSed, classSetting, classLine, classJoined:
			if place != "" && strings.Contains(lower([]string{it.text})[0], place) {
				return true
			}
			for _, name := range strings.FieldsFunc(strings.ToLower(it.text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' }) {
				seen[name] = true
			}
		}
	}
	return len(r.words) > 0 && !slices.ContainsFunc(r.words, func(w string) bool {
		return !strings.HasPrefix(w, "-") && !strings.Contains(w, "*") && !seen[strings.ToLower(program(w))] && !seen[strings.ToLower(w)]
	})
}

// place returns the longest literal part of the rule's path, as code might contain it; "" if
// that is too short to mean anything.
func (r *Rule) place() string {
	rest := r.Path
	for _, start := range []string{"~/", "/", "**/"} {
		rest = strings.TrimPrefix(rest, start)
	}
	rest, _, _ = strings.Cut(rest, "*")
	if rest = strings.TrimSuffix(rest, "/"); len(rest) < 3 {
		return ""
	}
	return lower([]string{rest})[0]
}

// mayBegin reports whether a command some of whose words are unknown may be one that the rule
// matches.
func (r *Rule) mayBegin(f *Facts, p part) bool {
	if r.Command == "" {
		return false
	}
	first := strings.ToLower(r.words[0])
	return slices.ContainsFunc(wrappedBy(p.words).commands, func(command []string) bool {
		return isShell(command[0]) || slices.ContainsFunc(calledBy(f, command[0], p.dir), func(name string) bool { return matchText(first, name) })
	})
}

// hidesHosts reports whether a command that uses the network may take hosts from a file or its input.
func (p part) hidesHosts() bool {
	return slices.ContainsFunc(programs(p.words), func(at int) bool {
		words := p.words[at:]
		fetches := fetches(words)
		return fetches && (at > 0 && listsFiles(p.words) || listsFiles(words)) || slices.ContainsFunc(read(words).items, func(it item) bool {
			return fetches && (it.option != "" && it.class == classCode || it.text == "{}") || it.class == classOdd && has(program(words[0]), "network", "") // not only some subcommands
		})
	})
}

// mayHideIn reports whether a part of a command line that could not be read may be something
// that the rule matches.
func (r *Rule) mayHideIn(f *Facts, p part) bool {
	switch {
	case r.Agent != "" && !matchText(r.Agent, f.Agent):
		return false
	case r.mentioned(p):
		return true
	case (r.Path != "" || r.mayBegin(f, p)) && slices.ContainsFunc(programs(p.words), func(at int) bool { return listsFiles(p.words[at:]) }):
		return true
	case r.Host != "" && p.hidesHosts():
		return true
	case p.doubt == "":
		return false
	case p.words == nil:
		return r.Command != "" || r.Path != "" || r.Host != ""
	case p.known == len(p.words):
		return false
	case r.Path != "" || r.Host != "":
		return true
	case r.Command == "":
		return false
	case p.known == 0 || mayWrap(p.words[:p.known]):
		return true
	}
	return r.mayBegin(f, p)
}
