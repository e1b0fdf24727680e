package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// An agent can write parley's branches, so one may be a symbolic reference to a branch of the user's,
// which parley neither moves nor removes.
func TestBranchThatLeadsToAnother(t *testing.T) {
	for name, plant := range map[string]func(file string) error{
		"symbolic reference": func(file string) error { return os.WriteFile(file, []byte("ref: refs/heads/other\n"), 0o644) },
		"link":               func(file string) error { os.Remove(file); return os.Symlink("refs/heads/other", file) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.git(r.repo, "branch", "other")
			tree := r.create("fix")
			before := r.git(r.repo, "for-each-ref", "refs/heads/main", "refs/heads/other")
			r.writeTo(tree.Path, "a.txt", "changed\n")
			must.Do(t, plant(filepath.Join(r.repo, ".git/refs/heads/parley/fix")))
			if m, err := r.store.Merge(t.Context(), tree, "fix the lexer"); err == nil {
				t.Errorf("merged: %+v", m)
			}
			if err := r.store.Remove(t.Context(), tree); err != nil {
				t.Error(err)
			}
			if after := r.git(r.repo, "for-each-ref"); after != before {
				t.Errorf("the branches were\n%s\nand are\n%s", before, after)
			}
		})
	}
}

// What git would write through a link that an agent has left where it commits is not written.
func TestFilesOfGitThatAreLinks(t *testing.T) {
	for _, name := range []string{"worktrees/fix/logs/HEAD", "worktrees/fix/logs", "worktrees/fix/index", "logs/refs/heads/parley/fix"} {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			r := newRig(t)
			tree := r.create("fix")
			r.writeTo(tree.Path, "a.txt", "changed\n")
			precious, place := filepath.Join(t.TempDir(), "precious"), filepath.Join(r.repo, ".git", filepath.FromSlash(name))
			must.Do(t, os.Rename(place, precious))
			must.Do(t, os.Symlink(precious, place))
			read := func() (all string) {
				filepath.WalkDir(precious, func(path string, d os.DirEntry, err error) error {
					if err == nil && d.Type().IsRegular() {
						text, _ := os.ReadFile(path)
						all += path + string(text)
					}
					return err
				})
				return all
			}
			before := read()
			if m, err := r.store.Merge(t.Context(), tree, "fix the lexer"); err == nil {
				t.Errorf("merged: %+v", m)
			}
			if after := read(); after != before {
				t.Errorf("written: %q", after)
			}
		})
	}
}
