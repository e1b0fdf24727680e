package permissions

import (
	"path"
	"slices"
	"strings"
)

// program is the name by which a program is known, without its directory and the
// version behind it.
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

// wrappers run the program that stands behind their own options: a * must not
// stand for that.
var wrappers = strings.Fields(`sudo doas su env nohup nice ionice chrt taskset timeout gtimeout time command exec builtin noglob nocorrect xargs gxargs stdbuf setsid
	busybox toybox parallel watch ssh chroot unshare nsenter strace ltrace perf valgrind script flock runuser setpriv bwrap firejail proot fakeroot systemd-run
	dbus-run-session entr watchexec nodemon hyperfine tmux screen rlwrap direnv dotenv caffeinate arch npx bunx uvx pipx nix-shell`)

// twice are wrappers with a word of their own before the program.
var twice = strings.Fields("su ssh chroot flock script runuser tmux direnv")

// interpreters run what their first word, or an option, says.
var interpreters = strings.Fields(`python pypy node nodejs perl ruby php lua luajit awk gawk mawk nawk osascript powershell pwsh cmd tclsh wish expect source . eval trap
	fc at batch crontab ed ex emacs gdb lldb dc m4 sqlite3 psql mysql mariadb bun deno irb ghci scala groovy jshell rscript julia elixir iex erl ts-node tsx
	java kotlin swift crystal racket guile sbcl clisp clojure clj bb raku octave sage pike janet fennel xonsh elvish ansible-playbook bats robot k6 spark-submit`)

// carriers are programs of which some subcommands run what stands behind them.
var carriers = map[string][]string{
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx"}, "deno": {"run", "eval", "x", "repl", "task"}, "bun": {"run", "x", "exec", "repl"},
	"uv": {"run", "tool", "x"}, "poetry": {"run"}, "pipenv": {"run"}, "bundle": {"exec"}, "conda": {"run"}, "mise": {"exec", "x"}, "rustup": {"run"},
	"docker": {"exec", "run"}, "podman": {"exec", "run"}, "kubectl": {"exec", "run", "debug"}, "nix": {"run", "shell", "develop", "eval"}, "go": {"run", "tool"},
}

// closed are programs of which any word may be code, or a program to run: a rule that
// allows one of them says every word.
var closed = strings.Fields(`sqlite sqlite3 psql mysql mariadb duckdb redis-cli mongo mongosh gdb lldb ssh mosh watch hyperfine coverage xvfb-run just task
	awk gawk mawk nawk vi vim nvim view ex ed emacs nano less more most man pandoc expect tmux screen entr watchexec nodemon script eval trap source .
	at batch crontab fc dc bc m4 osascript cmd powershell pwsh tclsh wish gnuplot`)

// never are programs that no rule may allow: what they work on stands in what they read.
var never = strings.Fields("xargs gxargs parallel cpio")

// scripts are options, by program, with the name of a script to run.
var scripts = map[string][]string{
	"cmake": {"-P"}, "ctest": {"-S", "-SP", "--script", "--script-new-process"},
}

// flagsOnly are short options, by program, that no value follows.
var flagsOnly = map[string][]string{
	"npx": {"-y", "--yes", "--no-install"}, "python": {"-u", "-B", "-I", "-E", "-s", "-S"}, "sudo": {"-n", "-E", "-H"}, "time": {"-p"}, "env": {"-i"},
	"sh": {"-e", "-u", "-x", "-eu", "-ex", "-eux"}, "bash": {"-e", "-u", "-x", "-eu", "-ex", "-eux"},
}

// amount is a word that wrappers take before the program: a number, a duration, a
// variable.
var amount = late(`^[0-9.]+[smhd]?$|^[A-Za-z_][A-Za-z0-9_]*=`)

// openEnded tells whether the * of a pattern would stand for a program, or for
// code, of the agent's choice: a pattern for those has to name what they run.
func openEnded(pattern []string) bool {
	name := program(pattern[0])
	star := slices.IndexFunc(pattern, func(w string) bool { return strings.Contains(w, "*") })
	switch {
	case star == 0, slices.Contains(closed, name), star > 0 && slices.Contains(scripts[name], pattern[star-1]):
		return true
	case carries(name, pattern) > 0 && firstNamed("", pattern[carries(name, pattern):]) < 0:
		return true
	case profileOf(pattern[0]) != nil:
		return unnamed(pattern)
	case isShell(name), slices.Contains(interpreters, name):
		return firstNamed(name, pattern) < 0
	case slices.Contains(wrappers, name):
		i := firstNamed(name, pattern)
		if i > 0 && slices.Contains(twice, name) {
			k := firstNamed("", pattern[i:])
			if k < 0 {
				return true
			}
			i += k
		}
		return i < 0 || openEnded(pattern[i:])
	}
	return false
}

// unnamed tells whether * would stand for code, or for a program, by what the profile of
// the first word says, and the pattern names none.
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
		if it.class != classCode && it.class != classCmd {
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

// carries is the place of the subcommand that runs what follows it; 0 where there is none.
func carries(name string, pattern []string) int {
	option := func(i int) bool { return i > 0 && strings.HasPrefix(pattern[i], "-") }
	for i := 1; i < len(pattern); i++ {
		if slices.Contains(carriers[name], pattern[i]) {
			return i
		}
		if !option(i) && !option(i-1) {
			break
		}
	}
	return 0
}

// firstNamed is the first word of a pattern behind its program that can only be
// what is run: no option, no value of one, nothing with a *. -1 where there is none.
func firstNamed(name string, pattern []string) int {
	for i, w := range pattern {
		switch {
		case i == 0 || amount().MatchString(w) && slices.Contains(wrappers, name):
		case strings.Contains(w, "*"):
			return -1
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+"):
		case i > 1 && strings.HasPrefix(pattern[i-1], "-") && pattern[i-1] != "--" && !slices.Contains(flagsOnly[name], pattern[i-1]) && !(name == "python" && pattern[i-1] == "-m"):
		default:
			return i
		}
	}
	return -1
}

// readsCode tells whether a command runs what comes in by its standard input.
func readsCode(words []string) bool {
	name := program(words[0])
	if !isShell(name) && !slices.Contains(interpreters, name) || name == "trap" || name == "." || name == "source" || name == "eval" {
		return false
	}
	for _, w := range words[1:] {
		switch {
		case w == "--version" || w == "--help" || !isShell(name) && (w == "-V" || w == "-v"):
			return false
		case w == "-" || w == "/dev/stdin" || w == "-s" && isShell(name):
			return true
		case !strings.HasPrefix(w, "-"):
			return false
		}
	}
	return true
}

// programs are the places in a command's words of the programs that it runs, as far as
// profiles know them, and of what may be one behind a wrapper that has none.
func programs(words []string) []int {
	places := []int{0}
	for _, it := range read(words).items {
		if it.class == classCmd || it.class == classOther && it.of == words[0] && wrapped(words) > 1 {
			places = append(places, it.word)
		}
	}
	return places
}

// wrapped are the places in a command's words at which a program may begin: its
// own, and with a wrapper any.
func wrapped(words []string) int {
	if len(words) > 0 && (slices.Contains(wrappers, program(words[0])) || program(words[0]) == "find" || program(words[0]) == "fd") {
		return len(words)
	}
	return min(1, len(words))
}
