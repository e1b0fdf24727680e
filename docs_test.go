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
var foreign = []string{"--acp", "--allow-untrusted", "--cask", "--exec-path", "--fix", "--files", "--include", "--no-pager", "--prefix", "--root"}

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
	commands := [][]string{{}, {"doctor"}, {"run"}, {"review"}, {"compare"}, {"serve"}, {"acp"}, {"tokens"}, {"tokens", "add"}, {"agents"}, {"agents", "install"}, {"agents", "show"}, {"agents", "update"}, {"agents", "pin"}, {"sessions"}, {"ps"}, {"worktrees", "merge"}, {"rules"}, {"rules", "list"}, {"rules", "check"}, {"rules", "test"}, {"config"}, {"config", "init"}}
	has := map[string]bool{}
	for _, args := range commands {
		var out bytes.Buffer
		app.Execute(context.Background(), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out}, append(args, "--help"))
		for _, m := range flagOf.FindAllStringSubmatch(out.String(), -1) {
			has[m[1]] = true
		}
	}
	if len(has) < 30 {
		t.Fatalf("%d flags: %v", len(has), has)
	}
	told := map[string]bool{}
	for path, text := range documents(t) {
		if path == "docs/decisions.md" || path == "docs/performance.md" {
			continue
		}
		for _, m := range flagOf.FindAllStringSubmatch(text, -1) {
			told[m[1]] = true
			if !has[m[1]] && !slices.Contains(foreign, m[1]) {
				t.Errorf("%s: the program has no flag %s", path, m[1])
			}
		}
	}
	for flag := range has {
		if !told[flag] && !slices.Contains([]string{"--help", "--version", "--flags"}, flag) {
			t.Errorf("no document tells of %s", flag)
		}
	}
}

// docs/keys.md lists the program's commands, and the default keys of the chat, the transcript,
// questions and the review.
func TestDocumentedKeys(t *testing.T) {
	page := documents(t)["docs/keys.md"]
	_, section, _ := strings.Cut(page, "\n## Commands\n")
	section, _, _ = strings.Cut(section, "\n## ")
	commands := map[string]bool{}
	for _, m := range regexp.MustCompile("`/([a-z]+)").FindAllStringSubmatch(section, -1) {
		commands[m[1]] = true
	}
	for _, a := range intent.Actions {
		if a.Command == "" {
			continue
		}
		if !commands[a.Command] {
			t.Errorf("/%s is missing", a.Command)
		}
		if a.Also != "" && !commands[a.Also] {
			t.Errorf("/%s is missing", a.Also)
		}
		delete(commands, a.Command)
		delete(commands, a.Also)
	}
	for name := range commands {
		if name != "parley" {
			t.Errorf("the program has no /%s", name)
		}
	}
	words := strings.NewReplacer("pgdown", "pgdn")
	for _, a := range intent.Actions {
		if a.In != intent.Chat && a.In != intent.Transcript && a.In != intent.Question && a.In != intent.Review && a.In != intent.Always || len(a.Keys) == 0 {
			continue
		}
		if key := words.Replace(a.Keys[0]); !regexp.MustCompile(`(^|[\s|,` + "`" + `])` + regexp.QuoteMeta(key) + `($|[\s|,.;:` + "`" + `])`).MatchString(page) {
			t.Errorf("%s (%s) is missing", key, a.Name)
		}
	}
}

var settingOf = regexp.MustCompile(`(?m)^#? ?([a-z_]+) = `)

// The example in docs/configuration.md is valid, and the page names every setting of the
// configuration that the program writes.
func TestDocumentedConfiguration(t *testing.T) {
	page := documents(t)["docs/configuration.md"]
	_, example, _ := strings.Cut(page, "\n```toml\n")
	example, _, ok := strings.Cut(example, "\n```")
	if !ok {
		t.Fatal("there is no example")
	}
	if _, err := config.Parse("docs/configuration.md", []byte(example)); err != nil {
		t.Error(err)
	}
	settings := settingOf.FindAllStringSubmatch(config.Inert(), -1)
	if len(settings) < 20 {
		t.Fatalf("%d settings", len(settings))
	}
	for _, m := range settings {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(page) {
			t.Errorf("the setting %s is missing", m[1])
		}
	}
}
