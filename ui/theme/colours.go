package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// palette is what differs between the themes in full colour.
type palette struct {
	text, dim, faint, accent, good, warn, bad color.Color
	userBg, code, heading, border             color.Color
	selectedBg, selectedFg                    color.Color
	add, del, addBg, delBg, addFg, delFg      color.Color
	addLine, delLine, codeBg                  color.Color
	keyword, function, str, number, comment   color.Color
}

func hex(s string) color.Color { return lipgloss.Color(s) }

func fg(c color.Color) Ink   { return NewInk(Spec{Fg: c}) }
func bold(c color.Color) Ink { return NewInk(Spec{Fg: c, Bold: true}) }

// Dark is for dark backgrounds, in full colour. The painter reduces each colour to the nearest of a
// terminal with 256, so the colours of all themes are chosen to keep their hue there: greys stay
// grey, rows of a diff stay green and red.
func Dark() *Theme {
	t := build(palette{
		text: hex("#e8edf0"), dim: hex("#91989a"), faint: hex("#858d97"), accent: hex("#6cb6ff"),
		good: hex("#7ee787"), warn: hex("#e3b341"), bad: hex("#ff8f85"),
		userBg: hex("#21262d"), code: hex("#a5d6ff"), heading: hex("#79c0ff"), border: hex("#737681"),
		selectedBg: hex("#264f78"), selectedFg: hex("#ffffff"),
		add: hex("#7ee787"), del: hex("#ffa198"),
		addBg: hex("#1b732a"), delBg: hex("#7d1a1f"), addFg: hex("#ebfff0"), delFg: hex("#ffeceb"),
		addLine: hex("#10301a"), delLine: hex("#33181e"), codeBg: hex("#161b22"),
		keyword: hex("#ff9a90"), function: hex("#d2a8ff"), str: hex("#a5d6ff"), number: hex("#79c0ff"), comment: hex("#9ba3ad"),
	})
	t.Name, t.Dark = "dark", true
	return t
}

// Light is for light backgrounds.
func Light() *Theme {
	t := build(palette{
		text: hex("#1f2328"), dim: hex("#57606a"), faint: hex("#646d72"), accent: hex("#0860c4"),
		good: hex("#116329"), warn: hex("#7d4e00"), bad: hex("#b3141e"),
		userBg: hex("#eaeff2"), code: hex("#0a3069"), heading: hex("#0550ae"), border: hex("#848d97"),
		selectedBg: hex("#cfe3fb"), selectedFg: hex("#0b1f33"),
		add: hex("#116329"), del: hex("#a40e26"),
		addBg: hex("#aceebb"), delBg: hex("#ffcecb"), addFg: hex("#04260f"), delFg: hex("#4c0310"),
		addLine: hex("#e6ffea"), delLine: hex("#ffeae9"), codeBg: hex("#f3f5f8"),
		keyword: hex("#b81d2e"), function: hex("#6f42c1"), str: hex("#0a3069"), number: hex("#0550ae"), comment: hex("#57606a"),
	})
	t.Name = "light"
	return t
}

// ContrastDark is for dark backgrounds with high contrast: every ink reaches 7:1 on black, nothing is faint, and text that
// other themes make faint differs from the rest by the bold beside it.
func ContrastDark() *Theme {
	white, quiet := hex("#ffffff"), hex("#dde3ea")
	t := build(palette{
		text: white, dim: quiet, faint: quiet, accent: hex("#8fd0ff"),
		good: hex("#72f088"), warn: hex("#ffd75f"), bad: hex("#ffb3ad"),
		userBg: hex("#1c252f"), code: hex("#bfe3ff"), heading: hex("#a8d8ff"), border: hex("#c3cad2"),
		selectedBg: white, selectedFg: hex("#000000"),
		add: hex("#72f088"), del: hex("#ffb3ad"),
		addBg: hex("#b6f7c1"), delBg: hex("#ffd0cc"), addFg: hex("#00230b"), delFg: hex("#3d0006"),
		addLine: hex("#04240d"), delLine: hex("#35060a"), codeBg: hex("#12171d"),
		keyword: hex("#ffb3ad"), function: hex("#e0c2ff"), str: hex("#bfe3ff"), number: hex("#a8d8ff"), comment: quiet,
	})
	t.Name, t.Dark = "contrast-dark", true
	return contrasted(t)
}

// ContrastLight is ContrastDark for light backgrounds.
func ContrastLight() *Theme {
	black, quiet := hex("#000000"), hex("#2e2d36")
	t := build(palette{
		text: black, dim: quiet, faint: quiet, accent: hex("#003c82"),
		good: hex("#0a4a1c"), warn: hex("#5a3600"), bad: hex("#86000c"),
		userBg: hex("#e7ecef"), code: hex("#001f4d"), heading: hex("#00357a"), border: hex("#3a4047"),
		selectedBg: black, selectedFg: hex("#ffffff"),
		add: hex("#0a4a1c"), del: hex("#86000c"),
		addBg: hex("#0a4a1c"), delBg: hex("#86000c"), addFg: hex("#ffffff"), delFg: hex("#ffffff"),
		addLine: hex("#e3fbe9"), delLine: hex("#ffeaea"), codeBg: hex("#f0f3f7"),
		keyword: hex("#86000c"), function: hex("#4b1f8a"), str: hex("#001f4d"), number: hex("#00357a"), comment: quiet,
	})
	t.Name = "contrast-light"
	return contrasted(t)
}

// contrasted makes the inks with a meaning bold: without faint inks nothing else would stand out.
func contrasted(t *Theme) *Theme {
	for _, ink := range []*Ink{&t.Accent, &t.Good, &t.Warn, &t.Bad, &t.DiffAdd, &t.DiffDel, &t.UserText, &t.Selected, &t.BorderFocus} {
		s := ink.Spec()
		s.Bold = true
		*ink = NewInk(s)
	}
	return t
}

// reduce replaces the grounds that the nearest of 256 colours would turn grey or into another hue. No green among those
// is dark enough for whole lines on a dark background, so there only the signs have one.
func (t *Theme) reduce() {
	var grounds map[*Ink]ansi.IndexedColor
	switch t.Name {
	case "dark", "contrast-dark":
		grounds = map[*Ink]ansi.IndexedColor{&t.DiffAddLine: 22, &t.DiffDelLine: 52}
		t.DiffSigns = true
		if t.Name == "dark" {
			grounds[&t.DiffAddWord], grounds[&t.DiffDelWord] = 22, 52
		}
	case "light":
		grounds = map[*Ink]ansi.IndexedColor{
			&t.DiffAddLine: 194, &t.DiffDelLine: 224, &t.DiffAddWord: 157, &t.DiffDelWord: 217,
			&t.UserBar: 254, &t.UserText: 254, &t.Background: 254, &t.CodeBlock: 255,
		}
	case "contrast-light":
		grounds = map[*Ink]ansi.IndexedColor{&t.DiffAddLine: 194, &t.DiffDelLine: 224}
	}
	for ink, ground := range grounds {
		s := ink.Spec()
		s.Bg = ground
		*ink = NewInk(s)
	}
}

func build(p palette) *Theme {
	return &Theme{
		Dim: fg(p.dim), Faint: fg(p.faint), Strong: NewInk(Spec{Bold: true}), Accent: fg(p.accent),
		Good: fg(p.good), Warn: fg(p.warn), Bad: fg(p.bad),
		UserBar:    NewInk(Spec{Fg: p.accent, Bg: p.userBg}),
		UserText:   NewInk(Spec{Fg: p.text, Bg: p.userBg}),
		Background: NewInk(Spec{Bg: p.userBg}),
		Code:       fg(p.code), Heading: bold(p.heading),
		Link:   NewInk(Spec{Fg: p.accent, Underline: true}),
		Border: fg(p.border), BorderFocus: fg(p.accent), Title: NewInk(Spec{Bold: true}), Key: bold(p.accent),
		Selected: NewInk(Spec{Fg: p.selectedFg, Bg: p.selectedBg}),
		Match:    NewInk(Spec{Fg: p.accent, Bold: true, Underline: true}),
		Prompt:   bold(p.accent), Placeholder: fg(p.faint), Chip: NewInk(Spec{Fg: p.accent, Italic: true}),
		DiffAdd: fg(p.add), DiffDel: fg(p.del), DiffHunk: fg(p.faint), DiffLineNumber: fg(p.faint),
		DiffAddWord: NewInk(Spec{Fg: p.addFg, Bg: p.addBg}),
		DiffDelWord: NewInk(Spec{Fg: p.delFg, Bg: p.delBg}),
		DiffAddLine: NewInk(Spec{Fg: p.text, Bg: p.addLine}),
		DiffDelLine: NewInk(Spec{Fg: p.text, Bg: p.delLine}),
		CodeBlock:   NewInk(Spec{Fg: p.text, Bg: p.codeBg}),
		Keyword:     fg(p.keyword), Function: fg(p.function), String: fg(p.str), Number: fg(p.number), Comment: fg(p.comment),
	}
}
