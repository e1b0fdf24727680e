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
	fc at batch crontab ed ex emacs gdb lldb dc m4 sqlite3 psql mysql mariadb irb ghci scala groovy jshell rscript julia elixir iex erl ts-node tsx`)

// carriers are programs of which some subcommands run what stands behind them.
var carriers = map[string][]string{
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx"}, "deno": {"run", "eval", "x", "repl"}, "bun": {"run", "x", "exec", "repl"},
	"uv": {"run", "tool", "x"}, "poetry": {"run"}, "pipenv": {"run"}, "bundle": {"exec"}, "conda": {"run"}, "mise": {"exec", "x"}, "rustup": {"run"},
	"docker": {"exec", "run"}, "podman": {"exec", "run"}, "kubectl": {"exec", "run", "debug"}, "nix": {"run", "shell", "develop", "eval"}, "go": {"run", "tool", "generate"},
}

// flagsOnly are short options, by program, that no value follows.
var flagsOnly = map[string][]string{
	"npx": {"-y", "--yes", "--no-install"}, "python": {"-u", "-B", "-I", "-E", "-s", "-S"}, "sudo": {"-n", "-E", "-H"}, "time": {"-p"}, "env": {"-i"},
	"sh": {"-e", "-u", "-x", "-eu", "-ex", "-eux"}, "bash": {"-e", "-u", "-x", "-eu", "-ex", "-eux"}, "xargs": {"-0", "-r", "-t"},
}

// amount is a word that wrappers take before the program: a number, a duration, a
// variable.
var amount = late(`^[0-9.]+[smhd]?$|^[A-Za-z_][A-Za-z0-9_]*=`)

// openEnded tells whether the * of a pattern would stand for a program, or for
// code, of the agent's choice: a pattern for those has to name what they run.
func openEnded(pattern []string) bool {
	name := program(pattern[0])
	switch {
	case strings.Contains(pattern[0], "*"):
		return true
	case name == "command" && len(pattern) > 1 && (pattern[1] == "-v" || pattern[1] == "-V"):
		return false
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
	case len(pattern) > 1 && slices.Contains(carriers[name], pattern[1]):
		return firstNamed("", pattern[1:]) < 0
	}
	return false
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
		case i > 1 && strings.HasPrefix(pattern[i-1], "-") && !slices.Contains(flagsOnly[name], pattern[i-1]) && !(name == "python" && pattern[i-1] == "-m"):
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

// wrapped are the places in a command's words at which a program may begin: its
// own, and with a wrapper any.
func wrapped(words []string) int {
	if len(words) > 0 && (slices.Contains(wrappers, program(words[0])) || program(words[0]) == "find" || program(words[0]) == "fd") {
		return len(words)
	}
	return min(1, len(words))
}
