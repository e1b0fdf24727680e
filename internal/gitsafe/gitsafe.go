// Package gitsafe is how git is asked for the names of files in a repository that
// an agent may write to: nothing that the repository names is run.
package gitsafe

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"

	"parley/internal/programs"
)

// Command is `git ls-files` with these arguments, about dir, where git is an absolute
// path.
func Command(ctx context.Context, git, dir string, words ...string) *exec.Cmd {
	cmd := programs.Command(ctx, git, slices.Concat([]string{"-C", dir}, args, []string{"ls-files"}, words)...)
	cmd.Env = environ(cmd.Env)
	return cmd
}

// args go before every command. An agent can write to the repository, and so to
// its configuration and index; `git ls-files` is a command that runs nothing but
// the monitor of the file system, and fetches objects that the index names and a
// partial clone lacks, by programs the configuration names. It reads no attributes
// and so runs no filter, it writes no index and so runs no hook, and its output
// goes to no pager; the rest is for versions of git to come. An empty fsmonitor is
// none in any version, "false" is a program's name in old ones. A directory that only
// looks like the inside of a repository is none: its configuration would be anybody's.
var args = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.fsmonitor=", "-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never",
	"-c", "safe.bareRepository=explicit",
}

// keptVariables of git's environment say where the user's own configuration is:
// what the user ignores everywhere counts here too. All others, of which some name
// another repository, are left out.
var keptVariables = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH"}

// environ is env without what names another repository, and with what keeps git from
// asking and fetching.
func environ(env []string) []string {
	env = slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(keptVariables, name) || name == "LC_ALL" || name == "LANGUAGE"
	})
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}
