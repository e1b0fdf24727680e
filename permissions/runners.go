package permissions

import (
	"path"
	"slices"
	"strings"
)

// program returns the name by which a program is known: without directory and version suffix.
func program(word string) string {
	name := strings.TrimSuffix(strings.ToLower(path.Base(word)), ".exe")
	if plain := strings.TrimRight(name, "0123456789."); plain != "" && name != "sqlite3" && name != "m4" {
		return plain
	}
	return name
}

func isShell(word string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "nu"}, program(word))
}

// interpreters run what their first operand, or an option, says.
var interpreters = strings.Fields(`python pypy node nodejs perl ruby php lua luajit awk gawk mawk nawk osascript powershell pwsh cmd tclsh wish expect source . eval trap
	fc at batch crontab ed ex emacs gdb lldb dc m4 sqlite3 psql mysql mariadb bun deno irb ghci scala groovy jshell rscript julia elixir iex erl ts-node tsx
	java kotlin swift crystal racket guile sbcl clisp clojure clj bb raku octave sage pike janet fennel xonsh elvish ansible-playbook bats robot k6 spark-submit`)

// closed are programs any of whose words may be code or a program to run. A rule that allows
// one must spell out every word.
var closed = strings.Fields(`sqlite sqlite3 psql mysql mariadb duckdb redis-cli mongo mongosh gdb lldb ssh mosh watch hyperfine coverage xvfb-run just task
	awk gawk mawk nawk vi vim nvim view ex ed emacs nano less more most man pandoc expect tmux screen entr watchexec nodemon script eval trap source .
	at batch crontab fc dc bc m4 osascript cmd powershell pwsh tclsh wish gnuplot`)

// never are programs that no rule may allow: their input decides what they work on.
var never = strings.Fields("xargs gxargs parallel cpio")

// consoles run the lines of their input whatever their operands are.
var consoles = strings.Fields("ed red ex vi vim nvim view sqlite sqlite3 psql mysql mariadb duckdb redis-cli mongo mongosh gdb lldb dc bc")

// scripts are the options, by program, that name a script to run.
var scripts = map[string][]string{
	"cmake": {"-P"}, "ctest": {"-S", "-SP", "--script", "--script-new-process"},
}

// flagsOnly are short options of python without a value.
var flagsOnly = []string{"-u", "-B", "-I", "-E", "-s", "-S"}

// openEnded reports whether the * of a pattern could match a program, or code, of the agent's
// choice. Such a pattern must name what it runs.
func openEnded(pattern []string) bool {
	name := program(pattern[0])
	star := slices.IndexFunc(pattern, func(w string) bool { return strings.Contains(w, "*") })
	switch {
	case star == 0, slices.Contains(closed, name), star > 0 && slices.Contains(scripts[name], pattern[star-1]):
		return true
	case carries(pattern) > 0 && firstNamed("", pattern[carries(pattern):]) < 0:
		return true
	case profileOf(pattern[0]) != nil:
		return unnamed(pattern)
	case anyProfile(name) != nil && anyProfile(name).runs(): // installed in another directory
		return unnamed(append([]string{name}, pattern[1:]...))
	case slices.Contains(interpreters, name):
		return firstNamed(name, pattern) < 0
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

// carries returns the place of a subcommand that runs the words after it, whatever options
// precede it; 0 if there is none.
func carries(pattern []string) int {
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
func firstNamed(name string, pattern []string) int {
	for i, w := range pattern {
		switch {
		case i == 0:
		case strings.Contains(w, "*"):
			return -1
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"):
		case i > 1 && strings.HasPrefix(pattern[i-1], "-") && pattern[i-1] != "--" && !(name == "python" && slices.Contains(flagsOnly, pattern[i-1])) && !(name == "python" && pattern[i-1] == "-m"):
		default:
			return i
		}
	}
	return -1
}

// standardInput are the names of the standard input.
var standardInput = []string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}

// readsCode reports whether a command runs its standard input.
func readsCode(words []string) bool {
	name := program(words[0])
	if slices.ContainsFunc(read(words).items, func(it item) bool { // make -f -
		return it.class == classCode && it.option != "" && slices.Contains(standardInput, it.text)
	}) {
		return true
	}
	if !isShell(name) && !slices.Contains(interpreters, name) || name == "trap" || name == "." || name == "source" || name == "eval" {
		return false
	}
	for _, w := range words[1:] {
		switch {
		case w == "--version" || w == "--help" || !isShell(name) && (w == "-V" || w == "-v"):
			return false
		case slices.Contains(standardInput, w) || w == "-s" && isShell(name):
			return true
		case !strings.HasPrefix(w, "-"):
			return false
		}
	}
	return true
}

// programs returns the places in a command's words of the programs that it runs or may run,
// according to the profiles.
func programs(words []string) []int { return carriedBy(words).places }
