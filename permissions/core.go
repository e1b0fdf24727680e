package permissions

import "slices"

// maxPassing bounds how many programs that pass a command on may precede it.
const maxPassing = 8

// core strips a command to what rules that allow are about: without the programs before it that
// only pass it on, and without options between a program and its subcommand that the profiles
// call harmless. It also returns the directory the command runs in.
func core(words []string, dir string) ([]string, string) {
	if len(words) > maxWords {
		return words, dir
	}
	for range maxPassing {
		rd, at := read(words), 0
		for _, it := range rd.items {
			if it.class == classCmd {
				at = it.word
			}
			if at > 0 || !it.harmless() || it.class == classDir { // in another directory it may be another program
				break
			}
		}
		if at == 0 || !has(program(words[0]), "passes") {
			return bareCore(rd, words, dir)
		}
		words = words[at:]
	}
	return words, dir
}

// bareCore removes the harmless options before the last subcommand, or before the script or
// target of a program that has those.
func bareCore(rd reading, words []string, dir string) ([]string, string) {
	if rd.profile != nil && rd.profile.is("wraps") { // its options are listed for what they run, not as harmless
		return words, dir
	}
	kept, from, to, until := words[:1:1], 1, dir, dir
	for _, it := range rd.items {
		switch {
		case it.text == "--":
		case it.class == classCmd && until != dir: // it may be another program there
			return words, dir
		case it.option == "" && slices.Contains([]class{classSub, classRisky, classCode}, it.class):
			kept, from, until = append(kept, words[it.word]), it.word+1, to
			if it.class == classSub || it.class == classRisky {
				continue
			}
		case it.option != "" && it.harmless():
			if it.class == classDir {
				to = joinDir(to, it.text)
			}
			continue
		}
		break
	}
	return append(kept, words[from:]...), until
}

// harmless reports whether an option before a command or subcommand only says how and where it
// works.
func (it item) harmless() bool {
	switch it.class {
	case classFlag, classText, className, classDir:
		return true
	case classAssign:
		return onlyChooses(it.text)
	}
	return false
}

// covers reports whether a rule that allows matches a command, as written or stripped by core.
func (r *Rule) covers(f *Facts, words []string, dir string) bool {
	if matchWords(r.words, words) && r.shortfall(f, words, dir) == "" {
		return true
	}
	if !slices.ContainsFunc(words, func(w string) bool { return matchText(r.words[0], w) }) {
		return false
	}
	short, dir := core(words, dir)
	return len(short) < len(words) && matchWords(r.words, short) && r.shortfall(f, short, dir) == ""
}

// passesOn reports whether a command is a filter that names no file and has only harmless
// words.
func passesOn(f *Facts, p part) bool {
	rd := read(p.words)
	if !has(p.words[0], "filter") || rd.recursive || slices.ContainsFunc(rd.items, func(it item) bool {
		return !slices.Contains([]class{classFlag, classText, classPlain, classFormat, classSed, classJQ}, it.class)
	}) {
		return false
	}
	any := Rule{words: []string{p.words[0], "*"}}
	return any.shortfall(f, p.words, p.dir) == ""
}
