package terminal

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form returns a canonical form. Two commands with the same form do the same: they pass the same
// words to the same program, in the same directory and with the same variables. A line that a shell
// does more with than split it keeps its text.
func (c Command) Form() string {
	env, words, line := slices.Clone(c.Env), append([]string{c.Command}, c.Args...), ""
	if c.readByShell() {
		set, apart, ok := split(c.Command)
		if env, words = append(env, set...), apart; !ok || c.Shell || len(c.Env) > 0 { // some variables make a shell run other things
			env, words, line = slices.Clone(c.Env), nil, c.Command
		}
	}
	slices.SortStableFunc(env, func(a, b EnvVar) int { return strings.Compare(a.Name, b.Name) })
	return fmt.Sprintf("%q %q %q %q", c.Dir, env, words, line)
}

// ownWords are words with which a shell does something other than start a program of that name.
var ownWords = strings.Fields(`- . builtin case command coproc declare do done elif else emulate end esac eval exec export fi float for foreach function if in
	integer let local nocorrect noglob printf read readonly repeat select source test then time trap typeset unset until wait while`)

// split splits a line that every POSIX shell, and cmd on Windows, reads as one program with literal
// arguments; ok is false for any other line.
func split(line string) (set []EnvVar, words []string, ok bool) {
	word, begun, quoted, assigns := "", false, false, 0 // assigns is where the value of an assignment begins
	end := func() {
		switch {
		case assigns > 0:
			set = append(set, EnvVar{word[:assigns-1], word[assigns:]})
		case begun:
			words = append(words, word)
		}
		word, begun, quoted, assigns = "", false, false, 0
	}
	for line != "" {
		c, size := utf8.DecodeRuneInString(line)
		text := line[:size] // what is added to the word
		switch {
		case c == ' ' || c == '\t':
			end()
			line = line[1:]
			continue
		case c == '=' && len(words) == 0 && assigns == 0:
			if quoted || !isVariable(word) || windows {
				return nil, nil, false
			}
			assigns = len(word) + 1
		case isPlain(c) && (c != '=' || word != ""): // zsh expands = at the beginning of a word
		case windows:
			return nil, nil, false
		case c == '\\' && len(line) > 1 && line[1] >= ' ' && line[1] <= '~':
			text, size, quoted = line[1:2], 2, true
		case c == '\'' || c == '"':
			n := strings.IndexAny(line[1:], map[rune]string{'\'': "'", '"': "\"\\$`!"}[c])
			if n < 0 || rune(line[1+n]) != c {
				return nil, nil, false
			}
			text, size, quoted = line[1:1+n], n+2, true
		default:
			return nil, nil, false
		}
		word, begun, line = word+text, true, line[size:]
	}
	end()
	own := func(v EnvVar) bool { return v.Name == "PATH" } // PATH decides which program runs
	return set, words, len(words) > 0 && !slices.Contains(ownWords, words[0]) && !slices.ContainsFunc(set, own)
}

const windows = runtime.GOOS == "windows"

// isPlain reports whether a character is literal outside quotes.
func isPlain(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("_@+=:,./-", c):
		return true
	}
	return c == '%' && !windows || c >= utf8.RuneSelf && c != utf8.RuneError && unicode.IsPrint(c)
}

// isVariable reports whether a shell accepts a text as the name of a variable.
func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
