package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/app"
	"parley/internal/cli"
	"parley/internal/config"
	"parley/internal/intent"
	"parley/internal/must"
)

// documents returns the text of every document, by its path with slashes.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths := must.Get(filepath.Glob(pattern))(t)
		for _, path := range paths {
			text := must.Get(os.ReadFile(path))(t)
			all[filepath.ToSlash(path)] = string(text)
		}
	}
	if len(all) < 10 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

var (
	caseOf   = regexp.MustCompile(`\b[Cc]ases? (\d+)\b`)
	numbered = regexp.MustCompile(`(?m)^(\d+)\. `)
)

// Every case number that code and tests name is in docs/protocol.md.
func TestDocumentedCases(t *testing.T) {
	known := map[string]bool{}
	for _, m := range numbered.FindAllStringSubmatch(documents(t)["docs/protocol.md"], -1) {
		known[m[1]] = true
	}
	named := 0
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, m := range caseOf.FindAllStringSubmatch(group.Text(), -1) {
				named++
				if !known[m[1]] {
					t.Errorf("%s: docs/protocol.md has no case %s", s.path, m[1])
				}
			}
		}
	}
	if named < 50 {
		t.Errorf("%d cases are named", named)
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"`)
	notWord = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
)

// Links between the documents lead to existing files and headings.
func TestDocumentedLinks(t *testing.T) {
	docs := documents(t)
	anchors := func(text string) (out []string) {
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			out = append(out, strings.ReplaceAll(notWord.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
		}
		return out
	}
	for path, text := range docs {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1]+m[2], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := path
			if target != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(path), target))
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s: got %v", path, err)
					continue
				}
			}
			if anchor != "" && !slices.Contains(anchors(docs[to]), anchor) {
				t.Errorf("%s: %s has no heading #%s", path, to, anchor)
			}
		}
	}
}

var flagOf = regexp.MustCompile(`(?:^|[^\w-])(--[a-z][a-z0-9-]+)`)

// namedPaths match what documents for developers name of the tree: in quotes, and in the list of packages.
var (
	quotedPath  = regexp.MustCompile("`([\\w.]+(?:/[\\w.]+)+)`")
	listedPlace = regexp.MustCompile(`(?m)^(  )?((?:[\w/]+/ ?)+|internal/[\w, ]+?)(?:  |$)`)
)

// The files and packages that developers are sent to exist.
func TestDocumentedPackages(t *testing.T) {
	found := 0
	exists := func(name string) {
		t.Helper()
		if found++; !strings.HasPrefix(name, "../") {
			if _, err := os.Stat(name); err != nil {
				t.Error(err)
			}
		}
	}
	for _, page := range []string{"CONTRIBUTING.md", "ARCHITECTURE.md"} {
		for _, m := range quotedPath.FindAllStringSubmatch(documents(t)[page], -1) {
			exists(m[1])
		}
	}
	_, list, _ := strings.Cut(documents(t)["ARCHITECTURE.md"], "```\n")
	list, _, _ = strings.Cut(list, "```")
	above := ""
	for _, m := range listedPlace.FindAllStringSubmatch(list, -1) {
		if m[1] == "" && !strings.Contains(m[2], ",") {
			above = strings.Fields(m[2])[0]
		}
		for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ' ' || r == ',' }) {
			switch {
			case m[1] != "":
				name = above + name
			case !strings.Contains(name, "/"):
				name = "internal/" + name
			}
			exists(name)
		}
	}
	if found < 80 {
		t.Errorf("found %d places only", found)
	}
}

// foreign are flags of other programs used in examples.
var foreign = []string{"--acp", "--exec-path", "--fix", "--files", "--include", "--no-pager", "--prefix", "--root"}

var triedRules = regexp.MustCompile("(?s)With the rules.*?\n```\n\\$ parley rules test '(.*?)'\n(.*?)```")

// The documented rules decide the documented command line as the page says.
func TestDocumentedRules(t *testing.T) {
	page := documents(t)["docs/permissions.md"]
	_, rules, _ := strings.Cut(page, "## Rules\n")
	_, rules, _ = strings.Cut(rules, "```toml\n")
	rules, _, _ = strings.Cut(rules, "```")
	tried := triedRules.FindStringSubmatch(page)
	if tried == nil {
		t.Fatal("no example")
	}
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "rules.toml"), []byte(rules), 0o600))
	t.Setenv("HOME", dir)
	t.Setenv("PARLEY_CONFIG", filepath.Join(dir, "config.toml"))
	var out bytes.Buffer
	app.Execute(context.Background(), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out}, []string{"rules", "test", "--cwd", dir, tried[1]})
	if got := strings.ReplaceAll(out.String(), dir, "/home/ada/.config/parley"); got != tried[2] {
		t.Errorf("the page says\n%sand the program\n%s", tried[2], got)
	}
}

// The documents name exactly the flags that the program has.
func TestDocumentedFlags(t *testing.T) {
