package permissions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// attributeCase says what shows that a program has an attribute, and the commands that must show it. The first word of
// each is the program.
type attributeCase struct {
	shows    func(t *testing.T, words []string) bool
	commands string // separated by commas
}

// judgedLine judges a line in a directory with the files x and y. The rules allow what they name.
func judgedLine(t *testing.T, line string, rules ...string) Judgement {
	t.Helper()
	f := lineFacts(line)
	f.ListDir = func(string) ([]string, bool) { return []string{"x", "y"}, true }
	return rulebook(t, allowing(rules...)).Judge(f)
}

// says reports whether a verdict of a judgement has a reason.
func (j Judgement) says(why string) bool {
	return slices.ContainsFunc(j.Verdicts, func(v Verdict) bool { return strings.Contains(v.NoRuleReason, why) })
}

// mistake returns what is wrong with a rule that allows a command.
func mistake(command string) string {
	r := Rule{Effect: Allow, Command: command}
	return fmt.Sprint(r.Compile())
}

const (
	installs   = "install|add|update|upgrade|publish"
	nodeVerbs  = installs + "|i|ci|up|exec|x|dlx|audit|login|outdated|view"
	pythonDoes = "install|download|add|sync|update|upgrade|publish|lock"
)

var attributeCases = map[string]attributeCase{
	"passes": {func(t *testing.T, words []string) bool {
		f := lineFacts("")
		f.Commands = []CommandFact{{Words: append(words, "ls", "x"), Dir: "/w", Line: "it"}}
		return rulebook(t, allowing("ls *")).Judge(f).Effect == Allow
	}, "timeout 5, gtimeout 5, time, nice, stdbuf -oL, env, command"},
	"filter": {func(t *testing.T, words []string) bool {
		return judgedLine(t, "ls x | "+strings.Join(words, " "), "ls *").Effect == Allow
	}, "echo x, printf x, true, false, :, pwd, test x = y, [ x = y ], cat, head, tail, wc -l, sort, uniq, cut -f1, tr a b, nl, rev, fold, tac, column, grep x, egrep x, fgrep x, sed s/a/b/, jq ."},
	"shell": {func(t *testing.T, words []string) bool {
		return judgedLine(t, "cat x | "+words[0]).Marks()&PipedShell != 0
	}, "sh, bash, dash, zsh, ksh, mksh, ash, fish, rbash, csh, tcsh, nu"},
	"posix": {func(t *testing.T, words []string) bool {
		return judgedLine(t, words[0]+" -c 'ls x'", "ls *").Effect == Allow
	}, "sh, bash, dash, zsh"},
	"code": {func(t *testing.T, words []string) bool {
		return judgedLine(t, "cat x | "+words[0]).Marks()&PipedShell != 0
	}, `python, pypy, node, nodejs, perl, ruby, php, lua, luajit, awk, gawk, mawk, nawk, osascript, powershell, pwsh, cmd, tclsh, wish, expect,
		fc, at, batch, crontab, ed, ex, emacs, gdb, lldb, dc, m4, sqlite3, psql, mysql, mariadb, bun, deno, irb, ghci, scala, groovy, jshell, rscript, julia, elixir, iex, erl, ts-node, tsx,
		java, kotlin, swift, crystal, racket, guile, sbcl, clisp, clojure, clj, bb, raku, octave, sage, pike, janet, fennel, xonsh, elvish, ansible-playbook, bats, robot, k6, spark-submit`},
	"evaluates": {func(_ *testing.T, words []string) bool {
		return slices.ContainsFunc(partsOf(words[0]+` "$(echo 'rm x')"`, "/w"), func(p part) bool { return slices.Equal(p.words, []string{"rm", "x"}) })
	}, "eval, source, ., trap"},
	"closed": {func(_ *testing.T, words []string) bool {
		return strings.Contains(mistake(words[0]+" x *"), "can run anything its arguments say")
	}, `sqlite, sqlite3, psql, mysql, mariadb, duckdb, redis-cli, mongo, mongosh, gdb, lldb, ssh, mosh, watch, hyperfine, coverage, xvfb-run, just, task, awk, gawk, mawk, nawk, vi, vim, nvim, view, ex, ed, emacs, nano, less,
		more, most, man, pandoc, expect, tmux, screen, entr, watchexec, nodemon, script, eval, trap, source, ., at, batch, crontab, fc, dc, bc, m4, osascript, cmd, powershell, pwsh, tclsh, wish, gnuplot`},
	"never": {func(t *testing.T, words []string) bool {
		return strings.Contains(mistake(words[0]+" ls"), "takes file names from its input") && judgedLine(t, words[0]+" ls").says("works on file names that it reads")
	}, "xargs, gxargs, parallel, cpio"},
	"console": {func(t *testing.T, words []string) bool {
		return judgedLine(t, words[0]+" x <<< y", words[0]+" x").says(whyReadsCode)
	}, "cc, c++, gcc, g++, clang, clang++, cpp, tcc, as, ftp, lftp, sftp, gnuplot, r, sqlplus, maxima, ed, red, ex, vi, vim, nvim, view, sqlite, sqlite3, psql, mysql, mariadb, duckdb, redis-cli, mongo, mongosh, gdb, lldb, dc, bc"},
	"network": {func(t *testing.T, words []string) bool {
		return judgedLine(t, strings.Join(words, " ")).Marks()&Network != 0
	}, `ssh, mosh, gh, glab, hub, apt, apt-get, dnf, yum, pacman, zypper, brew, apk, snap, flatpak, aws, gcloud, az, kubectl, helm, terraform, npx, bunx, uvx, ncftp, lftp, aria2c, yt-dlp, mail, sendmail, mutt,
		wget, http, https, xh, ping, nc, ncat, telnet, ftp, dig, host, nslookup, whois, traceroute, nmap, openssl, curl, scp, sftp, rsync,
		git clone|fetch|pull|push|ls-remote|remote|submodule|archive|request-pull|send-email|bundle, go get|install, cargo install|update|fetch|publish|add|search,
		npm ` + nodeVerbs + `, pnpm ` + nodeVerbs + `, yarn ` + nodeVerbs + `, bun ` + nodeVerbs + `, pip ` + pythonDoes + `, pipx ` + pythonDoes + `, poetry ` + pythonDoes + `, uv pip|tool|run|` + pythonDoes + `,
		gem install|push|update, bundle install|update, composer install|update|require, docker pull|push|login|run|build|search, podman pull|push|login|run|build|search`},
	"deletes": {func(t *testing.T, words []string) bool {
		return judgedLine(t, strings.Join(words, " ")+" /etc/x").Marks()&DeletesOutside != 0
	}, "rm, rmdir, unlink, shred, srm, trash, del, erase, find -delete"},
	"hosts": {func(t *testing.T, words []string) bool {
		target := " a:b"
		if len(words) == 1 {
			target = " example.com"
		}
		return judgedLine(t, strings.Join(words, " ")+" --unknown"+target).says(whyNetwork)
	}, "wget, http, https, xh, ping, nc, ncat, telnet, ftp, dig, host, nslookup, whois, traceroute, nmap, openssl, curl, scp colon, sftp colon, rsync colon, git fetch, git-clone fetch, gitk fetch"},
	"numbered": {func(_ *testing.T, words []string) bool { return program(words[0]) == words[0] }, "sqlite3, m4, k6"},
	"moves": {func(_ *testing.T, words []string) bool {
		parts := partsOf(words[0]+" sub; ls", "/w")
		return parts[1].dir == ""
	}, "cd, chdir, pushd, popd, z"},
	"changes": {func(t *testing.T, words []string) bool {
		return judgedLine(t, "'"+words[0]+"' x; ls").says("one part changes what the others mean")
	}, `alias, unalias, eval, exec, source, ., trap, enable, builtin, hash, set, shopt, export, unset, read, mapfile, readarray, getopts, declare, typeset, local, readonly, let, umask, pushd, popd, compgen, complete,
		bind, chdir, autoload, zmodload, setopt, unsetopt, emulate, functions, disable, rehash, unhash, unfunction, vared, integer, float, sched`},
	"prints": {func(t *testing.T, words []string) bool {
		return judgedLine(t, strings.Join(words, " "), words[0]+" *").Effect == Allow
	}, "echo $?, printf %s $?, test $? = 0, [ $? = 0 ]"},
	"quiet": {func(t *testing.T, words []string) bool {
		command := strings.Join(words, " ")
		return judgedLine(t, "cat *; "+command, command, "cat *").Effect == Allow
	}, `cd x, echo, printf x, pwd, date, true, false, :, test x = y, [ x = y ], ls, cat, head, tail, wc, grep x, egrep x, fgrep x, rg x, sort, uniq, cut -f1, tr a b, nl, sed s/a/b/, jq ., stat x, file x, du, df, tree, find, fd, fdfind,
		diff x y, cmp x y, which x, type x, basename x, dirname x, realpath x, sleep 1, pytest, mypy x, eslint x, vitest, jest, make, gofmt x,
		git status|log|diff|show|branch|blame|ls-files|rev-parse|grep|add|commit|describe|remote, go build|vet|test|list|version|env|doc|run, cargo build|check|test|clippy|fmt|tree, npm run|run-script|test|t|ls, pnpm run|test|ls, yarn run|test`},
}

// split returns the commands of a case, one for each word between |.
func (c attributeCase) split() (out [][]string) {
	for command := range strings.SplitSeq(c.commands, ",") {
		words := strings.Fields(command)
		last := words[len(words)-1]
		for one := range strings.SplitSeq(last, "|") {
			out = append(out, append(slices.Clone(words[:len(words)-1]), one))
		}
	}
	return out
}

// Each attribute shows in what is judged, and each that is dropped from a profile is missed.
func TestAttributes(t *testing.T) {
	for _, name := range attributes {
		c, given := attributeCases[name], knownPrograms().names[name]
		missing := func(program string) (out []string) {
			for _, words := range c.split() {
				if (program == "" || words[0] == program) && !c.shows(t, words) {
					out = append(out, strings.Join(words, " "))
				}
			}
			return out
		}
		if without := missing(""); without != nil {
			t.Errorf("%s does not show in %q", name, without)
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(given)) {
			if program(key) != key { // looked up without its version
				continue
			}
			words := given[key]
			delete(given, key)
			if missing(key) == nil {
				t.Errorf("nothing misses %q of %s", name, key)
			}
			for i := range words {
				if len(words) > 1 {
					given[key] = slices.Delete(slices.Clone(words), i, i+1)
					if missing(key) == nil {
						t.Errorf("nothing misses %q of %q of %s", words[i], name, key)
					}
				}
			}
			given[key] = words
		}
	}
}

// Each variable that only chooses may be set before a command, to a value of its kind.
func TestVariables(t *testing.T) {
	missing := maps.Clone(knownPrograms().variables)
	for value, names := range map[string]string{
		"linux": "GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GOMIPS GOPPC64 GORISCV64 GOWASM GOTRACEBACK GOMAXPROCS NODE_ENV RUST_LOG TERM LANG LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME TZ",
		"full":  "RUST_BACKTRACE RUST_LIB_BACKTRACE CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_TERM_QUIET CARGO_TERM_VERBOSE RUST_TEST_THREADS RUST_TEST_NOCAPTURE",
		"always": `CARGO_TERM_COLOR CI FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES PY_COLORS PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONFAULTHANDLER NODE_NO_WARNINGS
			NODE_DISABLE_COLORS NEXT_TELEMETRY_DISABLED DO_NOT_TRACK`,
		"random": "PYTHONHASHSEED", "off": "GOPROXY GOWORK", "local": "GOTOOLCHAIN", "cat": "PAGER GIT_PAGER GH_PAGER", "0": "GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS CGO_ENABLED",
	} {
		for name := range strings.FieldsSeq(names) {
			delete(missing, name)
			for _, v := range []string{value, "./" + value, "x y"} {
				if got := judgedLine(t, name+"='"+v+"' ls x", "ls *").Effect; got == Allow != (v == value) {
					t.Errorf("%s=%s is %v", name, v, got)
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("not tried: %q", slices.Sorted(maps.Keys(missing)))
	}
}

// The value of a variable that some program runs is a command, even if it is unknown; each that is dropped from a profile
// is missed.
func TestCommandVariables(t *testing.T) {
	all := knownPrograms().commands
	defer func() { knownPrograms().commands = all }()
	missing := func() (out []string) {
		for name := range strings.FieldsSeq("PAGER GIT_PAGER EDITOR GIT_SEQUENCE_EDITOR VISUAL BROWSER GIT_SSH_COMMAND SSH_ASKPASS GIT_SSH GIT_EXTERNAL_DIFF RSYNC_RSH SHELL CONFIG_SHELL LESSOPEN LESSCLOSE PS1 PS2 PS4 ENV BASH_ENV RUSTC_WRAPPER") {
			if rulebook(t, "[[deny]]\ncommand = \"rm *\"\n").Judge(lineFacts(name+"=$x ls")).MayHide != Deny {
				out = append(out, name)
			}
		}
		return out
	}
	if names := missing(); names != nil {
		t.Errorf("no commands: %q", names)
	}
	for at, name := range all {
		if knownPrograms().commands = slices.Delete(slices.Clone(all), at, at+1); missing() == nil {
			t.Errorf("nothing misses %s", name)
		}
	}
}
