package cli

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/lazy"
	"parley/internal/record"
	"parley/terminal"
)

// A line of the user's leaves its directory and variables to the next, though each has a process of its own, which
// can be stopped: when it exits, the shell writes them into a file. The file is in the state directory, which
// agents in a sandbox cannot write.

// maxLeft bounds what is read of that file, in bytes.
const maxLeft = 1 << 20

var variable = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ofShell are variables that each shell sets for itself.
var ofShell = []string{"_", "PWD", "SHLVL"}

// leaving returns a line that leaves its directory and variables in a file, and that file. It returns the line and ""
// if the user's shell is of another kind, or no file can be made. Variables are exported, so that they are all in the
// environment; those that env lacks were unset.
func leaving(line string, env []string) (script, left string) {
	if !terminal.IsPosix(cmp.Or(os.Getenv("SHELL"), "sh")) {
		return line, ""
	}
	dir, err := record.StateDir()
	if err != nil || strings.ContainsAny(dir, "'\"$`\\") || os.MkdirAll(dir, 0o700) != nil {
		return line, ""
	}
	file, err := os.CreateTemp(dir, "shell-*")
	if err != nil {
		return line, ""
	}
	_ = file.Close()
	script = `trap '{ printf "%s\0" "$PWD"; env -0; } 2>/dev/null >"` + file.Name() + `"' EXIT; set -a`
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if env != nil && variable().MatchString(name) && !slices.Contains(ofShell, name) && !strings.HasPrefix(name, "PARLEY_") &&
			!slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			script += "; unset " + name
		}
	}
	return script + "\n" + line, file.Name()
}

// readLeft reads the file of a line that has ended, and removes it.
func readLeft(name string) (dir string, env []string) {
	file, err := os.Open(name)
	if err != nil {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(file, maxLeft))
	_, _ = file.Close(), os.Remove(name)
	dir, vars, ok := strings.Cut(string(text), "\x00")
	if err != nil || !ok || vars == "" || !strings.HasSuffix(vars, "\x00") || !filepath.IsAbs(dir) { // env may lack -0
		return "", nil
	}
	for v := range strings.SplitSeq(strings.TrimSuffix(vars, "\x00"), "\x00") {
		if name, _, ok := strings.Cut(v, "="); ok && name != "" && !slices.Contains(ofShell, name) && !strings.HasPrefix(name, "PARLEY_") {
			env = append(env, v)
		}
	}
	return dir, env
}
