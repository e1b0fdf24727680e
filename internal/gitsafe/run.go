package gitsafe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// maxOutput bounds what is read of git's output, in bytes.
const maxOutput = 32 << 20

// The errors of Trusted wrap one of these.
var (
	ErrPrograms  = errors.New("the repository's own configuration names programs that git would run")
	ErrSubmodule = errors.New("submodules are not supported, nor other repositories that set core.worktree")
)

// untrusted are the settings that make git run a program when files are checked out, added, committed
// or merged. Hooks and the file system monitor are switched off for every command; pagers, editors and
// transports are not used.
var untrusted = regexp.MustCompile(`^(filter\..*\.(smudge|clean|process)|merge\..*\.driver|gpg\..*program|gpg\.program|core\.(sshcommand|editor|askpass|alternaterefscommand))$`)

// Trusted returns an error unless git can check out, commit and merge in the repository of dir without
// running a program, or writing to a place, that the repository's own configuration names: an agent may
// have written that. The user's own configuration may name any.
func Trusted(ctx context.Context, git, dir string) error {
	out, err := Run(ctx, git, dir, "config", "--list", "--show-scope", "--includes", "--name-only", "-z")
	if err != nil {
		return err
	}
	fields := strings.Split(out, "\x00") // scope, key, scope, key, ...
	for i := 0; i+1 < len(fields); i += 2 {
		scope, key := fields[i], fields[i+1]
		if scope != "local" && scope != "worktree" {
			continue
		}
		if strings.EqualFold(key, "core.worktree") { // it makes git write files elsewhere
			return ErrSubmodule
		}
		if untrusted.MatchString(strings.ToLower(key)) {
			return fmt.Errorf("%w: %s (git config --unset %s removes it)", ErrPrograms, key, key)
		}
	}
	return nil
}

// Run runs a git command in dir and returns its standard output. Hooks, monitors, pagers, prompts and
// the network are off. Commands that check out, add, commit or merge need Trusted first. The error is
// one line, the first that git wrote.
func Run(ctx context.Context, git, dir string, words ...string) (string, error) {
	return RunInput(ctx, git, dir, "", words...)
}

// RunInput is Run with a standard input.
func RunInput(ctx context.Context, git, dir, input string, words ...string) (string, error) {
	cmd := command(ctx, git, dir, []string{"-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, words)
	cmd.WaitDelay = time.Second
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	var out, said bytes.Buffer
	cmd.Stdout = &limited{to: &out, left: maxOutput}
	cmd.Stderr = &limited{to: &said, left: 4 << 10}
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	return out.String(), &Error{Command: words[0], Stderr: said.String(), Err: err}
}

// Error is a git command that failed.
type Error struct {
	Command string
	Stderr  string // its standard error, up to 4 KiB
	Err     error
}

func (e *Error) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	line = strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
	if line == "" {
		line = e.Err.Error()
	}
	return "git " + e.Command + ": " + line
}

func (e *Error) Unwrap() error { return e.Err }

// Code is the exit code; -1 if git did not run or was killed.
func (e *Error) Code() int {
	var exit *exec.ExitError
	if errors.As(e.Err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// limited writes at most left bytes and drops the rest.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	_, err := l.to.Write(b[:n])
	return len(b), err
}
