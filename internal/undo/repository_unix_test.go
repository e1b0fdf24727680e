//go:build unix

package undo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/gittest"
)

// A repository prepared by an agent runs nothing. Unprotected git commands show that the traps work.
func TestHostileRepository(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a.txt": "1", "sub/b.txt": "1", ".gitattributes": "*.txt filter=x diff=x\n"})
	pwned := filepath.Join(t.TempDir(), "pwned")
	trap := filepath.Join(t.TempDir(), "trap")
	r.must(os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $@\" >> '"+pwned+"'\n"), 0o755))
	hooks := filepath.Join(r.dir, ".git", "hooks")
	r.must(os.MkdirAll(hooks, 0o755))
	for _, hook := range []string{"post-index-change", "pre-commit", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-auto-gc"} {
		r.must(os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\n"+trap+"\n"), 0o755))
	}
	// A sparse checkout without its .gitignore, whose object must be fetched.
	r.write("sub/.gitignore", "x\n")
	r.git("add", "sub/.gitignore")
	r.git("update-index", "--skip-worktree", "sub/.gitignore")
	id := strings.TrimSpace(r.git("rev-parse", ":sub/.gitignore"))
	r.remove("sub/.gitignore")
	r.write("sub/untracked", "1") // makes git read it
	r.must(os.Remove(filepath.Join(r.dir, ".git", "objects", id[:2], id[2:])))
	config := filepath.Join(r.dir, ".git", "config")
	f, err := os.OpenFile(config, os.O_APPEND|os.O_WRONLY, 0)
	r.must(err)
	f.WriteString(strings.ReplaceAll(`[core]
	repositoryformatversion = 1
	fsmonitor = TRAP
	pager = TRAP
	editor = TRAP
	sshCommand = TRAP
	gitProxy = TRAP
	askPass = TRAP
	untrackedCache = true
[extensions]
	partialClone = evil
[remote "evil"]
	url = ext::TRAP fetch
	promisor = true
	uploadpack = TRAP
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[filter "x"]
	clean = TRAP
	smudge = TRAP
	process = TRAP
	required = true
[diff]
	external = TRAP
[diff "x"]
	textconv = TRAP
	command = TRAP
[pager]
	ls-files = TRAP
[alias]
	ls-files = !TRAP
	x = !TRAP
[trace2]
	eventTarget = `+pwned+`2
`, "TRAP", trap))
	r.must(f.Close())
	// The traps are real: the same command without protection springs them.
	bare, _ := gittest.Command(t, r.dir, "ls-files", "-co", "--exclude-standard").CombinedOutput()
	said, err := os.ReadFile(pwned)
	if err != nil {
		t.Fatalf("no trap was sprung: %v, %s", err, bare)
	}
	t.Logf("without fences: %s", said)
	r.must(os.Remove(pwned))

	r.j.BeginTurn(t.Context(), 1)
	r.write("a.txt", "2")
	r.write("new.txt", "2")
	r.j.EndTurn(t.Context(), 1)
	for _, c := range r.j.Changes(1) {
		r.j.Texts(c)
	}
	r.undoAll(1)
	r.holds("a.txt", "1")
	r.absent("new.txt")
	for _, name := range []string{pwned, pwned + "2"} {
		if said, err := os.ReadFile(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("something ran: %s, %v", said, err)
		}
	}
}

// A FIFO as an ignore file blocks git until the context ends.
func TestHeldUp(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "1"})
	r.must(syscall.Mkfifo(r.path("pipe"), 0o600))
	r.write("untracked", "1")
	r.git("config", "core.excludesFile", r.path("pipe"))
	ctx, cancel := contextWithin(t)
	defer cancel()
	notes := r.j.BeginTurn(ctx, 1)
	if len(notes) != 1 || !errors.Is(notes[0].Err, ctx.Err()) {
		t.Errorf("got %v", notes)
	}
}

// What git ignored before the turn is never treated as new, whatever the agent did to the ignore files; newly
// ignored files are not treated as deleted.
func TestIgnoreFilesChange(t *testing.T) {
	r := newRig(t, map[string]string{".gitignore": "secret\nbuild/\n*.o\n", "a": "1", "u/x": "1"})
	r.write("secret", "s")
	r.write("build/out", "o")
	r.write("u/y.o", "o")
	r.write("objects/z.o", "o")
	r.write("later", "1")
	r.during(1, func() {
		r.write(".gitignore", "later\na\n")
		r.write("secret", "stolen")
		r.write("build/new", "n")
		r.write("objects/z.c", "c")
		r.write("later", "2")
	})
	by := " changed on disk"
	no := by + " !git did not show it before the turn, so what was there is not known"
	r.want(1, "changed .gitignore"+by, "created build/new"+no, "created build/out"+no, "changed later"+by,
		"created objects/z.c"+by, "created objects/z.o"+no, "created secret"+no, "created u/y.o"+no)
	r.undo(1)
	r.holds("secret", "stolen")
	r.holds("build/out", "o")
	r.holds("later", "1")
	r.holds("objects/z.o", "o")
	r.absent("objects/z.c")
}

// Files that git could not list before, for example in an unreadable directory, are not new either.
func TestUnseenBefore(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "1"})
	r.write("nested/n", "1")
	(&rig{t: t, dir: r.path("nested")}).git("init", "-q")
	r.write("nested/m", "1")
	r.write("moved/in", "1")
	r.must(os.Rename(r.path("moved"), filepath.Join(r.dir, ".git", "moved"))) // a place that git does not list
	waitTick()
	r.during(1, func() {
		r.must(os.RemoveAll(r.path("nested/.git")))
		r.write("nested/n", "2")
		r.must(os.Rename(filepath.Join(r.dir, ".git", "moved"), r.path("moved")))
	})
	for _, c := range r.j.Changes(1) {
		if c.NoUndoReason == "" {
			t.Errorf("%s can be undone", c.Path)
		}
	}
	r.undo(1)
	r.holds("nested/n", "2")
	r.holds("moved/in", "1")
}

// Nested repositories, worktrees and links.
func TestShapes(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "1"})
	r.write("nested/n", "1")
	(&rig{t: t, dir: r.path("nested")}).git("init", "-q")
	other := filepath.Join(realTemp(t), "tree")
	r.git("worktree", "add", "-q", other)
	out := outside(t)
	w := &rig{t: t, dir: other}
	w.j = w.journal(Options{Roots: []string{other, r.dir, r.path("nested"), r.dir}})
	w.during(1, func() {
		w.write("a", "2")
		r.write("a", "2")
		r.write("nested/n", "2")
		r.must(os.Symlink(out, r.path("out")))
		r.must(syscall.Mkfifo(r.path("pipe"), 0o600))
	})
	if got := len(w.j.Changes(1)); got != 4 {
		t.Errorf("got %v", w.lines(w.j.Changes(1)))
	}
	w.undoAll(1)
	w.holds("a", "1")
	r.holds("a", "1")
	r.holds("nested/n", "1")
	r.absent("out")
}

// A directory that becomes a link to an outside one is neither read nor restored through the link.
func TestLinkOut(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"d/a": "1", "e/a": "1"})
	out := &rig{t: t, dir: realTemp(t)}
	out.write("a", "1")
	out.write("x", "agent")
	before := tree(t, out.dir, false)
	r.during(1, func() {
		r.remove("d")
		r.must(os.Symlink(out.dir, r.path("d")))
		r.write("e/x", "agent")
		r.write("e/a", "1") // the same
	})
	by := " changed on disk"
	r.want(1, "created d"+by, "deleted d/a"+by, "created e/x"+by)
	r.remove("e")
	r.must(os.Symlink(out.dir, r.path("e"))) // where x is what the agent left
	changes := r.j.Changes(1)
	failed := r.errors(r.j.Undo(t.Context(), changes[1:])) // the link stays
	// Nothing of e/x is left to undo: through the link it is another file.
	if len(failed) != 1 || !errors.Is(failed["d/a"], ErrChangedSince) {
		t.Error(failed)
	}
	if diff := cmp.Diff(before, tree(t, out.dir, false)); diff != "" {
		t.Error(diff)
	}
	if failed := r.undo(1); failed["d"] != nil || failed["d/a"] != nil {
		t.Error(failed)
	}
	r.holds("d/a", "1")
	if diff := cmp.Diff(before, tree(t, out.dir, false)); diff != "" {
		t.Error(diff)
	}
}

// A root that was replaced by another directory is not touched.
func TestRootReplaced(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "1"})
	r.during(1, func() { r.write("a", "2") })
	moved := r.dir + "-moved"
	r.must(os.Rename(r.dir, moved))
	t.Cleanup(func() { os.RemoveAll(moved) })
	if failed := r.undo(1); !errors.Is(failed["a"], ErrChangedSince) {
		t.Error(failed)
	}
	r.must(os.Symlink(moved, r.dir))
	if failed := r.undo(1); failed["a"] == nil {
		t.Error(failed)
	}
	if b, _ := os.ReadFile(filepath.Join(moved, "a")); string(b) != "2" {
		t.Errorf("got %q", b)
	}
}

// Names in an index that lead elsewhere are dropped.
func TestProperNames(t *testing.T) {
	dir := ""
	for name, want := range map[string]bool{"a": true, "d/a": true, "d/e/f g": true, ".gitignore": true, "..a": true,
		"../x": false, "..": false, "/elsewhere/x": false, "a/../../y": false, ".git/config": false, ".git": false, "s/.GIT/hooks/x": false, "s/.Git": false,
		"d/": false, "./x": false, "": false, "a//b": false, "a/.": false, "a/..": false} {
		if got := properName(name, &dir); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}
