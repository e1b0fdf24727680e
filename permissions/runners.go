package permissions

import (
	"path"
	"slices"
	"strings"

	"parley/internal/lazy"
)

// program returns the name by which a program is known: without directory and version suffix.
func program(word string) string {
	name := strings.TrimSuffix(strings.ToLower(path.Base(word)), ".exe")
	if plain := strings.TrimRight(name, "0123456789."); plain != "" && !has(name, "numbered") {
		return plain
	}
	return name
}

func isShell(word string) bool { return has(program(word), "shell") }

// openEnded reports whether the * of a pattern could match a program, or code, of the agent's
// choice. Such a pattern must name what it runs.
func openEnded(pattern []string) bool {
	name := program(pattern[0])
	star := slices.IndexFunc(pattern, func(w string) bool { return strings.Contains(w, "*") })
	switch {
	case star == 0, has(name, "closed"):
		return true
	case wraps(pattern) > 0 && firstNamed(pattern[wraps(pattern):]) < 0:
		return true
	case profileOf(pattern[0]) != nil:
		return unnamed(pattern)
	case anyProfile(name) != nil && (anyProfile(name).runs() || has(name, "code")): // of another directory or version
		return unnamed(append([]string{name}, pattern[1:]...))
	case has(name, "code"):
		return firstNamed(pattern) < 0
	}
	return false
}

// isCode reports whether words of a class are run.
func (c class) isCode() bool {
	return c == classCode || c == classCmd || c == classLine || c == classJoined
}

// unnamed reports whether, by the profile of the first word, * could match code or a program
// that the pattern does not name.
func unnamed(pattern []string) bool {
	var literal []string
	for _, w := range pattern {
		if start, rest, found := strings.Cut(w, "*"); found && (strings.Trim(start, "-") == "" || rest != "") {
			break // else it begins a name: test:*
		}
		literal = append(literal, w)
	}
	var odd, rest bool
	for _, it := range read(append(slices.Clip(literal), "\x00", "\x00", "\x00")).items {
		odd = odd || it.class == classOdd // what comes after it may be its value
		if !it.class.isCode() && !(it.class == classSetting && it.option != "") {
			continue
		}
		if it.word < len(literal) {
			if it.option != "" || odd {
				continue
			}
			return it.class == classCmd && it.word < len(pattern) && openEnded(pattern[it.word:])
		}
		rest = true
	}
	return rest
}

// wraps returns the place of a subcommand that runs the words after it, whatever options
// precede it; 0 if there is none.
func wraps(pattern []string) int {
	p := anyProfile(pattern[0])
	option := func(i int) bool { return i > 0 && strings.HasPrefix(pattern[i], "-") }
	for i := 1; p != nil && i < len(pattern); i++ {
		if sub := p.subs[pattern[i]]; sub != nil && sub.runs() {
			return i
		}
		if !option(i) && !option(i-1) {
			break
		}
	}
	return 0
}

// firstNamed returns the place of the first word after the program that can only be what is
// run: no option, no value of one, no *. It is -1 if there is none.
func firstNamed(pattern []string) int {
	for i, w := range pattern {
		switch {
		case i == 0:
		case strings.Contains(w, "*"):
			return -1
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"):
		case i > 1 && strings.HasPrefix(pattern[i-1], "-") && pattern[i-1] != "--":
		default:
			return i
		}
	}
	return -1
}

// standardInput matches the names of the standard input, and of files that the line opens.
var standardInput = lazy.Regexp(`^(-|/dev/stdin|(/dev|/proc/(self|[0-9]+))/fd/[0-9]+)$`)

// readsCode reports whether a command runs its standard input.
func readsCode(words []string) bool {
	name := program(words[0])
	if slices.ContainsFunc(read(words).items, func(it item) bool { // make -f -
		return it.class == classCode && it.option != "" && standardInput().MatchString(it.text)
	}) {
		return true
	}
	if !isShell(name) && !has(name, "code") {
		return (name == "." || name == "source") && len(words) > 1 && standardInput().MatchString(words[1])
	}
	for _, w := range words[1:] {
		switch {
		case w == "--version" || w == "--help" || !isShell(name) && (w == "-V" || w == "-v"):
			return false
		case standardInput().MatchString(w) || w == "-s" && isShell(name):
			return true
		case !strings.HasPrefix(w, "-"):
			return false
		}
	}
	return true
}

// programs returns the places in a command's words of the programs that it runs or may run,
// according to the profiles.
func programs(words []string) []int { return wrappedBy(words).places }
