package fsops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/must"
)

// seen returns the names below a directory, with their facts.
func (tr tree) seen(dir string, hidden bool) (names []string, all bool) {
	tr.t.Helper()
	all = must.Get(tr.Walk("s", dir, hidden, func(t Target) bool {
		rel, err := filepath.Rel(dir, t.Path)
		if err != nil {
			tr.t.Error(err)
		}
		name := filepath.ToSlash(rel)
		if t.Secret != "" {
			name += " secret"
		}
		if !t.Inside {
			name += " outside"
		}
		names = append(names, name)
		return true
	}))(tr.t)
	slices.Sort(names)
	return names, all
}

func (tr tree) expect(dir string, hidden bool, want ...string) {
	tr.t.Helper()
	if got, all := tr.seen(dir, hidden); !all || !slices.Equal(got, want) {
		tr.t.Errorf("hidden %v: %q, %v; want %q", hidden, got, all, want)
	}
}

func TestBelow(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("a.go"), "")
	tr.put(tr.in("sub/.env"), "")
	tr.put(tr.in("sub/key.pem"), "")
	tr.put(tr.in(".github/x.md"), "")
	tr.expect(tr.in("."), true, ".github", ".github/x.md", "a.go", "sub", "sub/.env secret", "sub/key.pem secret")
	tr.expect(tr.in("."), false, "a.go", "sub", "sub/key.pem secret")
	tr.expect(tr.in("a.go"), true)
	tr.expect(tr.in("missing"), true)
}

func TestBelowLinks(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.out("x"), "")
	tr.put(tr.in("d/y"), "")
	tr.link(tr.out("x"), tr.in("leaves"))
	tr.link(tr.outside, tr.in("dir"))
	tr.link("d", tr.in("inside"))
	tr.expect(tr.in("."), true, "d", "d/y", "dir outside", "inside", "leaves outside")
}

// A .git without a credential is skipped; one with a credential is not.
func TestBelowRepository(t *testing.T) {
	for config, want := range map[string][]string{
		"[remote \"origin\"]\n\turl = https://example.com/x\n":               {"a"},
		"[remote \"origin\"]\n\turl = git@example.com:x/y\n":                 {"a"},
		"[remote \"origin\"]\n\turl = https://me:secret@example.com/x\n":     {".git secret", "a"},
		"[http]\n\textraHeader = Authorization: Basic x\n":                   {".git secret", "a"},
		"[core]\n\tbare = false\n[url \"ssh://me@example.com/\"]\n\tx = y\n": {"a"},
	} {
		tr := newTree(t, Options{})
		tr.put(tr.in("a"), "")
		tr.put(tr.in(".git/HEAD"), "")
		tr.put(tr.in(".git/config"), config)
		tr.expect(tr.in("."), true, want...)
	}
}

// What .gitignore names literally is skipped with the hidden names, unless something includes it again.
func TestBelowIgnored(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"ignored":          {map[string]string{".git/HEAD": "", ".gitignore": "/x*\nmods/\n"}, []string{"sub"}},
		"no repository":    {map[string]string{".gitignore": "mods\n"}, []string{"mods", "mods/a.pem secret", "sub", "sub/mods", "sub/mods/b.pem secret"}},
		"by its path":      {map[string]string{".git/HEAD": "", ".gitignore": "/mods\n"}, []string{"mods", "mods/a.pem secret", "sub", "sub/mods", "sub/mods/b.pem secret"}},
		"brought back":     {map[string]string{".git/HEAD": "", ".gitignore": "mods\n!mods\n"}, []string{"mods", "mods/a.pem secret", "sub", "sub/mods", "sub/mods/b.pem secret"}},
		"back below":       {map[string]string{".git/HEAD": "", ".gitignore": "mods\n", "sub/.gitignore": "!mods\n"}, []string{"sub", "sub/mods", "sub/mods/b.pem secret"}},
		"a list for rg":    {map[string]string{".git/HEAD": "", ".gitignore": "mods\n", ".rgignore": ""}, []string{"mods", "mods/a.pem secret", "sub", "sub/mods", "sub/mods/b.pem secret"}},
		"a pattern is not": {map[string]string{".git/HEAD": "", ".gitignore": "mod*\n"}, []string{"mods", "mods/a.pem secret", "sub", "sub/mods", "sub/mods/b.pem secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, Options{})
			tr.put(tr.in("mods/a.pem"), "")
			tr.put(tr.in("sub/mods/b.pem"), "")
			for file, text := range c.files {
				tr.put(tr.in(file), text)
			}
			tr.expect(tr.in("."), false, c.want...)
		})
	}
}

func TestBelowEnds(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("a"), "")
	tr.put(tr.in("b"), "")
	n := 0
	if all, err := tr.Walk("s", tr.root, true, func(Target) bool { n++; return false }); all || err != nil || n != 1 {
		t.Errorf("%d visits, %v, %v", n, all, err)
	}
	if _, err := tr.Walk("unknown", tr.root, true, func(Target) bool { return true }); err == nil {
		t.Error("of a session that is not open")
	}
}

func BenchmarkBelow(b *testing.B) {
	dir := b.TempDir()
	for i := range 2000 {
		name := filepath.Join(dir, fmt.Sprintf("d%d/e%d/f%d.go", i%20, i/20%20, i))
		must.Do(b, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644)))
	}
	s := New(Options{})
	defer s.Close()
	must.Do(b, s.OpenSession("s", []string{dir}))
	for b.Loop() {
		n := 0
		s.Walk("s", dir, true, func(Target) bool { n++; return true })
		b.ReportMetric(float64(n), "entries")
	}
}

func TestNames(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("d/a.go"), "")
	tr.put(tr.in("d/.env"), "")
	tr.put(tr.in("d/sub/x"), "")
	list := func(name string) string {
		names, all, err := tr.ListDir("s", tr.in(name))
		slices.Sort(names)
		return fmt.Sprint(names, all, err)
	}
	for name, want := range map[string]string{"d": "[.env a.go sub] true <nil>", "d/a.go": "[] true <nil>", "missing": "[] true <nil>"} {
		if got := list(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for i := range maxNames + 1 {
		tr.put(tr.in(fmt.Sprintf("many/%d", i)), "")
	}
	if _, all, err := tr.ListDir("s", tr.in("many")); all || err != nil {
		t.Errorf("more names than that are all: %v", err)
	}
	if _, _, err := tr.ListDir("unknown", tr.in("d")); err == nil {
		t.Error("a session that is not open is listed")
	}
}

// A search tool reads hidden files that an ignore file includes again.
func TestBelowIncludedAgain(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"sub/.ignore", "!.env\n", []string{"sub", "sub/.env secret", "sub/x"}},
		{".rgignore", "*.log\n!.e*\n", []string{"sub", "sub/.env secret", "sub/x"}},
		{".gitignore", "!/sub/.env\n", []string{"sub", "sub/.env secret", "sub/x"}},
		{".git/info/exclude", "!**/.env\n", []string{"sub", "sub/.env secret", "sub/x"}},
		{".gitignore", ".env\n!.env.example\n", []string{"sub", "sub/x"}},
		{".ignore", ".env\n", []string{"sub", "sub/x"}},
		{".ignore", "![\n", []string{".ignore", "sub", "sub/.env secret", "sub/x"}},
	} {
		tr := newTree(t, Options{})
		tr.put(tr.in("sub/.env"), "")
		tr.put(tr.in("sub/x"), "")
		tr.put(tr.in(c.file), c.text)
		tr.expect(tr.in("."), false, c.want...)
	}
	tr := newTree(t, Options{})
	tr.put(tr.in("sub/.env"), "")
	tr.put(tr.in(".ignore"), "!.env\n")
	tr.expect(tr.in("sub"), false, ".env secret")
}
