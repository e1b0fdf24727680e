//go:build unix

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
	"parley/internal/seeds"
)

// place is a directory, with what is around it, in which parley is started.
type place struct {
	name    string
	prepare func(t *testing.T, dir string) // makes a directory the place; nil: it stays empty
	in      string                         // where in the directory parley is started
	env     []string
	through string // a shell command that comes before parley
	modes   [][]string

	like     bool   // another place is of its kind
	worktree string // why --worktree is refused there; "" if it works
	start    string // why nothing starts there
}

// repo makes a repository, and does more in it.
func repo(more ...func(t *testing.T, dir string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		gittest.Write(t, dir, "notes.txt", "one\n")
		gittest.Init(t, dir)
		for _, do := range more {
			do(t, dir)
		}
	}
}

// file writes a file. A name that ends with a slash is an empty directory.
func file(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if strings.HasSuffix(name, "/") {
			must.Do(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
			return
		}
		gittest.Write(t, dir, name, text)
	}
}

// git runs git.
func git(words ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { gittest.Run(t, dir, words...) }
}

// diverged has two branches that conflict.
func diverged(t *testing.T, dir string) {
	for _, branch := range []string{"other", "main"} {
		gittest.Run(t, dir, "checkout", "-q", "-B", branch)
		gittest.Write(t, dir, "notes.txt", branch+"\n")
		gittest.Run(t, dir, "commit", "-qam", branch)
		if branch == "other" {
			gittest.Run(t, dir, "checkout", "-q", "-B", "main", "HEAD^")
		}
	}
}

// stuck runs git, which stops at a conflict.
func stuck(words ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if out, err := gittest.Command(t, dir, words...).CombinedOutput(); err == nil {
			t.Fatalf("git %q found no conflict:\n%s", words, out)
		}
	}
}

func mode(of os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		must.Do(t, os.Chmod(dir, of))
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
}

func places(t *testing.T) []place {
	const none, gone = "--worktree: not a git repository: ", "the current directory cannot be used: no such file or directory; go to another one"
	deep := strings.Repeat("a/", 60)
	return []place{
		{name: "clean", prepare: repo(), modes: [][]string{{"--linear", "--continue", "demo"}, {"--linear", "--sandbox", "--worktree=x", "demo"}}},
		{name: "changed", prepare: repo(file("notes.txt", "two\n")), modes: [][]string{{"--linear", "--worktree", "--continue", "demo"}, {"--inline", "--worktree=x", "demo"}, {"--linear", "--worktree=x", "--", "/does/not/exist"}, {"run", "--worktree", "hi", "--", "/does/not/exist"}}},
		{name: "staged", like: true, prepare: repo(file("notes.txt", "two\n"), git("add", "-A"))},
		{name: "untracked", like: true, prepare: repo(file("new.txt", "x\n"))},
		{name: "nested repository", like: true, prepare: repo(func(t *testing.T, dir string) { repo()(t, filepath.Join(dir, "sub")) })},
		{name: "no commit", prepare: git("init", "-q"), worktree: "--worktree: the repository has no commit yet"},
		{name: "damaged branch", like: true, prepare: repo(file(".git/refs/heads/main", "")), worktree: "--worktree: git log: your current branch appears to be broken; `git fsck` says more"},
		{name: "bare", prepare: git("init", "-q", "--bare"), worktree: "has no files to work on"},
		{name: "detached", prepare: repo(git("checkout", "-q", "--detach"))},
		{name: "merging", like: true, prepare: repo(diverged, stuck("merge", "other"))},
		{name: "rebasing", like: true, prepare: repo(diverged, stuck("rebase", "other"))},
		{name: "linked worktree", prepare: repo(git("worktree", "add", "-q", "-b", "feature", "linked")), in: "linked"},
		{name: "submodule", in: "module", prepare: func(t *testing.T, dir string) {
			source := filepath.Join(filepath.Dir(dir), "source")
			repo()(t, source)
			repo(git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "module"))(t, dir)
		}, worktree: "--worktree: submodules are not supported"},
		{name: "inside .git", prepare: repo(), in: ".git", worktree: "has no files to work on"},
		{name: "subdirectory", prepare: repo(file("sub/a.txt", ""), git("add", "-A"), git("commit", "-qm", "sub")), in: "sub"},
		{name: "new subdirectory", like: true, prepare: repo(file("sub/", "")), in: "sub"},
		{name: "broken HEAD", prepare: repo(file(".git/HEAD", "garbage\n")), worktree: none},
		{name: "broken branch", like: true, prepare: repo(file(".git/refs/heads/main", "garbage\n")), worktree: "--worktree: "},
		{name: "broken index", prepare: repo(file(".git/index", "garbage\n")), worktree: "--worktree: git status: "},
		{name: "broken configuration", prepare: repo(file(".git/config", "[[[\n")), worktree: "bad config line 1"},
		{name: "a file's content is missing", like: true, worktree: "--worktree: git worktree: ", prepare: repo(func(t *testing.T, dir string) {
			blob := strings.TrimSpace(gittest.Run(t, dir, "rev-parse", "HEAD:notes.txt"))
			must.Do(t, os.Remove(filepath.Join(dir, ".git/objects", blob[:2], blob[2:])))
		})},
		{name: "programs in the configuration", like: true, prepare: repo(git("config", "filter.x.smudge", "false"))},
		{name: "empty .git", like: true, prepare: file(".git", ""), worktree: none},
		{name: ".git that leads nowhere", prepare: file(".git", "gitdir: /does/not/exist\n"), worktree: none},
		{name: "branch exists", prepare: repo(git("branch", "parley/x")), worktree: "--worktree: the branch exists already: parley/x"},
		{name: "no repository", worktree: none, modes: [][]string{{"--linear", "--continue", "demo"}, {"--inline", "demo"}, {"--linear", "--sandbox", "demo"}, {"run", "--sandbox", "--agent", "demo", "hi"}}},
		{name: "no git", prepare: repo(), env: []string{"PATH=" + toolbox}, worktree: "--worktree: worktrees need git: "},
		{name: "read-only", prepare: repo(mode(0o555))},
		{name: "unreadable", like: true, prepare: mode(0o311), worktree: none},
		{name: "removed", through: `rmdir "$PWD"`, start: gone, modes: [][]string{{"worktrees", "diff", "x"}, {"sessions"}}},
		{name: "odd name", prepare: func(t *testing.T, dir string) { repo()(t, filepath.Join(dir, "a\nb ü;$(x) [*]")) }, in: "a\nb ü;$(x) [*]"},
		{name: "deep", like: true, prepare: file(deep, ""), in: deep, worktree: none},
		{name: "deeper than a path can be", through: `d=0123456789012345678901234567890123456789; i=0; while [ $i -lt 120 ]; do mkdir -p $d && cd -P $d || exit; i=$((i+1)); done`, start: "the current directory: file name too long"},
		{name: "symbolic link", in: "link", prepare: func(t *testing.T, dir string) {
			repo()(t, filepath.Join(dir, "target"))
			must.Do(t, os.Symlink("target", filepath.Join(dir, "link")))
		}},
		{name: "home", in: "../home", worktree: none},
		{name: "another user's", worktree: "git config --global --add safe.directory ", prepare: repo(func(t *testing.T, dir string) {
			if err := os.Chown(dir, 65534, 65534); err != nil {
				t.Skip("only root can give a directory away")
			}
		})},
		{name: "state in a file", prepare: repo(file("../state", "")), env: []string{"PARLEY_STATE=../state"}, worktree: "--worktree: make a directory for git: "},
		{name: "read-only state", like: true, prepare: repo(func(t *testing.T, dir string) {
			file("../state/", "")(t, dir)
			mode(0o555)(t, filepath.Join(dir, "../state"))
			if os.Getuid() == 0 {
				t.Skip("root can write there")
			}
		}), env: []string{"PARLEY_STATE=../state"}, worktree: "--worktree: make a directory for git: "},
		{name: "relative home", prepare: repo(), env: []string{"HOME=relative"}, start: "HOME is a relative path (relative): "},
		{name: "no home", prepare: repo(), env: []string{"HOME="}, worktree: "--worktree: find the state directory: "},
		{name: "home that does not exist", like: true, prepare: repo(), env: []string{"HOME=" + filepath.Join(t.TempDir(), "none")}},
		{name: "git's own variables", prepare: repo(), env: []string{"GIT_DIR=/does/not/exist", "GIT_WORK_TREE=/does/not/exist", "GIT_INDEX_FILE=/dev/null"}},
	}
}

// broken is what no start may print.
var broken = regexp.MustCompile(`goroutine \d|panic:|a bug in parley|crash report`)

// However a directory is, parley starts there or says in one line why not; and what it made is removed if
// nothing was done.
func TestStartAnywhere(t *testing.T) {
	t.Parallel()
	for i, p := range places(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if p.like {
				long(t)
			}
			dir := workDir(t)
			if p.prepare != nil {
				p.prepare(t, dir)
			}
			before := madeByParley(t, dir)
			modes := [][]string{{"--worktree=x", "demo"}, {"--linear", "--worktree=x", "demo"}, {"run", "--worktree=x", "--agent", "demo", "hello"}}
			if p.worktree != "" {
				modes = append(modes, []string{"demo"}, []string{"run", "--agent", "demo", "hello"})
			}
			if !seeds.All() { // one in each place, and not the same everywhere
				modes = modes[i%len(modes):][:1]
			}
			for _, args := range append(modes, p.modes...) {
				p.starts(t, dir, args)
				if after := madeByParley(t, dir); after != before {
					t.Errorf("%q left\n%s", args, after)
				}
			}
		})
	}
}

// starts starts parley and ends it again.
func (p place) starts(t *testing.T, dir string, args []string) {
	t.Helper()
	line := strings.Join(args, " ")
	why := p.start
	if strings.Contains(line, "--worktree") && why == "" {
		why = p.worktree
	}
	_, noGit := exec.LookPath("git")
	if noGit != nil && (args[0] == "worktrees" || why != "" && p.start == "") {
		why = "worktrees need git: "
	}
	env := append([]string{"PATH=" + os.Getenv("PATH")}, p.env...)
	argv := append([]string{parley}, args...)
	if p.through != "" {
		argv = append([]string{"sh", "-c", "mkdir -p into && cd into && " + p.through + ` && exec "$@"`, "sh"}, argv...)
	}
	var code int
	var said string
	if screen := !strings.HasPrefix(line, "run ") && !strings.Contains(line, "--linear") && strings.HasSuffix(line, "demo"); screen {
		s := startIn(t, 100, 30, dir, append(env, "STARTS_IN="+p.in), append([]string{"sh", "-c", `cd "./$STARTS_IN" && exec "$@"`, "sh"}, argv...))
		if why == "" {
			s.WaitFor(placeholder)
			s.Press("ctrl+d")
		}
		code = s.ExitCode()
		s.WaitFunc(why, func([]string) bool {
			raw, _ := s.Raw(0)
			said = string(raw)
			return strings.Contains(said, why) || broken.MatchString(said)
		})
	} else {
		cmd := command(dir, args...)
		if p.through != "" {
			cmd.Path, cmd.Args = filepath.Join(toolbox, "sh"), argv
		}
		cmd.Dir, cmd.Env = filepath.Join(dir, p.in), append(cmd.Env, env...)
		r := finished(t, cmd)
		code, said = r.code, r.stdout+r.stderr
	}
	want := 0
	switch {
	case noGit != nil && args[0] == "worktrees":
		want = 1
	case why != "":
		want = 2
	case strings.HasPrefix(line, "run ") && strings.HasSuffix(line, "/does/not/exist"):
		want = 1
	}
	sandboxed := strings.Contains(line, "--sandbox") && code == 2 // not every system has one
	if code != want && !sandboxed || broken.MatchString(said) || !strings.Contains(said, why) {
		t.Errorf("%q ended with code %d, want %d and %q:\n%s", args, code, want, why, said)
	}
}

// madeByParley lists the branches and worktrees of parley's below a test's directories.
func madeByParley(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if strings.Contains(path, "/refs/heads/parley/") || strings.Contains(path, "/worktrees/") && !strings.Contains(path, ".git/worktrees/linked") {
			all = append(all, path)
		}
		return nil
	})
	return strings.Join(all, "\n")
}
