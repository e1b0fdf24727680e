package theme

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/internal/tty"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// eachInk calls f with every ink of a theme and its name.
func eachInk(th *Theme, f func(name string, ink Ink)) {
	v := reflect.ValueOf(*th)
	for i := range v.NumField() {
		if ink, ok := v.Field(i).Interface().(Ink); ok {
			f(v.Type().Field(i).Name, ink)
		}
	}
}

func TestPlainHasNoColour(t *testing.T) {
	eachInk(Plain(), func(name string, ink Ink) {
		if s := ink.Spec(); s.Fg != nil || s.Bg != nil {
			t.Errorf("%s has a colour", name)
		}
	})
}

func TestANSIUsesSixteenColours(t *testing.T) {
	eachInk(ANSI(), func(name string, ink Ink) {
		if strings.Contains(ink.On(), "38;") || strings.Contains(ink.On(), "48;") {
			t.Errorf("%s writes %q", name, ink.On())
		}
	})
}

// Without colour, and in sixteen of them, what has to be told apart is told
// apart by attributes.
func TestMeaningWithoutColour(t *testing.T) {
	for _, th := range []*Theme{Plain(), ANSI()} {
		for name, ink := range map[string]Ink{"Selected": th.Selected, "Match": th.Match, "DiffAddWord": th.DiffAddWord, "DiffDelWord": th.DiffDelWord} {
			if s := ink.Spec(); !s.Reverse && !s.Underline {
				t.Errorf("%s: %s looks like text", th.Name, name)
			}
		}
	}
	if Plain().Key.On() == Plain().Dim.On() || Plain().Dim.On() == "" {
		t.Error("plain: keys look like what is quiet")
	}
}

// Inks that differ by colour in one theme differ in every other theme with colours.
func TestInksDiffer(t *testing.T) {
	for _, name := range Names() {
		th := For(name, tty.Colours{Dark: true})
		if th.NoColor {
			continue
		}
		inks := []Ink{th.Good, th.Warn, th.Bad, th.Accent, th.Text}
		for i, a := range inks {
			for _, b := range inks[:i] {
				if a.On() == b.On() {
					t.Errorf("%s: two of good, warn, bad, accent and text are %q", th.Name, a.On())
				}
			}
		}
		if th.DiffAdd.On() == th.DiffDel.On() || th.DiffAddWord.On() == th.DiffDelWord.On() || th.Border.On() == th.BorderFocus.On() {
			t.Errorf("%s: two inks that must differ do not", th.Name)
		}
	}
}

// Nothing is faint in a theme of high contrast.
func TestContrastThemesAreNeverFaint(t *testing.T) {
	for _, th := range []*Theme{ContrastDark(), ContrastLight()} {
		eachInk(th, func(name string, ink Ink) {
			if ink.Spec().Faint {
				t.Errorf("%s: %s is faint", th.Name, name)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	dark, light := tty.Colours{Dark: true}, tty.Colours{}
	sixteen, none := tty.Colours{Dark: true, Depth: colorprofile.ANSI}, tty.Colours{Dark: true, Depth: colorprofile.NoTTY}
	for _, c := range []struct {
		name string
		on   tty.Colours
		want string
	}{
		{"auto", dark, "dark"}, {"auto", light, "light"}, {"", dark, "dark"}, {"auto", sixteen, "ansi"}, {"auto", none, "plain"},
		{"light", dark, "light"}, {"dark", light, "dark"}, {"ansi", light, "ansi"}, {"dark", sixteen, "ansi"}, {"plain", sixteen, "plain"},
		{"contrast-dark", light, "contrast-dark"}, {"contrast-light", dark, "contrast-light"},
		{"dark", none, "plain"}, {"contrast-light", none, "plain"}, {"plain", dark, "plain"}, {"nonsense", light, "light"},
	} {
		if got := Resolve(c.name, c.on); got != c.want {
			t.Errorf("Resolve(%q, %+v) = %s, want %s", c.name, c.on, got, c.want)
		}
		if got := For(c.name, c.on).Name; got != c.want {
			t.Errorf("For(%q, %+v) is %s, want %s", c.name, c.on, got, c.want)
		}
	}
	if got := For("auto", tty.Colours{Dark: true, NoColor: true}).Name; got != "plain" {
		t.Errorf("without colours: %s", got)
	}
	for _, name := range Names() {
		if th := For(name, dark); !Known(name) || name != "auto" && th.Name != name {
			t.Errorf("%s is %s", name, th.Name)
		}
	}
	if len(made) != len(names)-1 || Known("") || Known("pink") || !slices.Contains(Names(), "auto") {
		t.Error("the names are not those of the themes")
	}
}

func TestPaint(t *testing.T) {
	ink := NewInk(Spec{Fg: ansi.Red, Bold: true})
	if got := ink.Paint("x"); got != "\x1b[1;31mx\x1b[m" {
		t.Errorf("Paint = %q", got)
	}
	if got := ink.Paint(""); got != "" {
		t.Errorf("Paint of nothing = %q", got)
	}
	if got := (Ink{}).Paint("x"); got != "x" {
		t.Errorf("zero ink = %q", got)
	}
	if got, want := string(ink.Append([]byte("a"), "x")), "a"+ink.Paint("x"); got != want {
		t.Errorf("Append = %q, want %q", got, want)
	}
	bg := NewInk(Spec{Bg: ansi.Blue})
	if got, want := bg.Repaint("a"+ink.Paint("b")+"c"), "\x1b[44ma\x1b[1;31mb\x1b[m\x1b[44mc\x1b[m"; got != want {
		t.Errorf("Repaint = %q, want %q", got, want)
	}
}

func BenchmarkPaint(b *testing.B) {
	b.ReportAllocs()
	ink := Dark().Accent
	row := strings.Repeat("row ", 20)
	for b.Loop() {
		_ = ink.Paint(row)
	}
}

func BenchmarkFor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		For("auto", tty.Colours{Dark: true})
	}
}

// With 256 colours greys stay grey. 232 to 255 are the greys, the others a cube of six levels.
func TestGreysOf256Colours(t *testing.T) {
	grey := func(c ansi.IndexedColor) bool {
		return c >= 232 || c == 16 || c == 59 || c == 102 || c == 145 || c == 188 || c == 231
	}
	for _, th := range []*Theme{Dark(), Light(), ContrastDark(), ContrastLight()} {
		for name, ink := range map[string]Ink{"Text": th.Text, "Dim": th.Dim, "Faint": th.Faint, "Border": th.Border, "Comment": th.Comment} {
			if fg := ink.Spec().Fg; fg != nil && !grey(ansi.Convert256(fg)) {
				t.Errorf("%s: %s is %d", th.Name, name, ansi.Convert256(fg))
			}
		}
		if c := ansi.Convert256(th.Background.Spec().Bg); !grey(c) {
			t.Errorf("%s: the background of a prompt is %d", th.Name, c)
		}
	}
}
