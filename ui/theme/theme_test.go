package theme

import (
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// Text must reach 4.5:1 (WCAG AA) on its own background, or on the darkest and a usual grey one where it has none.
func TestContrast(t *testing.T) {
	for _, th := range []*Theme{Dark(), Light()} {
		grounds := []color.Color{hex("#ffffff"), hex("#f6f8fa")}
		if th.Dark {
			grounds = []color.Color{hex("#000000"), hex("#0d1117")}
		}
		weak := map[string]float64{"Faint": 4, "Border": 2.5, "Placeholder": 4, "DiffHunk": 4, "DiffLineNumber": 4}
		eachInk(th, func(name string, ink Ink) {
			s := ink.Spec()
			if s.Fg == nil {
				return
			}
			want := 4.5
			if w, ok := weak[name]; ok {
				want = w
			}
			on := grounds
			if s.Bg != nil {
				on = []color.Color{s.Bg}
			}
			for _, bg := range on {
				if got := contrast(s.Fg, bg); got < want {
					t.Errorf("%s: %s has contrast %.2f, want %.1f", th.Name, name, got, want)
				}
			}
		})
	}
}

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

func TestPick(t *testing.T) {
	for _, c := range []struct {
		name          string
		dark, noColor bool
		want          string
	}{
		{"auto", true, false, "dark"}, {"auto", false, false, "light"}, {"", true, false, "dark"},
		{"light", true, false, "light"}, {"dark", false, false, "dark"}, {"ansi", false, false, "ansi"},
		{"dark", true, true, "plain"}, {"plain", true, false, "plain"}, {"nonsense", false, false, "light"},
	} {
		if got := Pick(c.name, c.dark, c.noColor).Name; got != c.want {
			t.Errorf("Pick(%q, %v, %v) = %s, want %s", c.name, c.dark, c.noColor, got, c.want)
		}
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
	if !ink.Style().GetBold() {
		t.Error("Style lost bold")
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
