package editor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
	"parley/internal/intent"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// keyed presses a key of the default keymap.
func keyed(c *Editor, name string) bool {
	k := uitest.Press(name)
	return c.Key(k, intent.Default.Of(intent.Draft, k.Keystroke()))
}

// typed presses keys; a name in <> is a key, everything else is typed.
func typed(c *Editor, keys string) (last bool) {
	for keys != "" {
		if keys[0] == '<' {
			name, rest, _ := strings.Cut(keys[1:], ">")
			last, keys = keyed(c, name), rest
			continue
		}
		cl, _ := ansi.FirstGraphemeCluster(keys, ansi.GraphemeWidth)
		last, keys = keyed(c, cl), keys[len(cl):]
	}
	return last
}

// withCursor returns the value with a bar at the cursor.
func withCursor(c *Editor) string {
	head := c.text(place{}, c.at)
	return head + "|" + c.text(c.at, c.end())
}

func TestEditorKeys(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"abc<left><left>X", "aX|bc"},
		{"abc<home>X<end>Y", "XabcY|"},
		{"abc<ctrl+a>X<ctrl+e>Y", "XabcY|"},
		{"one two-three<ctrl+w>", "one |"},
		{"one two-three<alt+backspace>", "one two-|"},
		{"one two<ctrl+u>X", "X|"},
		{"one two<alt+b><ctrl+k>", "one |"},
		{"one two<alt+b><ctrl+k><ctrl+a><ctrl+y>", "two|one "},
		{"a b c<ctrl+w><ctrl+w><ctrl+y>", "a b c|"},
		{"a b c<home><alt+d><alt+d><ctrl+y>", "a b| c"},
		{"one two<alt+b><alt+b><alt+f>X", "oneX| two"},
		{"one two<ctrl+left>X<ctrl+right>Y", "one XtwoY|"},
		{"abc<backspace><backspace>", "a|"},
		{"abc<home><delete><ctrl+d>", "|c"},
		{"a<shift+enter>b<alt+enter>c<ctrl+j>d", "a\nb\nc\nd|"},
		{"a\\<enter>b", "a\nb|"},
		{"a<ctrl+j>b<backspace><backspace>", "a|"},
		{"a<ctrl+j>b<up><ctrl+k>", "a|b"},
		{"a<ctrl+j>b<left><left>X", "aX|\nb"},
		{"a<ctrl+j>b<up><end><right>X", "a\nX|b"},
		{"abcdef<ctrl+j>x<ctrl+j>abcdef<up>1<up>2", "ab2|cdef\nx1\nabcdef"},
		{"abcdef<ctrl+j>x<ctrl+j>abcdef<up><up>!", "abcdef!|\nx\nabcdef"},
		{"日本語<left><backspace>", "日|語"},
		{"👩‍👩‍👧x<left><left>y", "y|👩‍👩‍👧x"},
		{"👩‍👩‍👧<backspace>", "|"},
		{"über<alt+b>X", "X|über"},
	} {
		comp := New()
		typed(comp, c.keys)
		if got := withCursor(comp); got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestEditorUnusedKeys(t *testing.T) {
	for _, c := range []struct {
		before, key string
		want        bool
	}{
		{"abc", "enter", false}, {"abc\\", "enter", true}, {"abc", "up", false}, {"abc", "down", false},
		{"a<ctrl+j>b", "up", true}, {"a<ctrl+j>b<up>", "up", false}, {"a<ctrl+j>b", "down", false},
		{"", "ctrl+d", false}, {"a<home>", "ctrl+d", true}, {"", "left", false}, {"", "backspace", false}, {"a", "left", true},
		{"a", "esc", false}, {"a", "tab", false}, {"a", "ctrl+c", false}, {"a", "pgup", false}, {"", "?", true},
		{"a", "ctrl+b", false}, {"a", "alt+a", false},
	} {
		comp := New()
		typed(comp, c.before)
		if got := keyed(comp, c.key); got != c.want {
			t.Errorf("%q then %s: consumed %v, want %v", c.before, c.key, got, c.want)
		}
	}
}

func TestEditorInput(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\rc": "a\nb\nc", "\tx": "    x", "a\x00\x07b\x7f": "ab", "\x1b[31mred\x1b[m\n\x1b]0;t\x07x": "red\nx",
		"chip\U00100000\U0010FFFDs": "chips", "bad\xffutf": "badutf", "\uFFFD": "\uFFFD", "icon \U000F0001": "icon \U000F0001",
		"C1 \u0085\u009b": "C1 ",
	} {
		c := New()
		c.Insert(in)
		if got := c.Value(); got != want {
			t.Errorf("Insert(%q): %q, want %q", in, got, want)
		}
	}
}

func TestEditorChips(t *testing.T) {
	th := theme.Plain()
	text := strings.Repeat("\tline\r\n", 214)
	c := New()
	typed(c, "see ")
	c.InsertPaste(text)
	typed(c, "!")
	if got, want := ansi.Strip(c.Rows(EditorLook{Theme: th})[0]), "› see [pasted 214 lines]!"; got != want {
		t.Errorf("row %q, want %q", got, want)
	}
	if got, want := c.Value(), "see "+strings.Repeat("\tline\n", 214)+"!"; got != want {
		t.Errorf("value %.40q…, want %.40q…", got, want)
	}
	if x, y := c.Cursor(); x != 2+4+18+1 || y != 0 {
		t.Errorf("cursor at %d,%d", x, y)
	}
	typed(c, "<left><left>")
	if x, _ := c.Cursor(); x != 2+4 {
		t.Errorf("the chip is not one step: cursor at %d", x)
	}
	typed(c, "<right>")
	typed(c, "<backspace>")
	if got := c.Value(); got != "see !" {
		t.Errorf("after backspace %q", got)
	}
	c.InsertPaste(strings.Repeat("x", 2001))
	if got := ansi.Strip(c.Rows(EditorLook{Theme: th})[0]); got != "› see [pasted 2.0 kB]!" {
		t.Errorf("row %q", got)
	}
	typed(c, "<ctrl+u>")
	c.Reset()
	typed(c, "<ctrl+y>")
	typed(c, "z<ctrl+y>")
	if got := c.Value(); got != "z" && len(got) < 2001 {
		t.Errorf("a killed chip lost its text: %.30q", got)
	}
	c.Reset()
	c.InsertPaste("short\r\npaste")
	if got := c.Value(); got != "short\npaste" {
		t.Errorf("short paste %q", got)
	}
}

func TestEditorCompletion(t *testing.T) {
	c := New()
	c.InsertPaste(strings.Repeat("a\n", 11))
	typed(c, "look at @pars now<alt+b><left>")
	if got := c.BeforeCursor(); got != " look at @pars" {
		t.Errorf("before the cursor: %q", got)
	}
	c.ReplaceBefore(len("@pars"), "@parser/lex.go")
	if got, want := c.Value(), strings.Repeat("a\n", 11)+"look at @parser/lex.go now"; got != want {
		t.Errorf("value %q", got)
	}
}

func TestEditorView(t *testing.T) {
	c := New()
	var b strings.Builder
	show := func(name string) {
		for _, w := range []int{12, 40, 80, 120} {
			c.SetWidth(w)
			x, y := c.Cursor()
			fmt.Fprintf(&b, "== %s, %d wide: height %d, cursor %d,%d\n", name, w, c.Height(), x, y)
			rows := c.Rows(EditorLook{Theme: theme.Plain(), Placeholder: "Message claude, / for commands, @ for files"})
			uitest.CheckStyled(t, rows, w)
			for _, row := range rows {
				b.WriteString(ansi.Strip(row) + "\n")
			}
			if len(rows) != c.Height() {
				t.Errorf("%s: %d rows, height %d", name, len(rows), c.Height())
			}
		}
	}
	c.SetMaxRows(5)
	show("empty")
	c.SetValue("The quick brown fox jumps over the lazy dog, and 日本語のテキストも折り返す。 👩‍👩‍👧 end")
	show("prose")
	c.SetValue(strings.Repeat("line\n", 10) + "last")
	show("many lines")
	typed(c, "<up><up><up><up><up>")
	show("scrolled up")
	uitest.GoldenText(t, "editor.txt", b.String())
}

// The editor against a plain string: after any edits the value is the same, the rows contain the value, the incremental
// wrapping equals one made from scratch, and the cursor is on the cell of its byte.
func TestEditorAgainstModel(t *testing.T) {
	words := []string{"a", " ", "word", "  ", "\n", "日本", "é", "e\u0301", "👩‍👩‍👧", "\u0301", "🇩🇪", "🇫", "long-unbroken-token", "\t", "\n\n", "x y z "}
	keys := []string{"left", "right", "up", "down", "home", "end", "alt+b", "alt+f", "backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "ctrl+y", "alt+d", "ctrl+home", "ctrl+end", "ctrl+j"}
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		c := New()
		c.SetMaxRows(1 + rnd.IntN(6))
		c.SetWidth(5 + rnd.IntN(30))
		for step := range 150 {
			before, at := c.Value(), len(c.text(place{}, c.at))
			if rnd.IntN(3) > 0 {
				w := words[rnd.IntN(len(words))]
				c.Insert(w)
				w = strings.ReplaceAll(w, "\t", "    ")
				if got, want := c.Value(), before[:at]+w+before[at:]; got != want {
					t.Fatalf("seed %d step %d: insert %q at %d of %q: %q", seed, step, w, at, before, got)
				}
			} else {
				checkKey(t, c, keys[rnd.IntN(len(keys))])
			}
			if rnd.IntN(20) == 0 {
				c.SetWidth(5 + rnd.IntN(30))
			}
			checkEditor(t, c)
			if t.Failed() {
				t.Fatalf("seed %d step %d: %q", seed, step, c.Value())
			}
		}
	}
}

// checkKey presses a key and checks that it deleted at most one piece beside the cursor.
func checkKey(t *testing.T, c *Editor, name string) {
	t.Helper()
	before, at := c.Value(), len(c.text(place{}, c.at))
	keyed(c, name)
	after, now := c.Value(), len(c.text(place{}, c.at))
	switch name {
	case "backspace", "ctrl+w", "ctrl+u":
		if now > at || after != before[:now]+before[at:] && after != before {
			t.Errorf("%s at %d of %q left %q", name, at, before, after)
		}
	case "delete", "ctrl+k", "alt+d":
		if !strings.HasPrefix(after, before[:at]) || !strings.HasSuffix(before[at:], after[at:]) {
			t.Errorf("%s at %d of %q left %q", name, at, before, after)
		}
	case "ctrl+y", "ctrl+j":
		if !strings.HasPrefix(after, before[:at]) || !strings.HasSuffix(after, before[at:]) {
			t.Errorf("%s at %d of %q left %q", name, at, before, after)
		}
	default:
		if after != before {
			t.Errorf("%s changed %q to %q", name, before, after)
		}
	}
}

func checkEditor(t *testing.T, c *Editor) {
	t.Helper()
	rows := c.Rows(EditorLook{Theme: theme.Plain()})
	uitest.CheckStyled(t, rows, c.room+PromptWidth+1)
	if len(rows) != c.Height() || len(rows) > c.maxRows {
		t.Errorf("%d rows, height %d of %d", len(rows), c.Height(), c.maxRows)
	}
	var shown strings.Builder
	for i, l := range c.lines {
		if i > 0 {
			shown.WriteByte('\n')
		}
		l.wrap(&c.chips, c.room)
		for k := range l.starts {
			shown.Write(l.row(k))
		}
		fresh := inputLine{text: l.text}
		fresh.wrap(&c.chips, c.room)
		if !slices.Equal(fresh.starts, l.starts) {
			t.Errorf("wrapping of %q is %v, from scratch %v", l.text, l.starts, fresh.starts)
		}
	}
	if shown.String() != c.Value() {
		t.Errorf("rows hold %q, value %q", shown.String(), c.Value())
	}
	x, y := c.Cursor()
	if x < PromptWidth || x >= c.room+PromptWidth+1 || y < 0 || y >= len(rows) {
		t.Fatalf("cursor at %d,%d of %dx%d", x, y, c.room+PromptWidth+1, len(rows))
	}
	if c.Empty() {
		return
	}
	l := c.lines[c.at.line]
	head := string(l.text[l.starts[l.rowAt(c.at.off)]:c.at.off])
	row := ansi.Strip(rows[y])
	row = string([]rune(row)[PromptWidth:])
	if !strings.HasPrefix(row, head) || ansi.StringWidth(head) != x-PromptWidth {
		t.Errorf("cursor at %d of row %q, %q is before it", x, row, head)
	}
}

func benchmarkKey(b *testing.B, text string, keys ...string) {
	c := New()
	c.Insert(text)
	c.SetWidth(100)
	c.moveTo(c.end())
	th := theme.Dark()
	c.Rows(EditorLook{Theme: th})
	c.at.off /= 2
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		keyed(c, keys[i%len(keys)])
		c.Rows(EditorLook{Theme: th})
		c.Cursor()
	}
}

func BenchmarkEditorKey10B(b *testing.B) { benchmarkKey(b, "ten bytes.", "x", "backspace") }
func BenchmarkEditorKey1MBLine(b *testing.B) {
	benchmarkKey(b, strings.Repeat("word and word ", 1<<20/14), "x", "backspace")
}
func BenchmarkEditorKey1MBLines(b *testing.B) {
	benchmarkKey(b, strings.Repeat("a line of some forty characters or so.\n", 1<<20/39), "x", "backspace")
}
func BenchmarkEditorNewline1MBLine(b *testing.B) {
	benchmarkKey(b, strings.Repeat("word and word ", 1<<20/14), "ctrl+j", "backspace")
}
func BenchmarkEditorUp1MBWide(b *testing.B) {
	benchmarkKey(b, strings.Repeat("日本語のテキスト", 1<<20/24), "up", "x")
}

// Drawing does not scroll: only the text and the cursor decide what the window shows.
func TestDrawingDoesNotScroll(t *testing.T) {
	c := New()
	c.SetWidth(20)
	c.SetMaxRows(4)
	c.SetValue(strings.Repeat("a line\n", 12) + "the last")
	for _, key := range []string{"", "up", "up", "ctrl+home", "down", "enter"} {
		if key != "" {
			c.Key(uitest.Press(key), intent.Default.Of(intent.Draft, key))
		}
		before := c.top
		first := c.Rows(EditorLook{Theme: theme.Plain()})
		x, y := c.Cursor()
		if c.top != before {
			t.Errorf("after %q: drawing moved the window from %v to %v", key, before, c.top)
		}
		again := c.Rows(EditorLook{Theme: theme.Plain()})
		if x2, y2 := c.Cursor(); !slices.Equal(first, again) || x != x2 || y != y2 {
			t.Errorf("after %q: drawn again it is another picture:\n%q\n%q", key, first, again)
		}
	}
}

// In a terminal that adds up the widths of runes, the cursor is on the cell where it shows
// the text.
func TestCursorWithRuneWidths(t *testing.T) {
	glyphs.Measure(false)
	defer glyphs.Measure(true)
	const family = "👩\u200d👩\u200d👧"
	c := New()
	c.SetWidth(30)
	c.Insert("1" + family + "2")
	if x, _ := c.Cursor(); x != 2+8 {
		t.Errorf("the cursor is in column %d", x)
	}
	glyphs.Measure(true)
	if x, _ := c.Cursor(); x != 2+4 {
		t.Errorf("by clusters the cursor is in column %d", x)
	}
}

func TestClick(t *testing.T) {
	for _, c := range []struct {
		text   string
		x, y   int
		before string // the text before the cursor in its line
	}{
		{"", 5, 0, ""},
		{"hello", 0, 0, ""},
		{"hello", 2, 0, ""},
		{"hello", 4, 0, "he"},
		{"hello", 90, 0, "hello"},
		{"hello", 4, 9, "he"},
		{"日本語", 5, 0, "日"}, // the right half of a character
		{"one\ntwo", 3, 1, "t"},
		{"one two three four five", 4, 1, "one two three fo"},
		{"one two three four five", 90, 0, "one two three"},
		{"one two three four five", -3, -1, ""},
	} {
		k := New()
		k.SetWidth(18)
		k.Insert(c.text)
		k.Click(c.x, c.y)
		if got := k.BeforeCursor(); got != c.before {
			t.Errorf("%q, a click at %d,%d: the cursor is after %q, want %q", c.text, c.x, c.y, got, c.before)
		}
	}
	k := New()
	k.SetMaxRows(3)
	k.Insert(strings.Repeat("row\n", 10) + "last")
	k.Click(2, 0) // of a window that has scrolled
	k.Insert("X")
	if got, want := k.Value(), strings.Repeat("row\n", 8)+"Xrow\nrow\nlast"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
