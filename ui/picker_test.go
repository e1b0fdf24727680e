package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/theme"
	"parley/ui/uitest"
	"parley/ui/widget"
)

// A second press counts only for the key and the thing that were asked about,
// and only when nothing came in between.
func TestPickerSure(t *testing.T) {
	for _, c := range []struct{ keys, done, note string }{
		{"ctrl+d", "", "really a?"},
		{"ctrl+d ctrl+d", "ctrl+d a", ""},
		{"ctrl+d ctrl+d ctrl+d", "ctrl+d a", "really a?"},
		{"ctrl+d ctrl+x", "", "really a?"},
		{"ctrl+d ctrl+x ctrl+d", "", "really a?"},
		{"ctrl+d down ctrl+d", "", "really b?"},
		{"ctrl+d b", "", ""},
		{"ctrl+d b backspace ctrl+d", "", "really a?"},
		{"down ctrl+x ctrl+x", "ctrl+x b", ""},
	} {
		var done []string
		p := &picker{list: widget.NewList([]widget.Item{{Title: "a", Value: "a"}, {Title: "b", Value: "b"}})}
		sure := func(what intent.Intent) func(widget.Item) tea.Cmd {
			return func(it widget.Item) tea.Cmd {
				if name := it.Value.(string); p.sure(what, name, "really "+name+"?") {
					done = append(done, intent.Default.Label(intent.List, what)+" "+name)
				}
				return nil
			}
		}
		p.keys = map[intent.Intent]func(widget.Item) tea.Cmd{intent.DeleteEntry: sure(intent.DeleteEntry), intent.CloseEntry: sure(intent.CloseEntry)}
		for k := range strings.FieldsSeq(c.keys) {
			p.Key(intent.Default, keyPress(k))
		}
		if got := strings.Join(done, "|"); got != c.done || p.note != c.note {
			t.Errorf("%s: did %q, note %q", c.keys, got, p.note)
		}
	}
}

// A list that comes anew keeps the cursor on the same thing, whatever it is
// called, and a filter.
func TestPickerRefresh(t *testing.T) {
	items := func(ids ...string) (out []widget.Item) {
		for _, id := range ids {
			out = append(out, widget.Item{Title: "same", Detail: id, Value: id})
		}
		return out
	}
	same := func(a, b any) bool { return a == b }
	p := &picker{list: widget.NewList(items("a", "b", "c"))}
	p.list.Select(1)
	for _, c := range []struct {
		ids  string
		want string
	}{{"x a b c", "b"}, {"b", "b"}, {"x y b", "b"}, {"x y", "x"}, {"", ""}, {"x", "x"}} {
		p.refresh(items(strings.Fields(c.ids)...), same)
		it, _ := p.list.Selected()
		if got, _ := it.Value.(string); got != c.want {
			t.Errorf("%q: on %q, want %q", c.ids, got, c.want)
		}
	}
}

// However small, the box keeps to its size, its cursor is inside, and a note is
// to be read where there is room.
func TestPickerRows(t *testing.T) {
	th := theme.Pick("dark", true, false)
	note := `delete "` + strings.Repeat("long ", 8) + `…" for good? ctrl+d again does`
	for _, n := range []int{0, 1, 50} {
		var items []widget.Item
		for range n {
			items = append(items, widget.Item{Title: "an item", Detail: "漢字", Hint: "hint", Section: "section"})
		}
		for width := 4; width < 100; width += 5 {
			for height := 4; height < 30; height += 3 {
				p := &picker{title: "things", foot: "enter · esc", note: note, empty: "nothing to choose from here", list: widget.NewList(items)}
				rows, cursor := p.rows(width, height, th)
				uitest.CheckRows(t, rows, width)
				if len(rows) > height {
					t.Fatalf("%d items, %dx%d: %d rows", n, width, height, len(rows))
				}
				if cursor.X < 0 || cursor.X >= width || cursor.Y < 0 || cursor.Y >= len(rows) {
					t.Fatalf("%dx%d: cursor at %d,%d", width, height, cursor.X, cursor.Y)
				}
				if text := uitest.Text(rows); width > 35 && height > 8 && !(strings.Contains(text, "again") && strings.Contains(text, "does")) {
					t.Fatalf("%dx%d:\n%s", width, height, text)
				}
			}
		}
	}
}
