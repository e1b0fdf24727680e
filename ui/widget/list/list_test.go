package list

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/tty"
	"parley/ui/theme"
	"parley/ui/uitest"
)

func commands() []Item {
	return []Item{
		{Title: "Stop the turn", Detail: "cancel what runs", Hint: "esc", Section: "Turn", Value: 1},
		{Title: "Next mode", Hint: "shift+tab", Section: "Turn", Value: 2},
		{Title: "Open session", Detail: "list, search, open", Hint: "ctrl+s", Section: "Sessions", Value: 3},
		{Title: "New session", Hint: "ctrl+n", Section: "Sessions", Value: 4},
		{Title: "ui/widget/composer.go", Detail: "file", Value: 5},
		{Title: "日本語のファイル.md", Detail: "wide", Value: 6},
	}
}

func titles(l *List) []string {
	var out []string
	for _, h := range l.shown {
		out = append(out, l.items[h.item].Title)
	}
	return out
}

func TestListFilter(t *testing.T) {
	l := New(commands())
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{"", []string{"Stop the turn", "Next mode", "Open session", "New session", "ui/widget/composer.go", "日本語のファイル.md"}},
		{"session", []string{"New session", "Open session"}},
		{"NE", []string{"Next mode", "New session", "Open session"}},
		{"sess new", []string{"New session"}},
		{"comp", []string{"ui/widget/composer.go"}},
		{"uwc", []string{"ui/widget/composer.go"}},
		{"cancel", []string{"Stop the turn"}},
		{"ファ", []string{"日本語のファイル.md"}},
		{"zzz", nil},
	} {
		l.SetFilter(c.filter)
		if got := titles(l); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.filter, got, c.want)
		}
	}
}

// Letters scattered over a detail, such as the path of a command, are no match. In it, too, starts of
// words come first.
func TestListDetails(t *testing.T) {
	l := New([]Item{
		{Title: "claude", Detail: "node /elsewhere/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"},
		{Title: "inside", Detail: "/opt/cogemini --acp"},
		{Title: "mine", Detail: "/opt/gemini --acp"},
		{Title: "gemini", Detail: "gemini --acp"},
	})
	for filter, want := range map[string][]string{
		"gemini":     {"gemini", "mine", "inside"},
		"gem acp":    {"gemini", "mine", "inside"},
		"node cld":   {"claude"},
		"nodemod":    nil,
		"@agentc":    {"claude"},
		"opt gemini": {"mine", "inside"},
	} {
		l.SetFilter(filter)
		if got := titles(l); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", filter, got, want)
		}
	}
}

// Better kinds of match come first: the start, the start of a word, inside, scattered.
func TestListOrder(t *testing.T) {
	var items []Item
	for _, s := range []string{"s-t-o-p-x", "nonstop", "full stop", "stop it"} {
		items = append(items, Item{Title: s})
	}
	l := New(items)
	l.SetFilter("stop")
	if got, want := titles(l), []string{"stop it", "full stop", "nonstop", "s-t-o-p-x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListKeys(t *testing.T) {
	l := New(commands())
	l.Rows(40, 4, theme.Plain())
	for _, c := range []struct {
		key  string
		want any
	}{
		{"down", 2}, {"down", 3}, {"up", 2}, {"up", 1}, {"up", 6}, {"down", 1}, {"pgdown", 4}, {"end", 6}, {"home", 1},
		{"o", 3}, {"p", 3}, {"backspace", 3}, {"ctrl+u", 1},
	} {
		if !l.Key(uitest.Press(c.key)) {
			t.Errorf("%s was not taken", c.key)
		}
		if it, _ := l.Selected(); it.Value != c.want {
			t.Errorf("after %s: %v (%s), want %v", c.key, it.Value, it.Title, c.want)
		}
	}
	for _, key := range []string{"enter", "esc", "tab", "backspace", "ctrl+g"} {
		if l.Key(uitest.Press(key)) {
			t.Errorf("%s was taken", key)
		}
	}
	l.SetFilter("zzz")
	if _, ok := l.Selected(); ok {
		t.Error("an empty list has a selection")
	}
	l.SetFilter("")
	l.Select(3)
	l.SetItems(commands()[2:])
	if it, _ := l.Selected(); it.Value != 4 {
		t.Errorf("new items lost the selection: %v", it.Value)
	}
}

func TestListGolden(t *testing.T) {
	var b strings.Builder
	for _, w := range []int{16, 40, 80, 120} {
		for _, step := range []string{"", "end", "o"} {
			l := New(commands())
			if step != "" {
				l.Key(uitest.Press(step))
			}
			rows := append([]string{l.FilterRow(w, "Type to filter", theme.Plain())}, l.Rows(w, 5, theme.Plain())...)
			uitest.CheckStyled(t, rows, w)
			uitest.CheckStyled(t, l.Rows(w, 5, theme.Dark()), w)
			if len(rows) > 6 {
				t.Errorf("%d rows", len(rows))
			}
			fmt.Fprintf(&b, "== %d wide, key %q\n%s\n", w, step, strings.TrimRight(ansi.Strip(strings.Join(rows, "\n")), " "))
		}
	}
	uitest.GoldenText(t, "list.txt", b.String())
}

// The selection is always drawn, at any height and after any keys.
func TestListShowsSelection(t *testing.T) {
	for height := 1; height < 9; height++ {
		l := New(commands())
		for key := range strings.FieldsSeq("down down down down up up down down down up end home pgdown pgdown pgup up up") {
			l.Key(uitest.Press(key))
			rows := l.Rows(60, height, theme.Plain())
			it, _ := l.Selected()
			if !slices.ContainsFunc(rows, func(r string) bool { return strings.HasPrefix(ansi.Strip(r), "› "+it.Title) }) {
				t.Fatalf("height %d after %s: %q not in %q", height, key, it.Title, rows)
			}
		}
	}
}

func BenchmarkListFilter50k(b *testing.B) {
	var items []Item
	for i := range 50_000 {
		items = append(items, Item{Title: fmt.Sprintf("internal/package%d/some/file_%d.go", i%300, i)})
	}
	l, th := New(items), theme.Dark()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.SetFilter([]string{"file", "pkg9", "isf12.go"}[i%3])
		_ = l.Rows(80, 10, th)
	}
}

// Setting the same items again does not scroll the list.
func TestListStaysScrolled(t *testing.T) {
	var items []Item
	for i := range 30 {
		items = append(items, Item{Title: fmt.Sprintf("item %02d", i)})
	}
	th := theme.For("plain", tty.Colours{Dark: true})
	l := New(items)
	l.Select(20)
	want := l.Rows(20, 8, th)
	l.SetItems(items)
	if got := l.Rows(20, 8, th); !slices.Equal(got, want) {
		t.Errorf("shows %q, then %q", want, got)
	}
	l.Move(-1)
	l.Rows(20, 8, th)
	l.SetItems(items)
	if got := l.Rows(20, 8, th); !strings.Contains(got[0], "item 13") {
		t.Errorf("one item up it begins with %q", got[0])
	}
}

// Line breaks in pasted text become spaces.
func TestListFilterIsOneLine(t *testing.T) {
	for _, pasted := range []string{"a\nb", "a\rb", "a\r\nb"} {
		l := New(nil)
		if l.SetFilter(pasted); l.Filter() != "a b" {
			t.Errorf("%q became %q", pasted, l.Filter())
		}
	}
}

// A path that is too long shows its end, with the matches there.
func TestListPaths(t *testing.T) {
	l := New([]Item{{Title: "first"}, {Title: "internal/workspace/prompts.go", Path: true, Marks: []int{0, 19, 20}}})
	row := l.Rows(18, 2, theme.Dark())[1]
	if got, want := ansi.Strip(row), "  …pace/prompts.go"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if marked := theme.Dark().Match.Paint("pr"); !strings.Contains(row, marked) {
		t.Errorf("what matched is not marked: %q", row)
	}
	if got := ansi.Strip(l.Rows(40, 2, theme.Dark())[1]); got != "  internal/workspace/prompts.go" {
		t.Errorf("with more room: %q", got)
	}
}

// More counts the items that Draw leaves out, without the headings.
func TestListMore(t *testing.T) {
	l := New(commands())
	l.Shown(4)
	for _, c := range []struct {
		key    string
		height int
		want   string
	}{
		{"home", 4, "↓ 4 more"}, {"end", 4, "↑ 2 more"}, {"up", 3, "↑ 2 ↓ 1 more"}, {"home", 8, ""}, {"down", 2, "↓ 4 more"},
	} {
		l.Key(uitest.Press(c.key))
		l.Shown(c.height)
		if got := l.More(c.height); got != c.want {
			t.Errorf("%s, %d rows: %q, want %q:\n%s", c.key, c.height, got, c.want, uitest.Text(l.Draw(40, c.height, theme.Plain())))
		}
	}
}

// While a filter hides the headings, an item without a hint says its section.
func TestListFilteredSections(t *testing.T) {
	l := New([]Item{{Title: "goose", Section: "not installed"}, {Title: "gemini", Hint: "on PATH", Section: "found"}})
	l.SetFilter("g")
	rows := uitest.Text(l.Draw(40, 4, theme.Plain()))
	if !strings.Contains(rows, "not installed") || strings.Contains(rows, "found") {
		t.Errorf("it shows\n%s", rows)
	}
}
