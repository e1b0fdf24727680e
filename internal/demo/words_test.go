package demo

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func textBlocks(texts ...string) []promptBlock {
	var out []promptBlock
	for _, s := range texts {
		out = append(out, promptBlock{Type: "text", Text: s})
	}
	return out
}

func TestErrand(t *testing.T) {
	for _, tc := range []struct{ prompt, want string }{
		{"hello", ""},
		{"edit notes.txt and run ls", "edit(notes.txt) run(ls)"},
		{"EDIT the file a.md, please", "edit(a.md)"},
		{"edit", "edit(notes.txt)"},
		{"edit something", "edit(notes.txt)"},
		{"the editor planned a rerun, already longer", ""},
		{"re-read it", ""},
		{"read", "read(README.md)"},
		{"read main.go and edit", "read(main.go) edit(notes.txt)"},
		{"read and edit x.txt", "read(x.txt) edit(x.txt)"},
		{"read `docs/a.md`.", "read(docs/a.md)"},
		{"read @main.go", "read(main.go)"},
		{"read Makefile", "read(Makefile)"},
		{"read .gitignore", "read(.gitignore)"},
		{"read https://example.com/a.txt", "read(README.md)"},
		{"/read ../x", "read(../x)"},
		{"run", "run(ls)"},
		{"run.", "run(ls)"},
		{"run the tests", "run(ls)"},
		{"run, then edit", "edit(notes.txt) run(ls)"},
		{"run and edit", "edit(notes.txt) run(ls)"},
		{"run edit", "edit(notes.txt) run(ls)"},
		{"run go test ./... and read", "read(README.md) run(go test ./...)"},
		{"run: go vet .", "run(go vet .)"},
		{"run ls -la.", "run(ls -la)"},
		{"run ls, edit", "edit(notes.txt) run(ls)"},
		{"run echo edit long plan", "run(echo edit long plan)"},
		{"run echo a,b", "run(echo a,b)"},
		{"run `echo a, b and c` and plan", "plan run(echo a, b and c)"},
		{"run printf '%s' x; true", "run(printf '%s' x; true)"},
		{"run ls\nedit", "edit(notes.txt) run(ls)"},
		{"Think, PLAN; long!", "think plan long"},
		{"run ls and run pwd", "run(ls)"},
	} {
		if got := describe(errandOf(readPrompt(textBlocks(tc.prompt)))); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.prompt, got, tc.want)
		}
	}
}

func describe(e errand) string {
	var out []string
	for _, a := range actions {
		if !e.wants[a] {
			continue
		}
		switch a {
		case "read":
			a += "(" + e.read + ")"
		case "edit":
			a += "(" + e.edit + ")"
		case "run":
			a += "(" + e.command + ")"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}

func TestAttachedFiles(t *testing.T) {
	link := promptBlock{Type: "resource_link", URI: "file:///srv/my%20notes.txt"}
	embedded := promptBlock{Type: "resource"}
	embedded.Resource.URI = "file:///srv/b.go"
	for _, tc := range []struct {
		blocks []promptBlock
		want   string
	}{
		{[]promptBlock{{Type: "text", Text: "edit "}, link}, "edit(/srv/my notes.txt)"},
		{[]promptBlock{{Type: "text", Text: "read"}, embedded, {Type: "text", Text: "and edit"}, link}, "read(/srv/b.go) edit(/srv/my notes.txt)"},
		{[]promptBlock{{Type: "text", Text: "read"}, {Type: "resource_link", URI: "https://example.com/x.txt"}}, "read(README.md)"},
		{[]promptBlock{{Type: "image"}}, ""},
	} {
		w := readPrompt(tc.blocks)
		if got := describe(errandOf(w)); got != tc.want || len(w.tokens) == 0 {
			t.Errorf("%+v: got %q, want %q", tc.blocks, got, tc.want)
		}
	}
}

func FuzzErrand(f *testing.F) {
	for _, s := range []string{"edit notes.txt and run ls", "run `a", "/", "@", "run ,", "run .", "...", "读 a.md", "run ` `", "\xff run \xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := errandOf(readPrompt(textBlocks(s)))
		if e.read == "" || e.edit == "" || e.command == "" || strings.TrimSpace(e.command) != e.command {
			t.Errorf("%q: got %+v", s, e)
		}
		if utf8.ValidString(s) && !utf8.ValidString(e.read+e.edit+e.command) {
			t.Errorf("%q: a character is cut: %+v", s, e)
		}
		if title := titleOf(s); title == "" || utf8.RuneCountInString(title) > 49 {
			t.Errorf("%q: title %q", s, title)
		}
	})
}
