package theme

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"parley/internal/tty"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// luminance is the relative luminance of WCAG 2.
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

// The themes in full colour, the backgrounds that they are meant for
// and the ratio that text must reach: AA of WCAG 2, and AAA.
var own = []struct {
	theme   func() *Theme
	grounds []color.Color
	text    float64
	lines   float64 // borders, which nobody reads
}{
	{Dark, []color.Color{hex("#000000"), hex("#0d1117"), hex("#1e1e1e")}, 4.5, 3},
	{Light, []color.Color{hex("#ffffff"), hex("#f6f8fa")}, 4.5, 3},
	{ContrastDark, []color.Color{hex("#000000"), hex("#0d1117")}, 7, 7},
	{ContrastLight, []color.Color{hex("#ffffff"), hex("#f6f8fa")}, 7, 7},
}

// Every ink is readable on its own background, or on the usual ones where it has
// none.
func TestContrast(t *testing.T) {
	for _, c := range own {
		th := c.theme()
		eachInk(th, func(name string, ink Ink) {
			s, want, on := ink.Spec(), c.text, c.grounds
			if s.Fg == nil {
				return
			}
			if name == "Border" {
				want = c.lines
			}
			if s.Bg != nil {
				on = []color.Color{s.Bg}
			}
			for _, bg := range on {
				if got := contrast(s.Fg, bg); got < want {
					t.Errorf("%s: %s has contrast %.2f on %v, want %.1f", th.Name, name, got, bg, want)
				}
			}
		})
	}
}

// The sixteen colours are the terminal's. Its dark blue is hardly readable on black, with any usual palette.
func TestSixteenColoursWithoutDarkBlue(t *testing.T) {
	eachInk(ANSI(), func(name string, ink Ink) {
		if ink.Spec().Fg == ansi.Blue {
			t.Errorf("%s is dark blue", name)
		}
	})
}

// painted are the inks that are painted over the backgrounds of other inks.
func painted(th *Theme) map[string][2]Ink {
	out := map[string][2]Ink{"the clock of a prompt": {th.Dim, th.Background}, "the language of a code block": {th.Dim, th.CodeBlock}}
	out["added sign"], out["deleted sign"] = [2]Ink{th.DiffAdd, th.DiffAddLine}, [2]Ink{th.DiffDel, th.DiffDelLine}
	for name, ink := range map[string]Ink{"keyword": th.Keyword, "function": th.Function, "string": th.String, "number": th.Number, "comment": th.Comment} {
		out[name+" of a code block"] = [2]Ink{ink, th.CodeBlock}
		if !th.DiffSigns {
			out["added "+name], out["deleted "+name] = [2]Ink{ink, th.DiffAddLine}, [2]Ink{ink, th.DiffDelLine}
		}
	}
	return out
}

func TestContrastOfPaintedOver(t *testing.T) {
	for _, c := range own {
		th := c.theme()
		for name, inks := range painted(th) {
			fg, bg := inks[0].Spec().Fg, inks[1].Spec().Bg
			if fg == nil || bg == nil {
				t.Errorf("%s: %s has no colours", th.Name, name)
				continue
			}
			if got := contrast(fg, bg); got < c.text {
				t.Errorf("%s: %s has contrast %.2f, want %.1f", th.Name, name, got, c.text)
			}
		}
	}
}

// What a terminal of 256 colours makes of them is readable too, if not as well.
func TestContrastOf256Colours(t *testing.T) {
	for _, c := range own {
		th := For(c.theme().Name, tty.Colours{Depth: colorprofile.ANSI256})
		for name, inks := range painted(th) {
			fg, bg := ansi.Convert256(inks[0].Spec().Fg), ansi.Convert256(inks[1].Spec().Bg)
			if got := contrast(fg, bg); got < c.text*0.75 {
				t.Errorf("%s: %s has contrast %.2f in 256 colours, want %.1f", th.Name, name, got, c.text*0.75)
			}
		}
		eachInk(th, func(name string, ink Ink) {
			s := ink.Spec()
			if s.Fg == nil || name == "Border" {
				return
			}
			on := c.grounds[:1]
			if s.Bg != nil {
				on = []color.Color{ansi.Convert256(s.Bg)}
			}
			for _, bg := range on {
				if got := contrast(ansi.Convert256(s.Fg), bg); got < c.text*0.8 {
					t.Errorf("%s: %s has contrast %.2f in 256 colours, want %.1f", th.Name, name, got, c.text*0.8)
				}
			}
		})
	}
}

// In 256 colours what was added is on green and what was deleted on red, not on grey.
func TestHuesOf256Colours(t *testing.T) {
	for _, c := range own {
		th := For(c.theme().Name, tty.Colours{Depth: colorprofile.ANSI256})
		for name, ink := range map[string]Ink{"added line": th.DiffAddLine, "added word": th.DiffAddWord} {
			if r, g, b, _ := ansi.Convert256(ink.Spec().Bg).RGBA(); (g <= r || g <= b) && th.Name != "contrast-dark" {
				t.Errorf("%s: the ground of an %s is not green: %x %x %x", th.Name, name, r>>8, g>>8, b>>8)
			}
		}
		for name, ink := range map[string]Ink{"deleted line": th.DiffDelLine, "deleted word": th.DiffDelWord} {
			if r, g, b, _ := ansi.Convert256(ink.Spec().Bg).RGBA(); r <= g || r <= b {
				t.Errorf("%s: the ground of a %s is not red: %x %x %x", th.Name, name, r>>8, g>>8, b>>8)
			}
		}
	}
}

// A changed line and a changed word are told from the background, and from each
// other.
func TestGroundsDiffer(t *testing.T) {
	for _, c := range own {
		th := c.theme()
		grounds := []color.Color{c.grounds[0], th.DiffAddLine.Spec().Bg, th.DiffDelLine.Spec().Bg, th.DiffAddWord.Spec().Bg, th.DiffDelWord.Spec().Bg}
		for i, a := range grounds {
			if slices.Index(grounds, a) != i {
				t.Errorf("%s: two grounds are %v", th.Name, a)
			}
		}
		for _, pair := range [][2]Ink{{th.DiffAddLine, th.DiffAddWord}, {th.DiffDelLine, th.DiffDelWord}} {
			if got := contrast(pair[0].Spec().Bg, pair[1].Spec().Bg); got < 1.2 {
				t.Errorf("%s: a marked word has contrast %.2f to its line", th.Name, got)
			}
		}
	}
}
