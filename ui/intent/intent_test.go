package intent

import (
	"slices"
	"testing"
)

// Every key has one meaning, every binding its words, and what belongs to
// others is left alone.
func TestBindings(t *testing.T) {
	owner := map[string]Intent{}
	for _, b := range Chat {
		if b.Intent == None || len(b.Keys) == 0 || b.Label == "" || b.Help == "" {
			t.Errorf("incomplete: %+v", b)
		}
		for _, k := range b.Keys {
			if other, taken := owner[k]; taken {
				t.Errorf("%s means both %d and %d", k, other, b.Intent)
			}
			owner[k] = b.Intent
			if Of(k) != b.Intent {
				t.Errorf("Of(%q) = %d, want %d", k, Of(k), b.Intent)
			}
		}
	}
	for i := Send; i <= FocusQuestion; i++ {
		if !slices.ContainsFunc(Chat, func(b Binding) bool { return b.Intent == i }) {
			t.Errorf("intent %d has no binding", i)
		}
	}
	for _, k := range []string{"ctrl+b", "ctrl+a", `ctrl+\`, "x"} {
		if Of(k) != None {
			t.Errorf("%s is bound", k)
		}
	}
}
