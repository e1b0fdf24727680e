package permissions

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/seeds"
)

// linked resolves paths on a disk on which some names are links.
func linked(links map[string]string) func(string) FileFact {
	return func(p string) FileFact {
		asked := filepath.Clean(p)
		real := asked
		for range 10 {
			for from, to := range links {
				if real == from || strings.HasPrefix(real, from+"/") {
					real = to + real[len(from):]
				}
			}
		}
		f := project(real)
		f.RequestedPath = asked
		return f
	}
}

// A rule that asks or denies matches a path as requested, where it leads, and where the rule's own path
// leads.
func TestDenyFollowsLinks(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	links := map[string]string{"/home/me/.aws": "/data/aws", "/w/lnk": "/w/real", "/var/run": "/run", "/w/up": "/data"}
	for _, c := range []struct {
		path, asked string
		want        Effect
	}{
		{"~/.aws/**", "/home/me/.aws/credentials", Deny},
		{"~/.aws/**", "/data/aws/credentials", Deny},
		{"~/.aws", "/data/aws/credentials", Deny},
		{"~/.aws/credentials", "/data/aws/credentials", Deny},
		{"~/.aws/**", "/w/up/aws/credentials", Deny},
		{"lnk/**", "/w/real/x", Deny},
		{"lnk/**", "/w/lnk/x", Deny},
		{"real/**", "/w/lnk/x", Deny},
		{"/var/run/docker.sock", "/run/docker.sock", Deny},
		{"/run/docker.sock", "/var/run/docker.sock", Deny},
		{"/w/**/secret", "/w/lnk/secret", Deny},
		{"~/.aws/**", "/data/other", None},
		{"lnk/**", "/w/other/x", None},
	} {
		look := linked(links)
		b := mustBook(t, []Rule{{Effect: Deny, Path: c.path}})
		f := Facts{Kind: "read", Files: []FileFact{look(c.asked)}, Resolve: look}
		if got := b.Judge(f).Effect; got != c.want {
			t.Errorf("%s with deny %s: %v, want %v", c.asked, c.path, got, c.want)
		}
		f = Facts{Kind: "execute", Commands: []CommandFact{{Line: "cat " + c.asked, Dir: "/w"}}, Resolve: look}
		if got := b.Judge(f).Effect; got != c.want {
			t.Errorf("cat %s with deny %s: %v, want %v", c.asked, c.path, got, c.want)
		}
	}
}

// A rule that allows matches only where a path leads: a link below src is not part of src.
func TestAllowStaysWhereItIs(t *testing.T) {
	look := linked(map[string]string{"/w/src/out": "/etc", "/w/lnk": "/w/src"})
	b := mustBook(t, []Rule{{Effect: Allow, Path: "src/**"}, {Effect: Allow, Path: "**"}})
	for asked, want := range map[string]Effect{"/w/src/x": Allow, "/w/lnk/x": Allow, "/w/src/out/passwd": None, "/w/src/out": None, "/etc/passwd": None, "/home/me/x": None} {
		f := Facts{Kind: "read", Files: []FileFact{look(asked)}, Resolve: look}
		if got := b.Judge(f).Effect; got != want {
			t.Errorf("%s: got %v, want %v", asked, got, want)
		}
	}
}

// A rule for many files covers a sensitive one only if it names that.
func TestAllowNamesSensitiveFiles(t *testing.T) {
	for _, c := range []struct {
		path, file string
		want       Effect
	}{
		{"src/**", "/w/src/.env", None},
		{"**", "/w/.env", None},
		{"**/*", "/w/.env", None},
		{"**/.*", "/w/.env", None},
		{"**/.e*", "/w/.env", None},
		{"src/.env", "/w/src/.env", Allow},
		{"**/.env", "/w/src/.env", Allow},
		{"/w/**", "/w/.ssh/id", None},
		{"/w/.ssh/**", "/w/.ssh/id", Allow},
		{"/w/.ssh/id", "/w/.ssh/id", Allow},
		{"/w/*/id", "/w/.ssh/id", None},
		{"**/id", "/w/.ssh/id", None},
		{"/**", "/w/.ssh/id", None},
	} {
		b := mustBook(t, []Rule{{Effect: Allow, Path: c.path}})
		f := Facts{Kind: "read", Files: []FileFact{project(c.file)}, Resolve: project}
		if got := b.Judge(f).Effect; got != c.want {
			t.Errorf("%s with allow %s: %v, want %v", c.file, c.path, got, c.want)
		}
	}
}

// A relative pattern matches no file outside the session's directories.
func TestRelativePatternsStayInside(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "W", "w", "*", "**", "a*", "*.go", "x.go", ".git", "etc"}
	some := func(of []string, n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = of[rnd.IntN(len(of))]
		}
		return strings.Join(parts, "/")
	}
	roots := []string{"/w", "/a/b", "/w/*"}
	for range seeds.Of(200_000) {
		pattern := some(names, 1+rnd.IntN(4))
		path := "/" + some(append(names, "..", "."), 1+rnd.IntN(6))
		for _, effect := range []Effect{Allow, Confirm, Deny} {
			r := Rule{Effect: effect, Path: pattern}
			clean := filepath.Clean(path)
			inside := false
			for _, root := range roots {
				inside = inside || under(clean, root) || effect != Allow && under(strings.ToLower(clean), strings.ToLower(root))
			}
			if r.meansFile(&Facts{}, FileFact{Path: path, Roots: roots}) && !inside {
				t.Fatalf("%s %s matches %s", effect, pattern, path)
			}
		}
	}
}

func under(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// A command that reads directories recursively is asked if something below them is sensitive, denied,
// or leads outside.
func TestDeepReaders(t *testing.T) {
	below := []FileFact{
		{Path: "/w/src/a.go", RequestedPath: "/w/src/a.go", Inside: true, Roots: []string{"/w"}},
		{Path: "/w/conf/.env", RequestedPath: "/w/conf/.env", Inside: true, Secret: true, Roots: []string{"/w"}},
		{Path: "/etc", RequestedPath: "/w/links/etc", Roots: []string{"/w"}},
		{Path: "/w/top/private/x", RequestedPath: "/w/top/private/x", Inside: true, Roots: []string{"/w"}},
	}
	b := rulebook(t, allowing("grep *", "rg *", "find *", "ls *", "cp *")+"[[deny]]\npath = \"top/private/**\"\n")
	for line, want := range map[string]string{
		"grep -rn x src":         "",
		"grep -n x src/a.go":     "",
		"ls conf":                "",
		"ls -R conf":             "",
		"grep -rn x conf":        ".env, which is sensitive",
		"grep -r x":              "conf/.env",
		"grep -R x .":            "conf/.env",
		"grep -e x -r conf":      ".env",
		"grep --recursive x":     "conf/.env",
		"find conf -name x":      "",
		"grep -r x links":        "a link that leads outside",
		"rg x top":               "of which a rule says deny",
		"rg x conf":              "",
		"rg --hidden x conf":     ".env",
		"rg -uu x conf":          ".env",
		"cp -r conf src":         ".env",
		"cd conf && grep -r x .": ".env",
		"cd src && grep -r x .":  "",
	} {
		f := lineFacts(line)
		f.Walk = func(dir string, hidden bool, visit func(FileFact) bool) bool {
			for _, file := range below {
				if under(file.RequestedPath, dir) && file.RequestedPath != dir && (hidden || !strings.Contains(file.RequestedPath, "/.")) && !visit(file) {
					return false
				}
			}
			return true
		}
		got := b.Judge(f)
		if want == "" && got.Effect != Allow || want != "" && (got.Effect != None || !slices.ContainsFunc(got.Verdicts, func(v Verdict) bool { return v.NoRuleReason != "" && strings.Contains(v.NoRuleReason, want) })) {
			t.Errorf("%q: %v %+v, want %q", line, got.Effect, got.Verdicts, want)
		}
		f.Walk = nil
		if deep := b.Judge(f).Effect == Allow; deep && strings.Contains(line, "-r") {
			t.Errorf("%q is allowed although paths cannot be resolved", line)
		}
	}
}

// Patterns make a question examine a bounded number of files, and are asked if there are more.
func TestBoundedPatterns(t *testing.T) {
	lists := 0
	f := corpusFacts("")
	f.ListDir = func(dir string) ([]string, bool) {
		lists++
		var names []string
		for i := range 150 {
			names = append(names, fmt.Sprint("n", i))
		}
		return names, true
	}
	b := mustBook(t, []Rule{{Effect: Allow, Command: "ls *"}})
	for line, want := range map[string]Effect{
		"ls src/n*": Allow, "ls src/n* src/n*": None, "ls src/*/n1": Allow, "ls src/*/*": None, "ls " + strings.Repeat("src/none* ", 15): Allow, "ls " + strings.Repeat("src/none* ", 25): None,
		strings.Repeat("ls src/*/*; ", 100): None,
	} {
		f.Commands[0].Line, lists = line, 0
		if j := b.Judge(f); j.Effect != want || lists > maxLists {
			t.Errorf("%.40s: %v after %d lists, want %v", line, j.Effect, lists, want)
		}
	}
	f.Commands[0].Line, f.ListDir = "ls src/*.go", func(string) ([]string, bool) { return []string{"a.go"}, false }
	if j := b.Judge(f); j.Effect == Allow {
		t.Error("a directory of which not all is known is allowed")
	}
	if f.ListDir = nil; b.Judge(f).Effect == Allow {
		t.Error("a pattern is allowed although directories cannot be listed")
	}
}
