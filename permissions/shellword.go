package permissions

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literal is what a word says, and why that is not known; "" where it is.
func literal(w *syntax.Word) (text, why string) {
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if why = bare(&b, p.Value, i == 0); why != "" {
				return w.Lit(), why
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", "it has escapes that parley does not read"
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if why = quoted(&b, p); why != "" {
				return "", why
			}
		default:
			return "", "what a word of it will be is not known before it runs"
		}
	}
	return b.String(), ""
}

// bare adds text that stands without quotes.
func bare(b *strings.Builder, s string, first bool) (why string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			if i++; s[i] != '\n' { // else the line goes on
				b.WriteByte(s[i])
			}
		case strings.IndexByte("*?[", c) >= 0:
			return "which files a pattern in it means is not known"
		case c == '{' && strings.ContainsAny(s[i:], ",.") && strings.Contains(s[i:], "}"):
			return "it has braces, which shells read in different ways"
		case c == '~' && (i == 0 && first || strings.HasSuffix(b.String(), "=") || strings.HasSuffix(b.String(), ":")):
			if i > 0 || len(s) > 1 && s[1] != '/' {
				return "whose home directory it means is not known"
			}
			b.WriteByte('~')
		default:
			b.WriteByte(c)
		}
	}
	return ""
}

// quoted adds text that stands between double quotes.
func quoted(b *strings.Builder, q *syntax.DblQuoted) (why string) {
	if q.Dollar {
		return "it has text that is translated"
	}
	for _, p := range q.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			return "what a word of it will be is not known before it runs"
		}
		for s := lit.Value; s != ""; {
			if s[0] == '\\' && len(s) > 1 && strings.IndexByte("$`\"\\\n", s[1]) >= 0 {
				if s[1] != '\n' {
					b.WriteByte(s[1])
				}
				s = s[2:]
				continue
			}
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return ""
}

// joinDir is where a relative path leads from dir; "" where that is not known.
func joinDir(dir, p string) string {
	switch {
	case strings.HasPrefix(p, "~"):
		return ""
	case filepath.IsAbs(p):
		return filepath.Clean(p)
	case dir == "":
		return ""
	}
	return filepath.Join(dir, p)
}

// changers are commands of the shell after which others may mean something else.
var changers = []string{"alias", "unalias", "eval", "exec", "source", ".", "trap", "enable", "builtin", "hash", "set", "shopt", "export", "unset", "read",
	"mapfile", "readarray", "getopts", "declare", "typeset", "local", "readonly", "let", "umask", "pushd", "popd", "compgen", "complete", "bind"}

// stateful tells whether a part changes what the others mean.
func (r *reader) stateful() bool {
	return slices.ContainsFunc(r.parts, func(p part) bool {
		return len(p.words) > 0 && (slices.Contains(changers, p.words[0]) || p.words[0] == "printf" && len(p.words) > 1 && strings.HasPrefix(p.words[1], "-v"))
	})
}

func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash"}, path.Base(name))
}

// runners run whatever they are given: a * must not stand for that.
var runners = []string{"sudo", "doas", "su", "env", "nohup", "nice", "ionice", "timeout", "time", "command", "exec", "eval", "xargs", "stdbuf", "setsid", "busybox",
	"toybox", "parallel", "watch", "ssh", "chroot", "unshare", "strace", "ltrace", "gdb", "script", "flock", "python", "python3", "python2", "node", "deno", "bun",
	"perl", "ruby", "php", "lua", "awk", "gawk", "mawk", "osascript", "powershell", "pwsh", "cmd", "tclsh", "expect", "source", ".", "trap", "builtin", "npx", "bunx", "uvx", "pipx"}

// openEnded tells whether the * of a pattern would stand for a program of the
// agent's choice: a pattern for those has to name what they run.
func openEnded(pattern []string) bool {
	name := path.Base(pattern[0])
	if strings.Contains(pattern[0], "*") {
		return true
	}
	if !isShell(name) && !slices.Contains(runners, name) {
		return false
	}
	named := 0
	for _, w := range pattern[1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "*") {
			named++
		}
	}
	return named == 0
}

// traps are words with which a harmless command runs others, or writes files: no *
// stands for them.
var traps = map[string][]string{
	"find": {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"},
	"fd":   {"-x", "--exec", "-X", "--exec-batch"},
	"git":  {"--config-env", "--exec-path", "--upload-pack", "--receive-pack", "--exec", "-x", "--open-files-in-pager", "--output", "--ext-diff"},
	"tar":  {"--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "-F", "--info-script"},
	"rg":   {"--pre", "--hostname-bin"},
	"sort": {"--compress-program", "-o", "--output"},
	"go":   {"-exec", "-toolexec", "-overlay", "-modfile", "-vettool"},
	"sed":  {"-i", "--in-place"},
	"man":  {"-P", "--pager", "-H"},
	"less": {"-o", "-O", "--log-file"},
	"date": {"-s", "--set"},
}

// trapped tells whether a * of the pattern would have to stand for one of them.
func trapped(pattern, words []string) bool {
	bad := traps[path.Base(words[0])]
	if len(words) > 1 && path.Base(words[0]) == "git" && strings.HasPrefix(words[1], "-") && (len(pattern) < 2 || pattern[1] != words[1]) {
		return true // before the subcommand: -c sets anything, a pager that is run among it
	}
	for i, w := range words[1:] {
		if i+1 < len(pattern) && pattern[i+1] == w {
			continue // it was named
		}
		for _, t := range bad {
			if w == t || strings.HasPrefix(w, t+"=") || len(t) == 2 && t[0] == '-' && strings.HasPrefix(w, t) {
				return true
			}
		}
	}
	return false
}
