package programs

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Interpret changes a command that is a script whose first line has env find the
// interpreter, as in npm packages. It runs the script with the file of known that has the
// interpreter's name or, if env would find the interpreter in a project, with one outside.
// cmd.Path must be absolute. The error is an *InProjectError if only a project has the
// interpreter.
func (p Path) Interpret(cmd *exec.Cmd, known ...string) error {
	words := interpreter(cmd.Path)
	if len(words) == 0 {
		return nil
	}
	found, passed, err := p.find(words[0])
	i := slices.IndexFunc(known, func(file string) bool {
		return filepath.IsAbs(file) && filepath.Base(file) == words[0] && !within(file, p.projects)
	})
	switch {
	case i >= 0:
		found = known[i]
	case passed == "": // env finds the same
		return nil
	case err != nil:
		return err
	}
	cmd.Args = slices.Concat(words, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = found
	return nil
}

// NeedsMissing returns the interpreter that env is to find for a command and will not, "" if there is none. The
// command would start, and fail with an error of env.
func (p Path) NeedsMissing(cmd *exec.Cmd) string {
	words := interpreter(cmd.Path)
	if len(words) == 0 {
		return ""
	}
	if _, err := p.Find(words[0]); err == nil {
		return ""
	}
	return words[0]
}

// interpreter returns the name of the program that env is to find for a script, with its
// arguments; nil for any other file.
func interpreter(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n') // Linux reads no more
	rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "#!")
	if err != nil || !ok {
		return nil
	}
	env, words, _ := strings.Cut(strings.TrimLeft(rest, " \t"), " ")
	if filepath.Base(env) != "env" {
		return nil
	}
	words = strings.TrimLeft(words, " \t")
	if split, ok := strings.CutPrefix(words, "-S"); ok {
		return strings.Fields(split)
	}
	return []string{strings.TrimRight(words, " \t\r")}
}
