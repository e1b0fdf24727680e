package permissions

import (
	"path"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// flags are the lines of a profile that are neither options nor operands.
var flags = strings.Fields("wraps each global risky digits recursive hidden instead abbrev called links tree means names loads harmless same")

// flagged judges a line of testdata/flags.txt or of the corpus.
func flagged(t *testing.T, c corpusLine) Effect {
	rules, err := corpusRules(c.rules)
	if err != nil {
		return -1
	}
	f := corpusFacts(c.line)
	f.ListDir = func(dir string) ([]string, bool) {
		names, all := corpusNames(dir)
		return append(names, path.Base(dir)+".py"), all
	}
	effect := mustBook(t, rules).Judge(f).Effect
	if effect == Confirm {
		return None
	}
	return effect
}

// Each flag that is dropped from a profile is missed: some line is judged otherwise.
func TestFlags(t *testing.T) {
	lines := linesOf(t, "testdata/flags.txt")
	for _, c := range lines {
		if got := flagged(t, c); got != c.want {
			t.Errorf("%s: %q with %q is %v, want %v", c.where, c.line, c.rules, got, c.want)
		}
	}
	lines = append(lines, corpus(t)...)
	for i, c := range lines {
		lines[i].want = flagged(t, c)
	}
	texts := profileTexts()
	defer func(whole func() *library) { knownPrograms = whole }(knownPrograms)
	for name, text := range texts {
		section := ""
		for at, line := range strings.SplitAfter(text, "\n") {
			words := strings.Fields(line)
			if strings.HasPrefix(line, "[") {
				section = line
			}
			if len(words) == 0 || !slices.Contains(flags, words[0]) {
				continue
			}
			all := strings.SplitAfter(text, "\n")
			all[at] = "\n"
			texts[name] = strings.Join(all, "")
			l := must.Get(readProfiles(texts))(t)
			texts[name] = text
			knownPrograms = func() *library { return l }
			if !slices.ContainsFunc(lines, func(c corpusLine) bool { return mentions(c, section) && flagged(t, c) != c.want }) {
				t.Errorf("%s:%d: nothing misses %q of %s", name, at+1, strings.TrimSpace(line), section)
			}
		}
	}
}

// mentions reports whether a line may be about a program of a section, or the section is a group.
func mentions(c corpusLine, section string) bool {
	program, _, _ := strings.Cut(strings.Trim(section, "[=]\n"), " ")
	return strings.HasPrefix(program, "+") || slices.ContainsFunc(strings.Split(program, "|"), func(p string) bool { return strings.Contains(c.line+c.rules, p) })
}
