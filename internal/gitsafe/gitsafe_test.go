package gitsafe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/gittest"
	"parley/internal/must"
	"parley/internal/sandbox"
)

// TestMain makes the test binary the program that puts git into the sandbox.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Command {
		fmt.Fprintln(os.Stderr, sandbox.Main(os.Args[2:]))
		os.Exit(126)
	}
	os.Exit(m.Run())
}

func find(t *testing.T, dir string) *Repo {
	t.Helper()
	return must.Get(Find(t.Context(), gittest.Program(t), dir))(t)
}

func ok(t *testing.T, r *Repo, words ...string) string {
	t.Helper()
	out := must.Get(r.Run(t.Context(), words...))(t)
	return strings.TrimSpace(out)
}

// Once a repository is found, git reads none of its configuration: it can be anything.
func TestConfigurationIsNotRead(t *testing.T) {
	dir := gittest.Repository(t, map[string]string{"a": "1\n", "d/b": "1\n"})
	tree := filepath.Join(t.TempDir(), "tree")
	gittest.Run(t, dir, "worktree", "add", "-q", "-b", "other", tree)
	gittest.Run(t, dir, "config", "extensions.worktreeConfig", "true")
	gittest.Run(t, dir, "branch", "packed")
	gittest.Run(t, dir, "pack-refs", "--all")
	main, linked := find(t, filepath.Join(dir, "d")), find(t, tree)
	if main.Top != dir || main.Prefix != "d/" || !main.Owned() || !linked.Owned() || !main.Shares(linked) {
		t.Errorf("found %+v and %+v", main, linked)
	}
	for _, r := range []*Repo{main, linked} {
		for _, name := range []string{filepath.Join(r.Common, "config"), filepath.Join(r.Dir, "config.worktree")} {
			must.Do(t, os.WriteFile(name, []byte("[[[ no configuration\n"), 0o600))
		}
	}
	if out, err := gittest.Command(t, dir, "status").CombinedOutput(); err == nil {
		t.Errorf("git itself reads this configuration: %s", out)
	}
	for _, r := range []*Repo{main, linked} {
		gittest.Write(t, r.Top, "a", "2\n")
		ok(t, r.AtTop(), "update-index", "a")
		ok(t, r, "update-ref", "HEAD", ok(t, r, "commit-tree", ok(t, r, "write-tree"), "-p", "HEAD", "-m", "by parley"))
		if got := ok(t, r, "log", "-1", "--format=%an %s"); got != "Ada by parley" {
			t.Errorf("committed %q", got)
		}
		ok(t, r, "update-ref", "refs/heads/more", "HEAD")
		if got := ok(t, linked, "rev-parse", "more"); got != ok(t, r, "rev-parse", "HEAD") {
			t.Errorf("the reference is at %q", got)
		}
	}
	ok(t, main, "update-ref", "-d", "refs/heads/packed")
	if got := ok(t, linked, "for-each-ref", "--format=%(refname:short)"); got != "main\nmore\nother" {
		t.Errorf("the branches are %q", got)
	}
}

// What git takes for a change stays as the user has it.
func TestHarmlessSettings(t *testing.T) {
	dir := gittest.Repository(t, map[string]string{"text": "1\n", "script": "x\n"})
	gittest.Run(t, dir, "config", "core.autocrlf", "true")
	gittest.Run(t, dir, "config", "core.fileMode", "false")
	gittest.Run(t, dir, "config", "core.excludesFile", filepath.Join(dir, "mine"))
	gittest.Write(t, dir, "mine", "mine\n*.log\n")
	gittest.Write(t, dir, "noise.log", "x\n")
	gittest.Write(t, dir, "text", "1\r\n")
	must.Do(t, os.Chmod(filepath.Join(dir, "script"), 0o755))
	if got := ok(t, find(t, dir), "status", "--porcelain"); got != strings.TrimSpace(gittest.Run(t, dir, "status", "--porcelain")) || strings.Contains(got, "?") || strings.Contains(got, "script") {
		t.Errorf("changed: %s", got)
	}
}

// A .git file that is swapped after the repository was found leads nowhere else, and a directory that
// takes the place of the git directory is noticed.
func TestSwapped(t *testing.T) {
	dir := gittest.Repository(t, map[string]string{"a": "1\n"})
	tree := filepath.Join(t.TempDir(), "tree")
	gittest.Run(t, dir, "worktree", "add", "-q", tree)
	other := t.TempDir()
	gittest.Init(t, other)
	r := find(t, tree)
	gittest.Write(t, tree, ".git", "gitdir: "+filepath.Join(other, ".git")+"\n")
	gittest.Write(t, tree, "a", "2\n")
	ok(t, r, "update-index", "a")
	ok(t, r, "update-ref", "HEAD", ok(t, r, "commit-tree", ok(t, r, "write-tree"), "-m", "x"))
	if got := gittest.Run(t, other, "status", "--porcelain"); got != "" || strings.Contains(gittest.Run(t, other, "log"), "x\n") {
		t.Errorf("the other repository was changed: %s", got)
	}
	if find(t, tree).Owned() {
		t.Error("the .git file leads to another repository, and that counts as its own")
	}
	r = find(t, dir)
	must.Do(t, os.Rename(r.Dir, r.Dir+"-moved"))
	if err := os.Symlink(filepath.Join(other, ".git"), r.Dir); err != nil {
		t.Skip(err)
	}
	if _, err := r.Run(t.Context(), "update-index", "a"); !errors.Is(err, ErrReplaced) {
		t.Errorf("replaced: got %v, want %v", err, ErrReplaced)
	}
}

// Nothing of parley's is left when a command has ended.
func TestLeavesNothing(t *testing.T) {
	dir := gittest.Repository(t, map[string]string{"a": "1\n"})
	state := t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	r := find(t, dir)
	ok(t, r, "status")
	if _, err := r.Run(t.Context(), "gc"); err == nil {
		t.Error("ran a command that is none of parley's")
	}
	copied, remove, err := r.WithIndex()
	if err != nil {
		t.Fatal(err)
	}
	ok(t, copied, "update-index", "--force-remove", "a")
	remove()
	if got := ok(t, r, "ls-files"); got != "a" {
		t.Errorf("the index has %q", got)
	}
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// A file that is changed in the moment in which the index was written may have the size and time that the index
// has: git compares its content, since it is no older than the index. That must hold for the copy, too.
func TestCopyOfTheIndexIsAsOld(t *testing.T) {
	dir := gittest.Repository(t, map[string]string{"a": "1\n"})
	then := time.Now().Add(-time.Hour).Truncate(time.Second)
	must.Do(t, os.Chtimes(filepath.Join(dir, ".git", "index"), then, then))
	copied, remove, err := find(t, dir).WithIndex()
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if info, err := os.Stat(copied.index); err != nil || !info.ModTime().Equal(then) {
		t.Errorf("the copy is of %v, %v; the index of %v", info.ModTime(), err, then)
	}
}

// In the sandbox, git writes to the places that were named only, wherever links in them lead.
func TestOnly(t *testing.T) {
	if err := sandbox.Check(); err != nil {
		t.Skip(err)
	}
	self := must.Get(os.Executable())(t)
	dir, tree := gittest.Repository(t, map[string]string{"a": "1\n"}), filepath.Join(t.TempDir(), "tree")
	gittest.Run(t, dir, "worktree", "add", "-q", "-b", "agents/own", tree)
	tmp := t.TempDir() // the directories of the test are below the real one
	t.Setenv("TMPDIR", tmp)
	box := must.Get(sandbox.New(self, nil))(t)
	Confine(box)
	t.Cleanup(func() { Confine(nil) })
	r := find(t, tree)
	own := r.Only(r.Dir, filepath.Join(r.Common, "objects"), filepath.Join(r.Common, "refs/heads/agents"), filepath.Join(r.Common, "logs/refs/heads/agents"))
	commit := func(r *Repo) error {
		_, err := r.Run(t.Context(), "update-ref", "refs/heads/agents/own", ok(t, r, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "by parley"))
		return err
	}
	if err := commit(own); err != nil {
		t.Errorf("without links: %v", err)
	}
	for _, name := range []string{"logs/HEAD", "logs/refs/heads/agents/own"} {
		config, log := filepath.Join(r.Common, "config"), filepath.Join(r.Dir, name)
		if strings.Contains(name, "refs") {
			log = filepath.Join(r.Common, name)
		}
		before, err := os.ReadFile(config)
		must.Do(t, errors.Join(err, os.Rename(log, log+"-kept"), os.Symlink(config, log)))
		if err := commit(own); err == nil {
			t.Errorf("%s: git committed", name)
		}
		if after, err := os.ReadFile(config); string(after) != string(before) {
			t.Fatalf("%s: git wrote %q, %v", name, after, err)
		}
		must.Do(t, os.Rename(log+"-kept", log))
	}
}
