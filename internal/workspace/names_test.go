package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/internal/memory"
	"parley/internal/words"
	"parley/internal/workspace"
)

// A name of the user's wins over the agent's title, until it is removed.
func TestRename(t *testing.T) {
	store := memory.NewNames(t.TempDir())
	stored := func(session string) string {
		of, err := store.Load()
		if err != nil {
			t.Error(err)
			return ""
		}
		return of("fake", session)
	}
	with(t, func(r *rig) { r.opts.Names = store }, func(r *rig) {
		if err := r.w.Front().Rename("early"); !errors.Is(err, workspace.ErrNotNamed) {
			t.Errorf("a session without an id: %v", err)
		}
		s := r.started(local)
		id, title := s.Thread.Session, "The agent's"
		s.Apply(event.SessionInfoChanged{Title: &title})
		if s.Title() != title {
			t.Errorf("without a name it is %q", s.Title())
		}
		if err := store.Save("fake", id, "stored"); err != nil { // by another parley
			t.Fatal(err)
		}
		r.w.List()
		r.settle()
		if s.Title() != "stored" {
			t.Errorf("the stored name is %q", s.Title())
		}
		for _, name := range []string{"mine", "mine\x1b[2J\n again", "mine " + strings.Repeat("long ", 100)} {
			if err := s.Rename(name); err != nil {
				t.Fatal(err)
			}
			r.settle()
			if got := s.Title(); got != stored(id) || strings.ContainsAny(got, "\x1b\n") || len([]rune(got)) > 100 || !strings.HasPrefix(got, "mine") {
				t.Errorf("renamed to %q: it is %q, and %q is stored", name, got, stored(id))
			}
		}
		if err := s.Rename(" "); err != nil {
			t.Fatal(err)
		}
		r.settle()
		if s.Title() != title || stored(id) != "" {
			t.Errorf("without its name it is %q, and %q is stored", s.Title(), stored(id))
		}
		if r.w.Rename("fake", id, "again"); r.w.TitleOf("other", id, "T") != "T" || r.w.NameOf("fake", "") != "" {
			t.Error("another agent's session, or none, has the name")
		}
	})
}

// Names that cannot be read or stored are reported, each error of reading once, and last as long
// as the workspace.
func TestNamesNotStored(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "names.json"), []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := memory.NewNames(dir)
	_, unread := store.Load()
	unsaved := store.Save("fake", "s", "n")
	with(t, func(r *rig) { r.opts.Names = store }, func(r *rig) {
		r.wants("Said " + words.Sentence(unread.Error()))
		s := r.started(local)
		r.w.List()
		r.wants()
		if err := s.Rename("mine"); err != nil {
			t.Fatal(err)
		}
		r.wants("Said " + words.Sentence(unsaved.Error()))
		if s.Title() != "mine" {
			t.Errorf("it is %q", s.Title())
		}
	})
}
