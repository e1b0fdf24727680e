package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/gittest"
	"parley/internal/undo"
	"parley/internal/workspace"
)

// repository makes an empty one.
func repository(t *testing.T) (git, dir string) {
	t.Helper()
	gittest.Isolate(t)
	dir = t.TempDir()
	gittest.Run(t, dir, "init", "-q")
	return gittest.Program(t), dir
}

// A link says so, as its text is where it points.
func TestLinks(t *testing.T) {
	git, dir := repository(t)
	j, err := undo.New(undo.Options{Dir: t.TempDir(), Roots: []string{dir}, Git: git})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	j.BeginTurn(t.Context(), 1)
	if err := os.Symlink("elsewhere", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	j.EndTurn(t.Context(), 1)
	if all := together(j.Since(0)); len(all) != 1 || !all[0].Link {
		t.Errorf("changes %+v, want one link", all)
	}
}

// A renamed file is one change, which is put back whole or not at all.
func TestRenamedIsOneChange(t *testing.T) {
	git, dir := repository(t)
	put := func(name, text string) {
		t.Helper()
		write(t, filepath.Join(dir, name), text)
	}
	names := func() (all []string) {
		files, _ := filepath.Glob(filepath.Join(dir, "[a-z]*"))
		for _, f := range files {
			all = append(all, filepath.Base(f))
		}
		return all
	}
	put("old", "text\n")
	put("other", "1\n")
	j, err := undo.New(undo.Options{Dir: t.TempDir(), Roots: []string{dir}, Git: git})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	j.BeginTurn(t.Context(), 1)
	if err := os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	put("other", "2\n")
	j.EndTurn(t.Context(), 1)

	all := together(j.Since(0))
	if len(all) != 2 || all[0].Kind != "renamed" || filepath.Base(all[0].From) != "old" || filepath.Base(all[0].Path) != "new" || all[0].Before != 5 || all[0].After != 5 || all[1].Kind != "changed" {
		t.Fatalf("changes %+v, want old renamed to new, and other changed", all)
	}
	do := func(again bool) func([]undo.Change, bool) []undo.Result {
		return func(all []undo.Change, only bool) []undo.Result {
			switch {
			case again && only:
				return nil
			case again:
				return j.Redo(t.Context(), all)
			case only:
				return j.Preview(t.Context(), all)
			}
			return j.Undo(t.Context(), all)
		}
	}
	put("new", "mine\n")
	results := eachWhole(all, do(false))
	if len(results) != 2 || !errors.Is(results[0].Err, workspace.ErrChangedSince) || results[1].Err != nil || !slices.Equal(names(), []string{"new", "other"}) {
		t.Errorf("undone: %+v, files %q, want an error for new, which stays", results, names())
	}
	put("new", "text\n")
	results = eachWhole(all[:1], do(false))
	if len(results) != 1 || results[0].Err != nil || !slices.Equal(names(), []string{"old", "other"}) {
		t.Errorf("undone: %+v, files %q, want old and other", results, names())
	}
	all = together(j.Since(0))
	all = slices.DeleteFunc(all, func(f workspace.FileChange) bool { return f.Kind != "renamed" })
	results = eachWhole(all, do(true))
	if len(results) != 1 || results[0].Err != nil || !slices.Equal(names(), []string{"new", "other"}) {
		t.Errorf("done again: %+v, files %q, want new and other", results, names())
	}
}
