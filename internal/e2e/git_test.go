//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
	"parley/internal/sandbox"
)

// baited is a repository that names a program wherever git would run one. ran is the file that the
// program writes.
func baited(t *testing.T) (dir, ran string) {
	t.Helper()
	dir = repository(t)
	ran = filepath.Join(t.TempDir(), "ran")
	trap := filepath.Join(t.TempDir(), "trap")
	write(t, trap, "#!/bin/sh\necho \"$0 $*\" >>'"+ran+"'\nexit 1\n")
	write(t, filepath.Join(dir, "plant.sh"), strings.ReplaceAll(`cd mod && git init -q . && echo 1 >f && git add f && git -c user.name=x -c user.email=x commit -qm x
git config filter.evil.clean TRAP; git config filter.evil.process TRAP; git config core.fsmonitor TRAP
echo '* filter=evil' >.gitattributes; echo 2 >f
cd .. && echo 2 >notes.txt && echo new >new.txt
`, "TRAP", trap))
	mod := filepath.Join(dir, "mod")
	gittest.Write(t, mod, "f", "1\n")
	gittest.Init(t, mod)
	gittest.Run(t, dir, "add", "-A")
	gittest.Run(t, dir, "commit", "-qm", "with a repository inside")
	own := filepath.Join(dir, ".git")
	for hook := range strings.FieldsSeq("pre-commit prepare-commit-msg commit-msg post-commit post-checkout pre-merge-commit post-merge post-index-change reference-transaction pre-auto-gc") {
		gittest.Write(t, own, "hooks/"+hook, "#!/bin/sh\nexec "+trap+" "+hook+"\n")
		must.Do(t, os.Chmod(filepath.Join(own, "hooks", hook), 0o755))
	}
	must.Do(t, os.Chmod(trap, 0o755))
	gittest.Run(t, dir, "config", "extensions.worktreeConfig", "true")
	for key := range strings.FieldsSeq("core.fsmonitor core.pager core.editor core.sshCommand core.askPass core.alternateRefsCommand credential.helper gpg.program gpg.ssh.program " +
		"diff.external diff.evil.textconv diff.evil.command merge.evil.driver sequence.editor alias.status alias.merge alias.update-index pager.status pager.diff pager.log") {
		gittest.Run(t, dir, "config", key, trap)
	}
	gittest.Run(t, dir, "config", "commit.gpgSign", "true")
	gittest.Run(t, dir, "config", "--worktree", "merge.evil.driver", trap)
	gittest.Write(t, own, "info/attributes", "* filter=evil merge=evil diff=evil\n")
	return dir, ran
}

// Nothing runs that a repository names, or one inside a worktree, when parley makes worktrees, compares
// them with their repository, merges and removes them.
func TestGitRunsNothing(t *testing.T) {
	t.Parallel()
	dir, ran := baited(t)
	nothing := func(after string) {
		t.Helper()
		if said, err := os.ReadFile(ran); err == nil {
			t.Fatalf("%s ran %s", after, said)
		}
	}
	parley := func(code int, want string, args ...string) {
		t.Helper()
		r := runEnv(t, dir, []string{"PATH=" + os.Getenv("PATH")}, args...)
		if all := r.stdout + r.stderr; r.code != code || !strings.Contains(all, want) {
			t.Errorf("%q: got %d and %s, want %d and %q", args, r.code, all, code, want)
		}
		nothing(strings.Join(args, " "))
	}
	parley(0, "", "run", "--worktree=fix", "--approve-all", "--agent", "demo", "run `sh plant.sh`")
	parley(0, "fix", "worktrees")
	parley(0, "+new\n", "worktrees", "diff", "fix")
	for _, scope := range []string{"--local", "--worktree"} {
		gittest.Run(t, dir, "config", scope, "filter.evil.smudge", filepath.Join(filepath.Dir(ran), "none"))
		parley(1, "a filter converts it, which parley does not run", "worktrees", "merge", "fix")
		gittest.Run(t, dir, "config", scope, "--unset", "filter.evil.smudge")
	}
	write(t, filepath.Join(dir, "mine.txt"), "the user's\n")
	hooksOff := []string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=", "-c", "commit.gpgSign=false"}
	gittest.Run(t, dir, append(hooksOff, "add", "mine.txt")...)
	gittest.Run(t, dir, append(hooksOff, "commit", "-qm", "the user's")...)
	nothing("the test")
	parley(0, "fix", "worktrees", "merge", "fix", "-m", "merge it")
	if got := read(t, filepath.Join(dir, "new.txt")); got != "new\n" {
		t.Errorf("new.txt has %q after the merge, want what the agent wrote", got)
	}
	parley(0, "", "compare", "-o", "json", "--approve-all", "--agent", "demo", "--agent", "demo", "run `sh plant.sh`")
	// The traps are real.
	gittest.Command(t, dir, "commit", "-qam", "x").Run()
	if _, err := os.Stat(ran); err != nil {
		t.Error("git itself ran nothing")
	}
}

// sandboxed returns a repository, a directory outside it, and a function that runs a script as a command
// of an agent in the worktree x, in a sandbox that can write to neither.
func sandboxed(t *testing.T) (dir, outside string, run func(script string) result) {
	t.Helper()
	if err := sandbox.Check(); err != nil {
		t.Skip(err)
	}
	dir, outside = repository(t), t.TempDir()
	tmp := t.TempDir() // the directories of the test are below the real one
	return dir, outside, func(script string) result {
		t.Helper()
		file := filepath.Join(tmp, "script")
		write(t, file, script)
		return runEnv(t, dir, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tmp}, "run", "--sandbox", "--worktree=x", "--approve-all", "--agent", "demo", "run `sh "+file+"`")
	}
}

// In a worktree of parley's an agent in the sandbox commits, and can change nothing else of the
// repository.
func TestCommitInTheSandbox(t *testing.T) {
	t.Parallel()
	dir, _, run := sandboxed(t)
	gittest.Run(t, dir, "branch", "other")
	gittest.Run(t, dir, "config", "extensions.worktreeConfig", "true")
	own := filepath.Join(dir, ".git")
	for _, packed := range []bool{false, true} {
		if packed {
			gittest.Run(t, dir, "pack-refs", "--all") // removes the directory of the branch
		}
		before := gittest.Run(t, dir, "for-each-ref", "refs/heads/main", "refs/heads/other")
		r := run(`echo more >>notes.txt && git add -A && git -c user.name=x -c user.email=x commit -qm "by the agent" || exit
cd '` + own + `' || exit
for f in config config.worktree hooks/pre-commit info/attributes info/exclude HEAD index packed-refs refs/heads/main refs/heads/new logs/HEAD worktrees/more; do
	echo x 2>&- >>$f && echo WRITTEN $f
done
for d in hooks refs/heads logs worktrees; do mv $d moved && echo WRITTEN $d; done
ln -s / link && echo WRITTEN link
rm -f config HEAD && echo WRITTEN removed
cd - && git branch new && echo WRITTEN branch
git config x.y z && echo WRITTEN configuration
echo done`)
		if got := gittest.Run(t, dir, "log", "-1", "--format=%s", "parley/x"); r.code != 0 || got != "by the agent\n" {
			t.Errorf("packed %v: the commit is %q: %+v", packed, got, r)
		}
		if strings.Contains(r.stdout+r.stderr, "WRITTEN") {
			t.Errorf("packed %v: %s", packed, r.stdout)
		}
		if after := gittest.Run(t, dir, "for-each-ref", "refs/heads/main", "refs/heads/other"); after != before {
			t.Errorf("packed %v: the branches were\n%s\nand are\n%s", packed, before, after)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(own, "config.worktree")); len(left) > 0 {
		t.Error("the agent made config.worktree")
	}
	if r := runEnv(t, dir, []string{"PATH=" + os.Getenv("PATH")}, "worktrees", "merge", "x"); r.code != 0 || strings.Count(read(t, filepath.Join(dir, "notes.txt")), "more\n") != 2 {
		t.Errorf("merged: %+v", r)
	}
}

// In the sandbox, parley's own git writes nowhere else either, wherever links in the repository lead, and
// an agent that commits gets no more by them.
func TestGitInTheSandbox(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"refs/heads/parley", "worktrees", "objects"} {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			t.Parallel()
			dir, outside, run := sandboxed(t)
			place := filepath.Join(dir, ".git", filepath.FromSlash(name))
			if name == "objects" {
				outside = filepath.Join(outside, "objects")
				must.Do(t, os.Rename(place, outside))
			}
			must.Do(t, os.Symlink(outside, place))
			before, _ := os.ReadDir(outside)
			r := run("echo x >'" + outside + "/written'; echo more >>notes.txt; git add -A; git -c user.name=x -c user.email=x commit -qm x")
			if after, _ := os.ReadDir(outside); len(after) != len(before) {
				t.Errorf("outside were %v and are %v: %+v", before, after, r)
			}
		})
	}
}
