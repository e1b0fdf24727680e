package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
)

// With the preset vim esc leaves insert mode, then stops; enter sends from either
// mode, j and k walk the history beyond the draft.
func TestVimPreset(t *testing.T) {
	keys, err := intent.NewKeymap("vim", nil)
	if err != nil {
		t.Fatal(err)
	}
	drive(t, func(_ *driver, o *Options) { o.Keys = keys }, func(d *driver) {
		d.connected()
		if v := d.m.View(); v.Cursor == nil || v.Cursor.Shape != tea.CursorBar {
			t.Error("no bar in insert mode")
		}
		d.types("one two")
		d.press("esc", "b", "x")
		d.draft("one wo")
		d.sees("normal")
		if v := d.m.View(); v.Cursor == nil || v.Cursor.Shape != tea.CursorBlock {
			t.Error("no block in normal mode")
		}
		d.press("enter")
		d.soon()
		d.sees("You said: one wo")
		d.misses("normal")
		d.press("esc", "k")
		d.draft("one wo")
	})
}
