package undo

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A renamed file is one change, which is undone whole or not at all.
func TestRenamedIsOneChange(t *testing.T) {
	r := newRig(t, map[string]string{"old": "text\n", "other": "1\n"})
	r.during(1, func() {
		r.must(os.Rename(r.path("old"), r.path("new")))
		r.must(os.Chmod(r.path("new"), 0o600))
		r.write("other", "2\n")
	})
	names := func() (all []string) {
		files, _ := filepath.Glob(filepath.Join(r.dir, "[a-z]*"))
		for _, f := range files {
			all = append(all, filepath.Base(f))
		}
		return all
	}
	all := r.j.Since(0)
	if len(all) != 2 || all[0].Kind != Renamed || all[0].From != r.path("old") || all[0].Path != r.path("new") || all[0].Before != 5 || all[0].After != 5 || all[1].Kind != Changed {
		t.Fatalf("changes %+v, want old renamed to new, and other changed", all)
	}
	if before, after, ok := r.j.Texts(all[0]); before != "text\n" || after != before || !ok {
		t.Errorf("texts %q and %q", before, after)
	}
	r.write("new", "mine\n")
	results := r.j.Undo(t.Context(), all)
	if len(results) != 2 || !errors.Is(results[0].Err, ErrChangedSince) || results[1].Err != nil || !slices.Equal(names(), []string{"new", "other"}) {
		t.Errorf("undone: %+v, files %q, want an error for new, which stays", results, names())
	}
	r.write("new", "text\n")
	r.must(os.Chmod(r.path("new"), 0o600))
	results = r.j.Undo(t.Context(), all[:1])
	if len(results) != 1 || results[0].Err != nil || !results[0].Change.Undone || !slices.Equal(names(), []string{"old", "other"}) {
		t.Errorf("undone: %+v, files %q, want old and other", results, names())
	}
	all = slices.DeleteFunc(r.j.Since(0), func(c Change) bool { return c.Kind != Renamed })
	results = r.j.Redo(t.Context(), all)
	if len(results) != 1 || results[0].Err != nil || !slices.Equal(names(), []string{"new", "other"}) {
		t.Errorf("done again: %+v, files %q, want new and other", results, names())
	}
}
