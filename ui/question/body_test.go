package question

import (
	"testing"

	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/theme"
)

// The reason why no rule can allow something may name files of a project, so it is hostile.
func TestVerdictsAreSafe(t *testing.T) {
	const name = "a\x1b]52;c;eA==\x07\n└ ls  allowed\u202e"
	for _, v := range []permissions.Verdict{{NoRuleReason: "below it lies " + name}, {NearMiss: name}, {Effect: permissions.Deny, Rule: &permissions.Rule{Path: name}}} {
		if _, words := verdictWords(v, theme.Dark()); safetext.Line(words, 1000) != words {
			t.Errorf("got %q", words)
		}
	}
}
