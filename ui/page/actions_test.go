package page

import (
	"slices"
	"testing"

	"parley/internal/intent"
)

// Each action of the palette and each command does something, here or on the screen.
func TestActionsAreDone(t *testing.T) {
	var listed []intent.Intent
	for _, g := range intent.Groups {
		listed = append(listed, g.Intents...)
	}
	for _, a := range intent.Of(intent.Chat) {
		if a.Intent != intent.Send && handlers[a.Intent] == nil && !slices.Contains(OfScreen, a.Intent) && (slices.Contains(listed, a.Intent) || a.Command != "") {
			t.Errorf("nothing does %s", a.Name)
		}
	}
}
