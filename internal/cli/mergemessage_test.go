package cli

import (
	"strings"
	"testing"

	"parley/internal/worktree"
)

// The message of a commit is the beginning of the prompt's first line, without secrets; the name of the
// worktree if there is no prompt.
func TestMergeMessage(t *testing.T) {
	t.Setenv("PARLEY_STATE", t.TempDir())
	tree := worktree.Tree{Name: "fix", Path: t.TempDir()}
	for prompt, want := range map[string]string{
		"":                              "fix",
		" \n":                           "fix",
		"\n  make it work \n\nplease":   "make it work",
		"clear\x1b[2J it":               "clear it",
		strings.Repeat("0123456789", 8): strings.Repeat("0123456789", 7) + "0…",
		"log in with GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a": "log in with GITHUB_TOKEN=[redacted]",
	} {
		if got := mergeMessage(tree, prompt); got != want {
			t.Errorf("%q became %q, want %q", prompt, got, want)
		}
	}
}
