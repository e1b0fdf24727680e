package workspace_test

import (
	"errors"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// fakeNames is a store of names in memory, or a broken one.
type fakeNames struct {
	saved map[string]string
	err   error
}

func (n *fakeNames) Load() (func(agent, session string) string, error) {
	return func(agent, session string) string { return n.saved[agent+"/"+session] }, n.err
}

func (n *fakeNames) Save(agent, session, name string) error {
	if n.err == nil {
		n.saved[agent+"/"+session] = name
	}
	return n.err
}

// A name of the user's wins over the agent's title, until it is removed.
func TestRename(t *testing.T) {
	store := &fakeNames{saved: map[string]string{}}
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
		store.saved["fake/"+id] = "stored" // by another parley
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
			if got := s.Title(); got != store.saved["fake/"+id] || strings.ContainsAny(got, "\x1b\n") || len([]rune(got)) > 100 || !strings.HasPrefix(got, "mine") {
				t.Errorf("renamed to %q: it is %q, and %q is stored", name, got, store.saved["fake/"+id])
			}
		}
		if err := s.Rename(" "); err != nil {
			t.Fatal(err)
		}
		r.settle()
		if s.Title() != title || store.saved["fake/"+id] != "" {
			t.Errorf("without its name it is %q, and %q is stored", s.Title(), store.saved["fake/"+id])
		}
		if r.w.Rename("fake", id, "again"); r.w.TitleOf("other", id, "T") != "T" || r.w.NameOf("fake", "") != "" {
			t.Error("another agent's session, or none, has the name")
		}
	})
}

// Names that cannot be read or stored are reported, each error of reading once, and last as long
// as the workspace.
func TestNamesNotStored(t *testing.T) {
	store := &fakeNames{err: errors.New("names.json is damaged")}
	with(t, func(r *rig) { r.opts.Names = store }, func(r *rig) {
		r.wants("Said names.json is damaged")
		s := r.started(local)
		r.w.List()
		r.wants()
		if err := s.Rename("mine"); err != nil {
			t.Fatal(err)
		}
		r.wants("Said names.json is damaged")
		if s.Title() != "mine" {
			t.Errorf("it is %q", s.Title())
		}
	})
}
