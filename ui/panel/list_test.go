package panel

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/uitest"
	"parley/ui/widget"
)

// A second press counts only for the key and the thing that were asked about,
// and only when nothing came in between.
func TestListSure(t *testing.T) {
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
		l := &List{List: widget.NewList([]widget.Item{{Title: "a", Value: "a"}, {Title: "b", Value: "b"}})}
		p := opened(l)
		sure := func(what intent.Intent) func(widget.Item) tea.Cmd {
			return func(it widget.Item) tea.Cmd {
				if name := it.Value.(string); l.Sure(what, name, "really "+name+"?") {
					done = append(done, intent.Default.Label(intent.List, what)+" "+name)
				}
				return nil
			}
		}
		l.Keys = map[intent.Intent]func(widget.Item) tea.Cmd{intent.DeleteEntry: sure(intent.DeleteEntry), intent.CloseEntry: sure(intent.CloseEntry)}
		for k := range strings.FieldsSeq(c.keys) {
			p.press(k)
		}
		if got := strings.Join(done, "|"); got != c.done || l.Note != c.note {
			t.Errorf("%s: did %q, note %q", c.keys, got, l.Note)
		}
	}
}

// A list that comes anew keeps the cursor on the same thing, whatever it is
// called, and a filter.
func TestListRefresh(t *testing.T) {
	items := func(ids ...string) (out []widget.Item) {
		for _, id := range ids {
			out = append(out, widget.Item{Title: "same", Detail: id, Value: id})
		}
		return out
	}
	same := func(a, b any) bool { return a == b }
	var ids string
	l := &List{List: widget.NewList(items("a", "b", "c")), Same: same, Items: func() []widget.Item { return items(strings.Fields(ids)...) }}
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

// However small, the box keeps to its size, its cursor is inside, and a note is
// to be read where there is room.
func TestListRows(t *testing.T) {
	note := `delete "` + strings.Repeat("long ", 8) + `…" for good? ctrl+d again does`
	for _, n := range []int{0, 1, 50} {
		var items []widget.Item
		for range n {
			items = append(items, widget.Item{Title: "an item", Detail: "漢字", Hint: "hint", Section: "section"})
		}
		for width := 4; width < 100; width += 5 {
			for height := 4; height < 30; height += 3 {
				l := &List{Title: "things", Foot: "enter · esc", Note: note, Empty: "nothing to choose from here", List: widget.NewList(items)}
				opened(l)
				rows, cursor := l.Rows(width, height)
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

// A list that opened by itself takes no key before it has been quiet for a while; from the
// first one that it takes it has them all.
func TestListThatWasNotAskedFor(t *testing.T) {
	chosen := ""
	l := &List{List: widget.NewList([]widget.Item{{Title: "a"}, {Title: "b"}}), Choose: func(it widget.Item) tea.Cmd { chosen = it.Title; return nil }}
	p := opened(l)
	l.Unasked, p.typed = p.now, p.now.Add(200*time.Millisecond)
	for _, ms := range []int{0, 500, 700} {
		p.now = l.Unasked.Add(time.Duration(ms) * time.Millisecond)
		if p.press("enter") || chosen != "" {
			t.Fatalf("after %d ms: it took a key", ms)
		}
	}
	if _, taken := l.Paste("b"); taken {
		t.Error("it took a paste")
	}
	p.now = p.now.Add(layer.Quiet)
	p.press("down")
	p.typed = p.now
	if p.press("enter"); chosen != "b" || p.open != nil {
		t.Errorf("chose %q", chosen)
	}

	l.Unasked, p.open = p.now, l
	if p.press("esc"); p.open != nil {
		t.Error("esc does not close it at once")
	}
}

// A step of a choice has the keys; it goes back to the list, or closes it.
func TestListWithStep(t *testing.T) {
	l := &List{List: widget.NewList([]widget.Item{{Title: "a"}})}
	p := opened(l)
	s := &step{}
	for _, c := range []struct {
		after After
		step  bool
		open  bool
	}{{Stay, true, true}, {Back, false, true}, {Close, true, false}} {
		l.Step, s.after, p.open = s, c.after, l
		p.press("x")
		if (l.Step != nil) != c.step || (p.open != nil) != c.open {
			t.Errorf("%d: step %v, open %v", c.after, l.Step, p.open)
		}
	}
	if l.Paste("text"); s.pasted != "text" || l.List.Filter() != "" {
		t.Errorf("pasted %q", s.pasted)
	}
}

type step struct {
	after  After
	pasted string
}

func (s *step) Key(tea.KeyPressMsg) (tea.Cmd, After)  { return nil, s.after }
func (s *step) Paste(text string)                     { s.pasted = text }
func (s *step) Rows(int, int) ([]string, *tea.Cursor) { return []string{"step"}, nil }

// Drawing a panel changes nothing in it.
func TestDrawingChangesNothing(t *testing.T) {
	var items []widget.Item
	for i := range 40 {
		items = append(items, widget.Item{Title: fmt.Sprint("item ", i), Detail: "detail", Section: fmt.Sprint(i / 7)})
	}
	l := &List{List: widget.NewList(items), Note: "a note"}
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

// A list scrolls by what the last frame had room for, and stays where it is while the
// selection can be seen.
func TestListScrolls(t *testing.T) {
	for _, c := range []struct{ keys, first, selected string }{
		{"", "item 0", "item 0"},
		{"pgdown", "item 0", "item 8"},
		{"pgdown down", "item 1", "item 9"},
		{"pgdown down up up", "item 1", "item 7"},
		{"pgdown pgdown pgup", "item 8", "item 8"},
		{"up", "item 31", "item 39"},
	} {
		var items []widget.Item
		for i := range 40 {
			items = append(items, widget.Item{Title: fmt.Sprint("item ", i)})
		}
		l := &List{List: widget.NewList(items)}
		p := opened(l)
		p.press(strings.Fields(c.keys)...)
		rows, _ := l.Rows(p.width, p.height)
		it, _ := l.List.Selected()
		if got := uitest.Text(rows[2:3]); !strings.Contains(got, c.first+" ") || it.Title != c.selected {
			t.Errorf("%q: begins with %q, on %s", c.keys, got, it.Title)
		}
	}
}
