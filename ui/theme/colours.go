package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// palette is what the themes with colours of their own differ in.
type palette struct {
	text, dim, faint, accent, good, warn, bad color.Color
	userBg, code, heading, border             color.Color
	selectedBg, selectedFg                    color.Color
	add, del, addBg, delBg, addFg, delFg      color.Color
	addLine, delLine                          color.Color
	keyword, function, str, number, comment   color.Color
}

func hex(s string) color.Color { return lipgloss.Color(s) }

func fg(c color.Color) Ink   { return NewInk(Spec{Fg: c}) }
func bold(c color.Color) Ink { return NewInk(Spec{Fg: c, Bold: true}) }

// Dark is for dark backgrounds, in full colour; the painter reduces it to what the terminal can show.
func Dark() *Theme {
	t := build(palette{
		text: hex("#e6edf3"), dim: hex("#9198a1"), faint: hex("#858d97"), accent: hex("#6cb6ff"),
		good: hex("#7ee787"), warn: hex("#e3b341"), bad: hex("#ff8f85"),
		userBg: hex("#21262d"), code: hex("#a5d6ff"), heading: hex("#79c0ff"), border: hex("#6e7681"),
		selectedBg: hex("#264f78"), selectedFg: hex("#ffffff"),
		add: hex("#7ee787"), del: hex("#ffa198"),
		addBg: hex("#1b5e2a"), delBg: hex("#7d1a1f"), addFg: hex("#eafff0"), delFg: hex("#ffecea"),
		addLine: hex("#10291a"), delLine: hex("#331a1c"),
		keyword: hex("#ff9a90"), function: hex("#d2a8ff"), str: hex("#a5d6ff"), number: hex("#79c0ff"), comment: hex("#9aa3ad"),
	})
	t.Name, t.Dark = "dark", true
	return t
}

// Light is for light backgrounds.
func Light() *Theme {
	t := build(palette{
		text: hex("#1f2328"), dim: hex("#57606a"), faint: hex("#646d76"), accent: hex("#0860c4"),
		good: hex("#116329"), warn: hex("#7d4e00"), bad: hex("#b3141e"),
		userBg: hex("#eaeef2"), code: hex("#0a3069"), heading: hex("#0550ae"), border: hex("#848d97"),
		selectedBg: hex("#cfe3fb"), selectedFg: hex("#0b1f33"),
		add: hex("#116329"), del: hex("#a40e26"),
		addBg: hex("#aceebb"), delBg: hex("#ffcecb"), addFg: hex("#04260f"), delFg: hex("#4c0310"),
		addLine: hex("#e6ffec"), delLine: hex("#ffebe9"),
		keyword: hex("#b81d2e"), function: hex("#6f42c1"), str: hex("#0a3069"), number: hex("#0550ae"), comment: hex("#57606a"),
	})
	t.Name = "light"
	return t
}

// ContrastDark is for dark backgrounds and for eyes that need much contrast: every ink reaches 7:1 on black, nothing is
// faint, and what other themes make quiet is told from the rest by the bold beside it.
func ContrastDark() *Theme {
	white, quiet := hex("#ffffff"), hex("#dde3ea")
	t := build(palette{
		text: white, dim: quiet, faint: quiet, accent: hex("#8fd0ff"),
		good: hex("#72f088"), warn: hex("#ffd75f"), bad: hex("#ffb3ad"),
		userBg: hex("#1c2530"), code: hex("#bfe3ff"), heading: hex("#a8d8ff"), border: hex("#c3cad2"),
		selectedBg: white, selectedFg: hex("#000000"),
		add: hex("#72f088"), del: hex("#ffb3ad"),
		addBg: hex("#b6f7c1"), delBg: hex("#ffd0cc"), addFg: hex("#00230b"), delFg: hex("#3d0006"),
		addLine: hex("#04240d"), delLine: hex("#35060a"),
		keyword: hex("#ffb3ad"), function: hex("#e0c2ff"), str: hex("#bfe3ff"), number: hex("#a8d8ff"), comment: quiet,
	})
	t.Name, t.Dark = "contrast-dark", true
	return contrasted(t)
}

// ContrastLight is ContrastDark for light backgrounds.
func ContrastLight() *Theme {
	black, quiet := hex("#000000"), hex("#2b3036")
	t := build(palette{
		text: black, dim: quiet, faint: quiet, accent: hex("#003c82"),
		good: hex("#0a4a1c"), warn: hex("#5a3600"), bad: hex("#86000c"),
		userBg: hex("#e6ebf1"), code: hex("#001f4d"), heading: hex("#00357a"), border: hex("#3a4047"),
		selectedBg: black, selectedFg: hex("#ffffff"),
		add: hex("#0a4a1c"), del: hex("#86000c"),
		addBg: hex("#0a4a1c"), delBg: hex("#86000c"), addFg: hex("#ffffff"), delFg: hex("#ffffff"),
		addLine: hex("#e3fbe9"), delLine: hex("#ffeceb"),
		keyword: hex("#86000c"), function: hex("#4b1f8a"), str: hex("#001f4d"), number: hex("#00357a"), comment: quiet,
	})
	t.Name = "contrast-light"
	return contrasted(t)
}

// contrasted makes bold what carries meaning: beside text without a faint ink nothing else stands out.
func contrasted(t *Theme) *Theme {
	for _, ink := range []*Ink{&t.Accent, &t.Good, &t.Warn, &t.Bad, &t.DiffAdd, &t.DiffDel, &t.UserText, &t.Selected, &t.BorderFocus} {
		s := ink.Spec()
		s.Bold = true
		*ink = NewInk(s)
	}
	t.Quote = NewInk(Spec{Fg: t.Text.Spec().Fg, Italic: true})
	return t
}

func build(p palette) *Theme {
	return &Theme{
		Dim: fg(p.dim), Faint: fg(p.faint), Strong: NewInk(Spec{Bold: true}), Accent: fg(p.accent),
		Good: fg(p.good), Warn: fg(p.warn), Bad: fg(p.bad),
		UserBar:    NewInk(Spec{Fg: p.accent, Bg: p.userBg}),
		UserText:   NewInk(Spec{Fg: p.text, Bg: p.userBg}),
		Background: NewInk(Spec{Bg: p.userBg}),
		Code:       fg(p.code), Heading: bold(p.heading), Quote: NewInk(Spec{Fg: p.dim, Italic: true}),
		Link:   NewInk(Spec{Fg: p.accent, Underline: true}),
		Border: fg(p.border), BorderFocus: fg(p.accent), Title: NewInk(Spec{Bold: true}), Key: bold(p.accent),
		Status:   fg(p.dim),
		Selected: NewInk(Spec{Fg: p.selectedFg, Bg: p.selectedBg}),
		Match:    NewInk(Spec{Fg: p.accent, Bold: true, Underline: true}),
		Prompt:   bold(p.accent), Placeholder: fg(p.faint), Chip: NewInk(Spec{Fg: p.accent, Italic: true}),
		DiffAdd: fg(p.add), DiffDel: fg(p.del), DiffHunk: fg(p.faint), DiffLineNumber: fg(p.faint),
		DiffAddWord: NewInk(Spec{Fg: p.addFg, Bg: p.addBg}),
		DiffDelWord: NewInk(Spec{Fg: p.delFg, Bg: p.delBg}),
		DiffAddLine: NewInk(Spec{Fg: p.text, Bg: p.addLine}),
		DiffDelLine: NewInk(Spec{Fg: p.text, Bg: p.delLine}),
		Keyword:     fg(p.keyword), Function: fg(p.function), String: fg(p.str), Number: fg(p.number), Comment: fg(p.comment),
	}
}
