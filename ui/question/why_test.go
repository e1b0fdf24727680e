package question

import (
	"testing"

	"parley/permissions"
)

// What is rejected with a reason is named: the command, or the changes of the files.
func TestRejectWhy(t *testing.T) {
	edit := permissions.Part{Kind: permissions.Diff, Path: "a.go", Old: "x\n", Text: "y\n"}
	for _, c := range []struct {
		heading string
		body    []permissions.Part
		want    string
	}{
		{"Run a command in ~/src", []permissions.Part{{Kind: permissions.Command, Text: "make\nmake install"}}, "Run a command in ~/src|make\nmake install|false"},
		{"Write a.go", []permissions.Part{edit}, "Write a.go|@@ -1,1 +1,1 @@\n-x\n+y|true"},
		{"Change a file", []permissions.Part{edit, {Kind: permissions.Diff, Path: "b.go", NewFile: true, Text: "b\n"}}, "Change a file: a.go, b.go|@@ -1,1 +1,1 @@\n-x\n+y\nb.go\n@@ -0,0 +1,1 @@\n+b|true"},
		{"Use a tool", nil, "Use a tool||true"},
	} {
		p := newPage(t)
		p.q.Add(permissions.Question{Key: 1, Heading: c.heading, Body: c.body, Options: options})
		p.see(80, 24, false)
		pressed := p.press("c")
		if p.said(); !pressed || p.rejected != c.want || len(p.answered) > 0 {
			t.Errorf("got %q, answered %q, want %q", p.rejected, p.answered, c.want)
		}
	}
}
