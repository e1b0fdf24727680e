package permissions

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"parley/internal/lazy"
)

// maxWords bounds the words of a command that a * may match.
const maxWords = 1000

// shortfall returns why no * of the rule's pattern may match some word of a command, or "". The
// user decided about words that the pattern spells out. Others must be known to be harmless:
// operands and options that the program's profile lists or, without a profile, names of files.
func (r *Rule) shortfall(f *Facts, words []string, dir string) string {
	if len(words) > maxWords {
		return fmt.Sprintf("it has more than %d words", maxWords)
	}
	rd := read(words)
	for _, dir2 := range rd.dirs {
		dir = joinDir(dir, dir2)
	}
	for _, it := range rd.items {
		if r.spellsOut(words, it.word) || it.word < len(r.words) && named(r.words[it.word], words[it.word], it) {
			continue
		}
		if why := it.uncovered(f, dir); why != "" {
			return why
		}
		if from, to, found := strings.Cut(it.text, ":"); found && it.class == classRefspec && it.word < len(r.words) && r.words[it.word] != "*" && matchText(r.words[it.word], from) {
			return fmt.Sprintf("a rule has to name where %s goes: %s", from, to)
		}
	}
	return ""
}

// spellsOut reports whether a rule that allows spells out a word of a command.
func (r *Rule) spellsOut(words []string, at int) bool {
	return at < len(r.words) && r.words[at] == words[at]
}

// named reports whether the * inside a word of a pattern matches the rest of a name that the
// pattern begins: test:*, --level=*.
func named(pattern, word string, it item) bool {
	start, rest, _ := strings.Cut(pattern, "*")
	switch it.class {
	case classCode, classOther:
	case classOdd:
		if !strings.Contains(start, "=") {
			return false
		}
	default:
		return false
	}
	return strings.Trim(start, "-") != "" && rest == "" && strings.HasPrefix(word, start) && plainWord().MatchString(word[len(start):])
}

// plainWord is a name without any character that could have another meaning.
var plainWord = lazy.Regexp(`^[A-Za-z0-9_.:-]*$`)

// plainName is the name of a file that can be neither an option, a subcommand nor code: it has
// a dot or a slash.
var plainName = lazy.Regexp(`^(\.{0,2}/|[A-Za-z0-9_])[A-Za-z0-9_./,-]*$|^\.{1,2}$`)

// uncovered returns why * may not match a word, or "".
func (it item) uncovered(f *Facts, dir string) string {
	if why := languages[it.class]; why != nil {
		return why(it.text)
	}
	switch it.class {
	case classOther:
		return it.stranger(f, dir)
	case classLocal:
		return it.fetched(f, dir)
	case classRisky:
		if it.option != "" {
			return fmt.Sprintf("a rule has to name %s", it.option)
		}
		return fmt.Sprintf("a rule has to name %s", it.of+" "+it.text)
	case classEdit:
		if !sedOfGNU {
			return "what follows -i is not the same to every sed"
		}
	case classAssign:
		if !onlyChooses(it.text) {
			return fmt.Sprintf("a rule has to name the variable it sets: %s", it.text)
		}
	case classSetting, classCode, classCmd, classLine, classJoined:
		return fmt.Sprintf("a rule has to name what it runs: %s", it.text)
	case classOdd:
		if it.option == "" {
			return fmt.Sprintf("unknown word %s of %s", it.text, it.of)
		}
		name, _, _ := strings.Cut(it.option, "=")
		return fmt.Sprintf("unknown option %s of %s", name, it.of)
	}
	return ""
}

// edits reports whether a rule names the option with which sed changes files.
func (r *Rule) edits() bool {
	at := slices.IndexFunc(r.words, func(w string) bool { return program(w) == "sed" })
	return at >= 0 && slices.Contains(r.words[at:], "-i")
}

// sedOfGNU reports whether sed -i takes no value. On systems other than Linux the next word is
// the suffix of a backup, and the script follows it.
var sedOfGNU = runtime.GOOS == "linux"

// fetched is uncovered for what may be a path, a package, or a place on the network.
func (it item) fetched(f *Facts, dir string) string {
	first, _, below := strings.Cut(it.text, "/")
	switch {
	case strings.ContainsAny(it.text, "@:"):
	case first == "" || first == "." || first == ".." || first == "~" || !strings.Contains(first, "."):
		return ""
	case !below:
		if file, known := lookUp(f, dir, it.text, false); known && file.Exists { // x.go
			return ""
		}
	}
	return fmt.Sprintf("%s may be fetched from elsewhere", it.text)
}

// stranger is uncovered for a program without a profile. There * only matches an existing file
// or directory whose name cannot mean anything else: a subcommand of an unknown program may run
// the words after it.
func (it item) stranger(f *Facts, dir string) string {
	if plainName().MatchString(it.text) && strings.ContainsAny(it.text, "./") {
		if file, known := lookUp(f, dir, it.text, false); known && file.Exists {
			return ""
		}
	}
	return fmt.Sprintf("\"*\" covers existing files only, and %s does not exist", it.text)
}
