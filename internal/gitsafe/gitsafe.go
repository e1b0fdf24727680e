// Package gitsafe runs git in a repository that an agent may have written, so that git runs nothing
// the repository names.
package gitsafe

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/programs"
)

// Command returns `git ls-files` with these arguments, run in dir. git and dir are absolute paths.
func Command(ctx context.Context, git, dir string, words ...string) *exec.Cmd {
	return command(ctx, git, dir, []string{"ls-files"}, words)
}

// command returns a git command with more arguments. Git is started in a directory of programs', so dir
// must be absolute.
func command(ctx context.Context, git, dir string, words ...[]string) *exec.Cmd {
	cmd := programs.Command(ctx, git, slices.Concat([]string{"-C", dir}, args, slices.Concat(words...))...)
	cmd.Env = environ(cmd.Env)
	if !filepath.IsAbs(dir) && cmd.Err == nil {
		cmd.Err = fmt.Errorf("run git in %q: not an absolute path", dir)
	}
	return cmd
}

// args precede every command. An agent can write the configuration and index of the repository.
// `git ls-files` runs only the file system monitor, and fetches objects that a partial clone lacks
// with programs from the configuration. It reads no attributes and so runs no filter, writes no
// index and so runs no hook, and uses no pager; the other settings guard against future versions.
// An empty fsmonitor is off in every version, while "false" is the name of a program in old ones. A
// directory that only looks like the inside of a repository is rejected: anybody could have written
// its configuration.
var args = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.fsmonitor=", "-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never",
	"-c", "safe.bareRepository=explicit",
}

// keptVariables are the variables of git that locate the user's own configuration, so that the
// user's global ignore rules apply. All other variables of git are removed, since some name another
// repository.
var keptVariables = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH"}

// environ returns env without variables that name another repository, and with those that keep git
// from prompting and fetching.
func environ(env []string) []string {
	env = slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(keptVariables, name) || name == "LC_ALL" || name == "LANGUAGE"
	})
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}
