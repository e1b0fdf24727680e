package panel

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/theme"
	"parley/ui/uitest"
	"parley/ui/widget/list"
)

// A second press counts only for the same key and the same item, with no other key in
// between.
func TestListConfirmed(t *testing.T) {
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
		l := &List{List: list.New([]list.Item{{Title: "a", Value: "a"}, {Title: "b", Value: "b"}})}
		p := opened(l)
		sure := func(what intent.Intent) func(list.Item) tea.Cmd {
			return func(it list.Item) tea.Cmd {
				if name := it.Value.(string); l.Confirmed(what, name, "really "+name+"?") {
					done = append(done, intent.Default.Label(intent.List, what)+" "+name)
				}
				return nil
			}
		}
		l.Keys = map[intent.Intent]func(list.Item) tea.Cmd{intent.DeleteEntry: sure(intent.DeleteEntry), intent.CloseEntry: sure(intent.CloseEntry)}
		for k := range strings.FieldsSeq(c.keys) {
			p.press(k)
		}
		if got := strings.Join(done, "|"); got != c.done || l.Note != c.note {
			t.Errorf("%s: did %q, note %q", c.keys, got, l.Note)
		}
	}
}

// A refreshed list keeps its filter and its selection, even if that has another title.
func TestListRefresh(t *testing.T) {
	items := func(ids ...string) (out []list.Item) {
		for _, id := range ids {
			out = append(out, list.Item{Title: "same", Detail: id, Value: id})
		}
		return out
	}
	same := func(a, b any) bool { return a == b }
	var ids string
	l := &List{List: list.New(items("a", "b", "c")), Same: same, Items: func() []list.Item { return items(strings.Fields(ids)...) }}
	l.List.Select(1)
	for _, c := range []struct {
		ids  string
		want string
	}{{"x a b c", "b"}, {"b", "b"}, {"x y b", "b"}, {"x y", "x"}, {"", ""}, {"x", "x"}} {
		ids = c.ids
		l.Refresh()
		it, _ := l.List.Selected()
		if got, _ := it.Value.(string); got != c.want {
			t.Errorf("%q: on %q, want %q", c.ids, got, c.want)
		}
	}
}

// At any size the box keeps to it, the cursor is inside, and a note is shown if there is
// room.
func TestListRows(t *testing.T) {
	note := `Delete "` + strings.Repeat("long ", 8) + `…"? Press ctrl+d again to confirm`
	for _, n := range []int{0, 1, 50} {
		var items []list.Item
		for range n {
			items = append(items, list.Item{Title: "an item", Detail: "漢字", Hint: "hint", Section: "section"})
		}
		for width := 4; width < 100; width += 5 {
			for height := 4; height < 30; height += 3 {
				l := &List{Title: "things", Foot: "enter · esc", Note: note, Empty: "Nothing to choose from here", List: list.New(items)}
				opened(l)
				rows, cursor := l.Rows(width, height)
				uitest.CheckRows(t, rows, width)
				if len(rows) > height {
					t.Fatalf("%d items, %dx%d: %d rows", n, width, height, len(rows))
				}
				if cursor.X < 0 || cursor.X >= width || cursor.Y < 0 || cursor.Y >= len(rows) {
					t.Fatalf("%dx%d: cursor at %d,%d", width, height, cursor.X, cursor.Y)
				}
				if text := uitest.Text(rows); width > 35 && height > 8 && !(strings.Contains(text, "again") && strings.Contains(text, "confirm")) {
					t.Fatalf("%dx%d:\n%s", width, height, text)
				}
			}
		}
	}
}

// Drawing a panel changes nothing in it.
func TestDrawingChangesNothing(t *testing.T) {
	var items []list.Item
	for i := range 40 {
		items = append(items, list.Item{Title: fmt.Sprint("item ", i), Detail: "detail", Section: fmt.Sprint(i / 7)})
	}
	l := &List{List: list.New(items), Note: "a note"}
	r := &Reading{Body: func(int, *theme.Theme) []string { return []string{"a", "b"} }}
	menu := &CopyMenu{All: func() string { return "" }, Codes: []Code{{"go", "a"}, {"", "b"}}}
	for _, what := range []Panel{l, r, menu} {
		p := opened(what)
		if what == Panel(l) {
			p.press("down", "down", "pgdown", "pgdown", "up")
		}
		before := fmt.Sprintf("%#v %#v", reflect.ValueOf(what).Elem(), *l.List)
		first, _ := what.Rows(40, 12)
		what.Rows(20, 30)
		again, _ := what.Rows(40, 12)
		if after := fmt.Sprintf("%#v %#v", reflect.ValueOf(what).Elem(), *l.List); after != before {
			t.Errorf("%T was\n%s\nand is\n%s", what, before, after)
		}
		if !slices.Equal(first, again) {
			t.Errorf("%T is drawn as\n%s\nand then as\n%s", what, first, again)
		}
	}
}

// A page is the size of the last frame. The list does not scroll while the selection is on
// the screen.
func TestListScrolls(t *testing.T) {
	for _, c := range []struct{ keys, first, selected string }{
		{"", "item 0", "item 0"},
		{"pgdown", "item 0", "item 8"},
		{"pgdown down", "item 1", "item 9"},
		{"pgdown down up up", "item 1", "item 7"},
		{"pgdown pgdown pgup", "item 8", "item 8"},
		{"up", "item 31", "item 39"},
	} {
		var items []list.Item
		for i := range 40 {
			items = append(items, list.Item{Title: fmt.Sprint("item ", i)})
		}
		l := &List{List: list.New(items)}
		p := opened(l)
		p.press(strings.Fields(c.keys)...)
		rows, _ := l.Rows(p.width, p.height)
		it, _ := l.List.Selected()
		if got := uitest.Text(rows[2:3]); !strings.Contains(got, c.first+" ") || it.Title != c.selected {
			t.Errorf("%q: begins with %q, on %s", c.keys, got, it.Title)
		}
	}
}
