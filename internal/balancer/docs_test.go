//go:build unix

package balancer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// section returns the section of docs/remote.md about load balancers.
func section(t testing.TB) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "remote.md")))(t)
	_, rest, ok := strings.Cut(string(text), "\n## Behind a load balancer\n")
	if !ok {
		t.Fatal("docs/remote.md has no section \"Behind a load balancer\"")
	}
	mine, _, _ := strings.Cut(rest, "\n## ")
	return mine
}

// block returns the fenced block of that section in a language. There must be exactly one.
func block(t testing.TB, language string) string {
	t.Helper()
	blocks := strings.Split(section(t), "\n```"+language+"\n")
	if len(blocks) != 2 {
		t.Fatalf("docs/remote.md has %d blocks of %s about load balancers, want one", len(blocks)-1, language)
	}
	text, _, ok := strings.Cut(blocks[1], "\n```")
	if !ok {
		t.Fatalf("the block of %s does not end", language)
	}
	return text + "\n"
}

// change is a text of docs/remote.md and its replacement in a test.
type change struct{ from, to string }

// changed applies the changes. A text that is missing fails the test, because the test would no
// longer cover what docs/remote.md says.
func changed(t testing.TB, text string, changes ...change) string {
	t.Helper()
	for _, c := range changes {
		if !strings.Contains(text, c.from) {
			t.Fatalf("%q is not in docs/remote.md's block:\n%s", c.from, text)
		}
		text = strings.ReplaceAll(text, c.from, c.to)
	}
	return text
}

// commands returns the command lines of the servers in docs/remote.md, by the server names in their
// cookies.
func commands(t testing.TB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for line := range strings.Lines(block(t, "sh")) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "parley" || words[1] != "serve" {
			t.Fatalf("%q starts no server", line)
		}
		for _, w := range words {
			if name, ok := strings.CutPrefix(w, "--cookie-affinity="); ok {
				out[name] = words
			}
		}
	}
	if len(out) != 2 || out["a"] == nil || out["b"] == nil {
		t.Fatalf("docs/remote.md starts %v, want a and b", out)
	}
	return out
}
