package memory

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
)

// Drafts of an older parley are found where they certainly belong, move when they are
// saved, and are left alone otherwise.
func TestDraftsOfAnOlderParley(t *testing.T) {
	const long = "0b7d1c64-53a6-4d0e-9a51-2f5c7e0d1a11"
	session := func(agent, id string) string { return fileName(agent, "session", agent, id) }
	left := fileName("/p", "project", "/p")
	named := `{"queued":["left"],"agent":"a","session":"s1"}`
	of := func(text string) string { return `{"parts":[{"text":"` + text + `"}]}` }
	for name, test := range map[string]struct {
		files   map[string]string
		project string
		key     Key
		want    string
	}{
		"left for its agent":             {map[string]string{left: named}, "/p", Key{Agent: "a"}, "left"},
		"not left for another agent":     {map[string]string{left: named}, "/p", Key{Agent: "b"}, ""},
		"left before there was an agent": {map[string]string{left: of("early")}, "/p", Key{Agent: "b"}, "early"},
		"left in another project":        {map[string]string{left: named}, "/q", Key{Agent: "a"}, ""},
		"an id like no other":            {map[string]string{session("a", long): of("mine")}, "/q", Key{Agent: "a", Session: long}, "mine"},
		"a number, of who knows where":   {map[string]string{session("a", "s1"): of("whose?")}, "/p", Key{Agent: "a", Session: "s1"}, ""},
		"a number that the project names": {map[string]string{session("a", "s1"): of("mine"), left: named}, "/p",
			Key{Agent: "a", Session: "s1"}, "mine"},
		"a number that another project names": {map[string]string{session("a", "s1"): of("theirs"), left: named}, "/q",
			Key{Agent: "a", Session: "s1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			drafts := filepath.Join(dir, "drafts")
			must.Do(t, os.Mkdir(drafts, 0o700))
			for name, data := range test.files {
				must.Do(t, os.WriteFile(filepath.Join(drafts, name+".json"), []byte(data), 0o600))
			}
			text := func(d *Drafts) string {
				got := must.Get(d.Load(test.key))(t)
				for _, p := range got.Parts {
					return p.Text
				}
				for _, q := range got.Queued {
					return q
				}
				return ""
			}
			d := NewDrafts(dir, test.project)
			if got := text(d); got != test.want {
				t.Fatalf("it finds %q, want %q", got, test.want)
			}
			must.Do(t, d.Save(test.key, Draft{Queued: []string{"changed"}}))
			if got := text(NewDrafts(dir, test.project)); got != "changed" {
				t.Errorf("after a change it finds %q", got)
			}
			want := len(test.files) + 1
			if test.want != "" {
				want-- // it was moved
			}
			if files, _ := os.ReadDir(drafts); len(files) != want {
				t.Errorf("files afterwards: %v", files)
			}
			must.Do(t, NewDrafts(dir, test.project).Save(test.key, Draft{}))
			if got := text(NewDrafts(dir, test.project)); got != "" {
				t.Errorf("once sent it finds %q", got)
			}
		})
	}
}
