package gitsafe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"parley/internal/sandbox"
)

// maxOutput bounds what is read of git's output, in bytes.
const maxOutput = 32 << 20

// commands are all that parley has git do in a repository. With the configuration that they get, none
// starts a program, and none looks into a submodule (git add and git submodule would).
var commands = strings.Fields("apply cat-file check-attr check-ignore commit-tree diff for-each-ref hash-object log ls-files merge merge-base " +
	"merge-tree rev-list rev-parse status symbolic-ref update-index update-ref worktree write-tree")

// Run runs a git command in the directory that was found, and returns its standard output. The error is
// one line, the first that git wrote.
func (r *Repo) Run(ctx context.Context, words ...string) (string, error) {
	return r.RunInput(ctx, "", words...)
}

// RunInput is Run with a standard input.
func (r *Repo) RunInput(ctx context.Context, input string, words ...string) (string, error) {
	var out bytes.Buffer
	err := r.Stream(ctx, &limited{to: &out, left: maxOutput}, input, words...)
	return out.String(), err
}

// Stream is RunInput that writes the output to a writer, whose error ends git.
func (r *Repo) Stream(ctx context.Context, to io.Writer, input string, words ...string) error {
	name := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") })
	if name < 0 || !slices.Contains(commands, words[name]) {
		return fmt.Errorf("git %q is none of the commands that parley runs", words)
	}
	if err := r.same(); err != nil {
		return err
	}
	common, err := r.common()
	if err != nil {
		return err
	}
	defer os.RemoveAll(common)
	cmd := command(ctx, r.git, r.cwd, append(r.settings[:len(r.settings):len(r.settings)], words...)...)
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+r.Dir, "GIT_WORK_TREE="+r.Top,
		"GIT_COMMON_DIR="+common, "GIT_OBJECT_DIRECTORY="+filepath.Join(r.Common, "objects"))
	if r.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.index)
	}
	cmd.Stdout = to
	exact := r.exact
	if exact == nil {
		exact = []string{r.Top, r.Dir, r.Common}
	}
	if err := confine(cmd, append(r.places[:len(r.places):len(r.places)], common), exact...); err != nil {
		return err
	}
	return cmp.Or(run(ctx, cmd, words[name], input), r.same())
}

// box is the sandbox of this process, nil if there is none.
var box atomic.Pointer[sandbox.Sandbox]

// Confine puts git into a sandbox from now on: it can then write to the worktree and its repository, but
// not where a link in them leads. nil ends that.
func Confine(s *sandbox.Sandbox) { box.Store(s) }

// confine puts a command into the sandbox, if there is one.
func confine(cmd *exec.Cmd, places []string, exact ...string) error {
	if s := box.Load(); s != nil && cmd.Err == nil {
		return s.Wrap(cmd, places, nil, exact...)
	}
	return nil
}

// run runs a command, which errors call by its name.
func run(ctx context.Context, cmd *exec.Cmd, name, input string) error {
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	var said bytes.Buffer
	cmd.Stderr = &limited{to: &said, left: 4 << 10}
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return &Error{Command: name, Stderr: said.String(), Err: err}
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
	return "git " + e.Command + ": " + cmp.Or(line, e.Err.Error())
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
