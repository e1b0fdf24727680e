package form

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/theme"
	"parley/ui/uitest"
)

func minLength(n int) func(Value) error {
	return func(v Value) error {
		if len(v.Text) > 0 && len(v.Text) < n {
			return fmt.Errorf("at least %d characters, now %d", n, len(v.Text))
		}
		return nil
	}
}

// survey is a form with a field of each kind.
func survey() []Field {
	return []Field{
		{Label: "Name", Help: "As it should stand in the commits.\nTwo words or more; what you write here is sent to the agent as it is.", Required: true, Check: minLength(3)},
		{Label: "Retries", Kind: FormNumber, Value: Value{Text: "3"}, Check: func(v Value) error {
			if strings.Contains(v.Text, ".") {
				return errors.New("must be a whole number")
			}
			return nil
		}},
		{Label: "Run the tests", Kind: FormBool, Value: Value{On: true}, Help: "After each change."},
		{Label: "Colour", Kind: FormSelect, Options: []FormOption{{"Red", "The colour Red"}, {"Green", ""}, {"Blue", "A long word about the colour blue, longer than most rows are"}}},
		{Label: "Parts 部品", Kind: FormMulti, Required: true, Options: []FormOption{
			{"parser", ""}, {"printer", "writes"}, {"a\x1b[31mb", ""}, {"four", ""}, {"five", ""}, {"six", ""}, {"seven", ""}, {"eight", ""}}, Value: Value{Chosen: []int{1, 99}}},
		{Label: "Token", Warning: "this looks like a secret: forms must not ask for one"},
	}
}

// formKeys presses keys as typed does, and draws the form after each.
func formKeys(t *testing.T, f *Form, keys string) (last bool) {
	t.Helper()
	draw := func() {
		rows, _, _ := shown(f, 60, 12, theme.Plain())
		uitest.CheckStyled(t, rows, 60)
	}
	draw()
	for keys != "" {
		name, rest := "", ""
		if keys[0] == '<' {
			name, rest, _ = strings.Cut(keys[1:], ">")
		} else {
			name, _ = ansi.FirstGraphemeCluster(keys, ansi.GraphemeWidth)
			rest = keys[len(name):]
		}
		k := uitest.Press(name)
		if name == "space" {
			k.Code, k.Text = ' ', " "
		}
		last, keys = f.Key(k), rest
		draw()
	}
	return last
}

func screen(f *Form, width, height int, th *theme.Theme) string {
	rows, x, y := shown(f, width, height, th)
	if y >= 0 && y < len(rows) {
		row := ansi.Strip(rows[y])
		row += strings.Repeat(" ", max(x+1-text.Width(row), 0))
		rows[y] = text.Cut(row, 0, x) + "█" + text.Cut(row, x+1, text.MaxCells)
	}
	return strings.TrimRight(ansi.Strip(strings.Join(rows, "\n")), " \n") + "\n"
}

func TestFormGolden(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		var b strings.Builder
		for _, s := range []struct {
			name, keys string
			height     int
		}{
			{"fresh", "", 50},
			{"the first field left without an answer", "<tab>", 50},
			{"short answer, half a number", "ab<tab><backspace>1.5<tab>", 16},
			{"a choice", "Ada<tab><tab><tab><right><left><left>", 50},
			{"chosen by arrows and enter", "Ada<tab><tab><tab><down><down><enter>", 20},
			{"its options, narrowed", "Ada<tab><tab><tab>gre", 20},
			{"many options", "Ada<tab><tab><tab><tab><down><down><space><down><down><down><down><down><space>", 24},
			{"the ways out", "Ada Lovelace<shift+tab><right>", 50},
			{"a low window", "Ada<tab><tab><tab><tab>", 6},
			{"one row", "Ada", 1},
		} {
			f := New(survey(), intent.Default)
			formKeys(t, f, s.keys)
			rows, _, _ := shown(f, width, s.height, theme.Dark())
			uitest.CheckStyled(t, rows, width)
			if len(rows) > s.height {
				t.Errorf("%s: %d rows", s.name, len(rows))
			}
			fmt.Fprintf(&b, "== %s, %d rows\n%s", s.name, s.height, screen(f, width, s.height, theme.Dark()))
		}
		uitest.GoldenText(t, fmt.Sprintf("form_%d.txt", width), b.String())
	}
}

// Case 135: an unchanged form sends the defaults of its fields.
func TestFormDefaults(t *testing.T) {
	fields := survey()
	fields[0].Value.Text = "Ada\x1b[31m L\x07"
	f := New(fields, intent.Default)
	want := []Value{{Text: "Ada L"}, {Text: "3"}, {On: true}, {}, {Chosen: []int{1}}, {}}
	if got := f.Values(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestFormFilledIn(t *testing.T) {
	f := New(survey(), intent.Default)
	formKeys(t, f, "Ada<enter><backspace> 12 <enter><space><enter>bl<enter><space><down><space><down><space><tab>x<shift+enter>y")
	if f.Choice() != FormOpen {
		t.Fatal("sent before the end")
	}
	want := []Value{{Text: "Ada"}, {Text: "12"}, {}, {Chosen: []int{2}}, {Chosen: []int{0, 2}}, {Text: "x\ny"}}
	if got := f.Values(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	formKeys(t, f, "<enter>")
	if f.Choice() != FormSend {
		t.Error("enter on the last field did not send")
	}
	if f.Key(uitest.Press("x")) || f.Key(uitest.Press("esc")) || f.Choice() != FormSend {
		t.Error("a form that was left takes keys")
	}
}

// Case 135: sending stops at the first invalid field.
func TestFormFocusesInvalidField(t *testing.T) {
	for _, c := range []struct {
		keys  string
		focus int
		row   string // the row that says why; "" for none
	}{
		{"<ctrl+s>", 0, "✗ enter a value"},
		{"ab<shift+tab><enter>", 0, "✗ at least 3 characters, now 2"},
		{"Ada<tab>.<ctrl+s>", 1, "✗ must be a whole number"},
		{"Ada<tab><tab><tab><tab><down><space><ctrl+s>", 4, "✗ enter a value"},
		{"Ada<tab>.5<tab><shift+tab><backspace><backspace>", 1, ""},
		{"<tab><shift+tab>A", 0, ""},
		{"<up>", 0, ""},
	} {
		f := New(survey(), intent.Default)
		formKeys(t, f, c.keys)
		got := screen(f, 60, 60, theme.Plain())
		if f.Choice() != FormOpen || f.focus != c.focus || c.row != "" && !strings.Contains(got, c.row) || c.row == "" && strings.Contains(got, "✗") {
			t.Errorf("%s: choice %d, field %d\n%s", c.keys, f.Choice(), f.focus, got)
		}
	}
}

// A form cannot be sent before all of it was on the screen.
func TestFormMustBeSeen(t *testing.T) {
	fields := survey()
	fields[0].Value.Text = "Ada"
	f := New(fields, intent.Default)
	shown(f, 60, 8, theme.Plain())
	f.Key(uitest.Press("ctrl+s"))
	if f.choice == FormSend || f.focus == 0 {
		t.Fatalf("sent %v, field %d", f.choice == FormSend, f.focus)
	}
	for range len(fields) {
		shown(f, 60, 8, theme.Plain())
		f.Key(uitest.Press("ctrl+s"))
	}
	if f.choice != FormSend {
		t.Errorf("not sent, field %d", f.focus)
	}
}

// Case 136: how a form can be left.
func TestFormLeaving(t *testing.T) {
	for _, c := range []struct {
		keys string
		want Choice
	}{
		{"<esc>", FormCancel},
		{"Ada<esc>", FormCancel},
		{"<shift+tab><right><enter>", FormDecline},
		{"<shift+tab><right><right><right><enter>", FormCancel},
		{"<shift+tab><right><left><left><enter>", FormOpen}, // Send, but a name is missing
		{"Ada<shift+tab><enter>", FormSend},
		{"Ada<ctrl+s>", FormSend},
		{"Ada<shift+tab><space>x", FormOpen},
		{"<tab><tab><tab>gre<esc>", FormOpen}, // only closes the list
		{"<tab><tab><tab>gre<esc><esc>", FormCancel},
	} {
		fields := survey()
		f := New(fields, intent.Default)
		shown(f, 60, 60, theme.Plain())
		formKeys(t, f, c.keys)
		if got := f.Choice(); got != c.want {
			t.Errorf("%s: got %d, want %d", c.keys, got, c.want)
		}
	}
	f := New(nil, intent.Default)
	if got := screen(f, 40, 5, theme.Plain()); got != "▸ Send · Decline · Cancel     enter send\n" {
		t.Errorf("a form without fields: %q", got)
	}
	if formKeys(t, f, "<enter>"); f.choice != FormSend {
		t.Error("a form without fields is not sent")
	}
}

func TestFormChoices(t *testing.T) {
	for _, c := range []struct {
		required bool
		keys     string
		want     []int
	}{
		{false, "<right>", []int{0}},
		{false, "<right><right><right><right>", nil},
		{false, "<left>", []int{2}},
		{false, "<right><left>", nil},
		{false, "<right><backspace>", nil},
		{true, "<right><right><right><right>", []int{0}},
		{true, "<left>", []int{2}},
		{true, "<right><backspace>", []int{0}},
		{false, "<enter>", []int{0}},
		{false, "<down><enter>", []int{1}},
		{false, "<down><space>", []int{1}},
		{false, "<down><down><up><enter>", []int{1}},
		{false, "<down><tab>", nil},
		{false, "<right><right><down><tab>", []int{1}},
		{false, "<right><right><enter>", []int{1}},
		{false, "b<enter>", []int{2}},
		{false, "zzz<enter><esc>", nil},
		{false, "b<backspace><enter>", []int{0}},
	} {
		d := survey()[3]
		d.Required = c.required
		f := New([]Field{d}, intent.Default)
		formKeys(t, f, c.keys)
		if got := f.Values()[0].Chosen; !reflect.DeepEqual(got, c.want) {
			t.Errorf("required %v, %s: %v, want %v", c.required, c.keys, got, c.want)
		}
	}
}

func TestFormPaste(t *testing.T) {
	f := New([]Field{{Label: "a"}, {Label: "b", OneLine: true}, {Label: "c", Kind: FormNumber}, survey()[2], survey()[3]}, intent.Default)
	paste := func(s string) {
		f.Paste(s)
		formKeys(t, f, "<tab>")
	}
	paste("one\r\ntwo\x1b[2J\x07")
	paste("\nada@example.org\r\nx\n")
	paste(" 7\n")
	paste("not for a tick")
	formKeys(t, f, "<space>")
	f.Paste("gre")
	formKeys(t, f, "<enter>")
	want := []Value{{Text: "one\ntwo"}, {Text: "ada@example.org x"}, {Text: "7"}, {On: true}, {Chosen: []int{1}}}
	if got := f.Values(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, name := range []string{"shift+enter", "ctrl+j"} {
		f := New([]Field{{Label: "b", OneLine: true}}, intent.Default)
		if formKeys(t, f, "x<"+name+">y"); f.Values()[0].Text != "xy" {
			t.Errorf("%s: got %q", name, f.Values()[0].Text)
		}
	}
}

// The form does not handle keys of the program.
func TestFormUnusedKeys(t *testing.T) {
	f := New(survey(), intent.Default)
	for _, keys := range []string{"<ctrl+c>", "<ctrl+q>", "<tab><tab>x", "<tab><space><ctrl+c>", "<tab>x", "<tab><tab>x"} {
		if formKeys(t, f, keys) {
			t.Errorf("%s was taken", keys)
		}
	}
}

// Options are on the screen at once, and enter sends a choice only after it was shown as
// chosen.
func TestFormShowsChoices(t *testing.T) {
	f := New([]Field{survey()[3]}, intent.Default)
	got := screen(f, 60, 20, theme.Plain())
	for _, want := range []string{"› ( ) Red", "  ( ) Green", "  ( ) Blue"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	formKeys(t, f, "<down><enter>")
	if got = screen(f, 60, 20, theme.Plain()); !strings.Contains(got, "(•) Green") || f.Choice() != FormOpen {
		t.Errorf("left by %d\n%s", f.Choice(), got)
	}
	if formKeys(t, f, "<enter>"); f.choice != FormSend {
		t.Error("the second enter does not send")
	}
}

// Up and down reach all fields, options and buttons.
func TestFormWalk(t *testing.T) {
	f := New(survey(), intent.Default)
	var down, up []string
	at := func() string {
		return fmt.Sprint(f.focus, ".", func() int {
			if ff := f.focused(); ff != nil {
				return ff.cursor
			}
			return 0
		}())
	}
	for i := 0; i < 40 && f.focus < len(f.fields); i++ {
		down = append(down, at())
		formKeys(t, f, "<down>")
	}
	if len(down) != 4+3+8 {
		t.Fatalf("walked down %q", down)
	}
	for i := 0; i < 40 && (i == 0 || f.focus > 0); i++ {
		formKeys(t, f, "<up>")
		up = append([]string{at()}, up...)
	}
	if !reflect.DeepEqual(down, up) {
		t.Errorf("down %q\nup   %q", down, up)
	}
}

// Help that is higher than the window can be scrolled.
func TestFormScrollsLongHelp(t *testing.T) {
	var help []string
	for i := range 40 {
		help = append(help, fmt.Sprintf("line %d.", i))
	}
	f := New([]Field{{Label: "a", Help: strings.Join(help, "\n")}, {Label: "b"}}, intent.Default)
	seen := ""
	for range 10 {
		got := screen(f, 40, 10, theme.Plain())
		seen += got
		formKeys10(f, "pgdown")
	}
	for _, l := range help {
		if !strings.Contains(seen, l) {
			t.Errorf("%q was never shown", l)
		}
	}
	f.Key(uitest.Press("x"))
	if got := screen(f, 40, 10, theme.Plain()); !strings.Contains(got, "› x█") {
		t.Errorf("typing does not come back to the text:\n%s", got)
	}
}

func formKeys10(f *Form, name string) {
	f.Key(uitest.Press(name))
	shown(f, 40, 10, theme.Plain())
}

// At any size the rows fit and the cursor is on them.
func TestFormSizes(t *testing.T) {
	fields := survey()
	fields[0].Value.Text = strings.Repeat("日本語 text ", 30)
	for width := range 50 {
		for height := range 14 {
			f := New(fields, intent.Default)
			for range len(fields) + 2 {
				rows, x, y := shown(f, width, height, theme.Dark())
				uitest.CheckStyled(t, rows, width)
				if len(rows) > height || (x < 0) != (y < 0) || y >= len(rows) || x >= width && x >= 0 {
					t.Fatalf("%dx%d: %d rows, cursor %d,%d", width, height, len(rows), x, y)
				}
				f.Key(uitest.Press("tab"))
				if f.focus == 3 {
					f.Key(uitest.Press("x"))
				}
			}
		}
	}
}

func BenchmarkFormRows(b *testing.B) {
	var fields []Field
	for len(fields) < 200 {
		fields = append(fields, survey()...)
	}
	f := New(fields, intent.Default)
	th := theme.Dark()
	b.ReportAllocs()
	for b.Loop() {
		shown(f, 80, 24, th)
	}
}

// shown draws a form and tells it that it is on the screen.
func shown(f *Form, width, height int, th *theme.Theme) (rows []string, x, y int) {
	rows, x, y = f.Rows(width, height, th)
	f.Shown(width, height, th)
	return rows, x, y
}

// Drawing a form does not count as showing it: it cannot be sent, and looks the same again.
func TestFormDrawingChangesNothing(t *testing.T) {
	f := New([]Field{{Label: "One"}, {Label: "Two", Kind: FormMulti, Options: make([]FormOption, 20)}, {Label: "Three"}}, nil)
	first, _, _ := f.Rows(40, 5, theme.Plain())
	if again, _, _ := f.Rows(40, 5, theme.Plain()); strings.Join(again, "\n") != strings.Join(first, "\n") {
		t.Errorf("drawn again:\n%s", strings.Join(again, "\n"))
	}
	f.Rows(40, 60, theme.Plain())
	if f.submit(); f.choice == FormSend {
		t.Error("sent, although it was not on the screen")
	}
	shown(f, 40, 60, theme.Plain())
	if f.submit(); f.choice != FormSend {
		t.Error("Not sent")
	}
}
