package host

import (
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/internal/must"
	"parley/permissions"
)

// located returns both texts of a located change, and the number of the first line.
func located(p *event.DiffContext, before, after string) (old, now string, first int) {
	d := event.Diff{Old: before, New: after, Context: p}
	t := d.Texts()
	return t.Old, t.New, t.First
}

// A part of a file has the line numbers of the file, whether or not it was written, and whole lines of context.
func TestPlaces(t *testing.T) {
	file := strings.Repeat("fill\n", 10) + "func a() {\n\treturn one\n}\n\nfunc b() {\n\treturn two\n}\n"
	written := strings.Replace(file, "return one", "return 1", 1)
	const shown = "fill\nfill\nfunc a() {\n\treturn one\n}\n\nfunc b() {\n"
	for name, c := range map[string]struct {
		file, before, after string
		old                 string
		first               int
	}{
		"before it was written":     {file, "return one", "return 1", shown, 8},
		"after":                     {written, "return one", "return 1", shown, 8},
		"all of the file, before":   {file, file, written, file, 0},
		"all of the file, after":    {written, file, written, file, 0},
		"at the beginning":          {"a\nb\nc\nd\ne\nf\n", "a\n", "A\n", "a\nb\nc\nd\n", 0},
		"at the end":                {"a\nb\nc\nd\ne\nf\n", "f\n", "F\n", "c\nd\ne\nf\n", 2},
		"at an end without newline": {"a\nb\nc", "c", "C", "a\nb\nc", 0},
		"added to it":               {"a\nb\nc\nd\n", "b", "b\nb2", "a\nb\nc\nd\n", 0},
		"added to it, after":        {"a\nb\nb2\nc\nd\n", "b", "b\nb2", "a\nb\nc\nd\n", 0},
		"removed from it":           {"a\nb\nb2\nc\n", "b\nb2\n", "b\n", "a\nb\nb2\nc\n", 0},
		"inserted":                  {"a\nb\nc\n", "", "b\n", "a\nc\n", 0},
		"twice in the file":         {"x\ny\nx\n", "x\n", "z\n", "x\n", -1},
		"neither and both":          {"x\ny\n", "x\n", "y\n", "x\n", -1},
		"nowhere":                   {"a\n", "x", "y", "x\n", -1},
		"nowhere, whole lines":      {"a\n", "x\n", "y\n", "x\n", 0},
		"to be overwritten":         {"a\n", "", "b\n", "", 0},
		"other line ends":           {"a\r\nb\r\nc\r\n", "b", "B", "a\nb\nc\n", 0},
		"a very long line":          {strings.Repeat("x", 2*maxAround) + " one " + strings.Repeat("y", 2*maxAround), "one", "two", "one\n", 0},
	} {
		old, now, first := located(placeIn(c.file, c.before, c.after), c.before, c.after)
		if old != c.old || first != c.first {
			t.Errorf("%s: %q from %d, want %q from %d", name, old, first, c.old, c.first)
		}
		if strings.Count(old, c.before) == 1 && c.before != "" && now != strings.Replace(old, c.before, c.after, 1) {
			t.Errorf("%s: becomes %q", name, now)
		}
	}
}

// The line numbers of a question's diff are those of the file.
func TestQuestionNumbersLinesAsTheFile(t *testing.T) {
	r := newRig(t)
	path := r.put(r.path("f.txt"), "1\n2\n3\n4\nold\n6\n7\n8\n9\n")
	d := r.show(diff(path, "new", "old")).Body[0]
	if d.First != 1 || d.Old != "2\n3\n4\nold\n6\n7\n8\n" || d.Text != "2\n3\n4\nnew\n6\n7\n8\n" {
		t.Errorf("got %+v", d)
	}
}

// A file is read for its line numbers only if an agent may read it without a question.
func TestPlacesAreNotLookedForElsewhere(t *testing.T) {
	r := newRig(t)
	rules := []permissions.Rule{{Effect: permissions.Deny, Path: "denied.txt"}}
	book := must.Get(permissions.NewRulebook(rules))(t)
	r.host.Broker().SetRules(theSession, book)
	const text = "1\nold\n3\n"
	for _, path := range []string{r.put(r.outside+"/f", text), r.put(r.path(".env"), text), r.put(r.path("denied.txt"), text),
		r.put(r.path("large"), text+strings.Repeat("x", maxLocated)), r.path("missing"), r.root, "https://example.com/f", ""} {
		if p := r.services.Locate(theSession, path, "old", "new"); p != nil {
			t.Errorf("%s: got %+v", path, p)
		}
	}
	if p := r.services.Locate(theSession, r.put(r.path("f"), text), "old", "new"); p == nil || !slices.Equal([]string{p.Before, p.After}, []string{"1\n", "\n3\n"}) {
		t.Errorf("got %+v", p)
	}
}
