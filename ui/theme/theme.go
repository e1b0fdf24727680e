// Package theme holds the colours of the screen. A Theme is made once and only read afterwards, so every goroutine may
// share it. Nothing here asks the terminal: the caller says whether the background is dark and whether colour is wanted.
// Colours never carry meaning alone; a word or a sign stands beside each.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Theme names the inks of the screen by what they are for.
type Theme struct {
	Name string
	// Dark says that the inks are meant for a dark background, NoColor that they use attributes only.
	Dark, NoColor bool

	Text, Dim, Faint, Strong, Accent, Good, Warn, Bad Ink

	// UserBar is the bar left of the user's turn, UserText its words, Background its blank cells.
	UserBar, UserText, Background Ink

	Code, Heading, Quote, Link               Ink
	Border, BorderFocus, Title, Key, Status  Ink
	Selected, Match                          Ink
	Prompt, Placeholder, Chip                Ink
	DiffAdd, DiffDel, DiffContext, DiffHunk  Ink
	DiffAddWord, DiffDelWord, DiffLineNumber Ink
}

// Names lists what Pick accepts, in the order to offer them.
func Names() []string { return []string{"auto", "dark", "light", "ansi", "plain"} }

// Pick returns the theme of that name. "auto" and unknown names follow dark, the terminal's background; noColor
// wins over every name (https://no-color.org).
func Pick(name string, dark, noColor bool) *Theme {
	switch {
	case noColor || name == "plain":
		return Plain()
	case name == "dark":
		return Dark()
	case name == "light":
		return Light()
	case name == "ansi":
		return ANSI()
	case dark:
		return Dark()
	}
	return Light()
}

// palette is what Dark and Light differ in.
type palette struct {
	text, dim, faint, accent, good, warn, bad color.Color
	userBg, code, heading, border             color.Color
	selectedBg, selectedFg                    color.Color
	add, del, addBg, delBg, addFg, delFg      color.Color
}

func hex(s string) color.Color { return lipgloss.Color(s) }

func fg(c color.Color) Ink   { return NewInk(Spec{Fg: c}) }
func bold(c color.Color) Ink { return NewInk(Spec{Fg: c, Bold: true}) }

// Dark is for dark backgrounds, in full colour; the screen library reduces it to what the terminal can show.
func Dark() *Theme {
	t := build(palette{
		text: hex("#e6edf3"), dim: hex("#9198a1"), faint: hex("#767e88"), accent: hex("#6cb6ff"),
		good: hex("#7ee787"), warn: hex("#e3b341"), bad: hex("#ff8f85"),
		userBg: hex("#21262d"), code: hex("#a5d6ff"), heading: hex("#79c0ff"), border: hex("#57606a"),
		selectedBg: hex("#264f78"), selectedFg: hex("#ffffff"),
		add: hex("#7ee787"), del: hex("#ffa198"),
		addBg: hex("#1b5e2a"), delBg: hex("#7d1a1f"), addFg: hex("#eafff0"), delFg: hex("#ffecea"),
	})
	t.Name, t.Dark = "dark", true
	return t
}

// Light is for light backgrounds.
func Light() *Theme {
	t := build(palette{
		text: hex("#1f2328"), dim: hex("#57606a"), faint: hex("#6e7781"), accent: hex("#0860c4"),
		good: hex("#116329"), warn: hex("#7d4e00"), bad: hex("#b3141e"),
		userBg: hex("#eaeef2"), code: hex("#0a3069"), heading: hex("#0550ae"), border: hex("#8c959f"),
		selectedBg: hex("#cfe3fb"), selectedFg: hex("#0b1f33"),
		add: hex("#116329"), del: hex("#a40e26"),
		addBg: hex("#aceebb"), delBg: hex("#ffcecb"), addFg: hex("#04260f"), delFg: hex("#4c0310"),
	})
	t.Name = "light"
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
	}
}

// ANSI uses the terminal's own sixteen colours, so that it follows whatever palette the user has chosen. Quiet text is
// faint rather than bright black, which some palettes make invisible.
func ANSI() *Theme {
	faint := NewInk(Spec{Faint: true})
	return &Theme{
		Name: "ansi", Dark: true,
		Dim: faint, Faint: faint, Strong: NewInk(Spec{Bold: true}), Accent: fg(ansi.Cyan),
		Good: fg(ansi.Green), Warn: fg(ansi.Yellow), Bad: fg(ansi.Red),
		UserBar: fg(ansi.Cyan), UserText: NewInk(Spec{Bold: true}),
		Code: fg(ansi.Cyan), Heading: bold(ansi.Blue), Quote: NewInk(Spec{Italic: true}),
		Link:   NewInk(Spec{Fg: ansi.Cyan, Underline: true}),
		Border: faint, BorderFocus: fg(ansi.Cyan), Title: NewInk(Spec{Bold: true}), Key: bold(ansi.Cyan),
		Status:   faint,
		Selected: NewInk(Spec{Reverse: true}), Match: NewInk(Spec{Bold: true, Underline: true}),
		Prompt: bold(ansi.Cyan), Placeholder: faint, Chip: NewInk(Spec{Fg: ansi.Cyan, Italic: true}),
		DiffAdd: fg(ansi.Green), DiffDel: fg(ansi.Red), DiffHunk: faint, DiffLineNumber: faint,
		DiffAddWord: NewInk(Spec{Fg: ansi.Green, Reverse: true}),
		DiffDelWord: NewInk(Spec{Fg: ansi.Red, Reverse: true}),
	}
}

// Plain uses no colour at all: bold, faint, underline and reverse only.
func Plain() *Theme {
	faint, strong := NewInk(Spec{Faint: true}), NewInk(Spec{Bold: true})
	return &Theme{
		Name: "plain", Dark: true, NoColor: true,
		Dim: faint, Faint: faint, Strong: strong, Accent: strong,
		Warn: strong, Bad: NewInk(Spec{Bold: true, Underline: true}),
		UserBar: strong, UserText: strong,
		Heading: NewInk(Spec{Bold: true, Underline: true}), Quote: faint, Link: NewInk(Spec{Underline: true}),
		Border: faint, BorderFocus: strong, Title: strong, Key: strong, Status: faint,
		Selected: NewInk(Spec{Reverse: true}), Match: NewInk(Spec{Bold: true, Underline: true}),
		Prompt: strong, Placeholder: faint, Chip: NewInk(Spec{Underline: true}),
		DiffHunk: faint, DiffLineNumber: faint, DiffContext: faint,
		DiffAddWord: NewInk(Spec{Bold: true, Underline: true}),
		DiffDelWord: NewInk(Spec{Bold: true, Underline: true}),
	}
}
