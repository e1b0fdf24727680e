package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
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

// Case 210: an agent that can rename sessions is told the name, and the title that it stored is shown.
// Titles that it reports later do not replace a name of the user's. If it refuses, the name is parley's own.
func TestRenameWithTheAgent(t *testing.T) {
	store := memory.NewNames(t.TempDir())
	each(t, func(r *rig) {
		r.opts.Names = store
		if r.fake().Protocol == "1" {
			r.fake().Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"title":{}}}`)
		} else {
			r.fake().On("initialize", func(*fakeagent.Call) (string, error) {
				return `{"protocolVersion":2,"info":{"name":"fake","version":"2.0"},"capabilities":{"session":{"prompt":{},"title":{}}}}`, nil
			})
		}
		r.fake().Answer("session/set_title", `{"title":"Parser\u001b[2J, done"}`)
	}, func(r *rig) {
		s := r.started(local)
		rename := func(name string) {
			t.Helper()
			if err := s.Rename(name); err != nil {
				t.Fatal(err)
			}
		}
		rename("parser")
		if s.Title() != "parser" {
			t.Errorf("before the answer it is %q", s.Title())
		}
		r.wants("Said The agent named it: Parser, done")
		title := "From a model"
		s.Apply(event.SessionInfoChanged{Title: &title})
		of, err := store.Load()
		if err != nil || s.Title() != "Parser, done" || of("fake", "s1") != "Parser, done" {
			t.Errorf("it is %q, and %q is stored, %v", s.Title(), of("fake", "s1"), err)
		}
		r.fake().On("session/set_title", func(c *fakeagent.Call) (string, error) {
			var in struct{ Title string }
			c.Decode(&in)
			c.Wait(time.Second)
			return `{"title":` + fakeagent.Quote("The "+in.Title) + `}`, nil
		})
		rename("first")
		r.pass(time.Second / 2)
		rename("second") // the answer to the first is stale
		r.pass(2 * time.Second)
		r.wants("Said The agent named it: The second")
		rename("") // is not the agent's concern
		r.wants()
		if s.Title() != title || len(r.Agent().Calls("session/set_title")) != 3 {
			t.Errorf("without its name it is %q, %q", s.Title(), r.Agent().Calls("session/set_title"))
		}
		r.fake().Fail("session/set_title", -32003, "busy")
		rename("mine")
		r.wants("Said Renamed in parley only: the agent answered: busy (-32003)")
		if s.Title() != "mine" {
			t.Errorf("it is %q", s.Title())
		}
	})
}
