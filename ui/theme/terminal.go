package theme

import "github.com/charmbracelet/x/ansi"

// ANSI uses the terminal's own sixteen colours, and so the palette that the user has chosen. Quiet text is faint rather than
// bright black, which some palettes make invisible.
func ANSI() *Theme {
	faint := NewInk(Spec{Faint: true})
	return &Theme{
		Name: "ansi", Dark: true,
		Dim: faint, Faint: faint, Strong: NewInk(Spec{Bold: true}), Accent: fg(ansi.Cyan),
		Good: fg(ansi.Green), Warn: fg(ansi.Yellow), Bad: fg(ansi.Red),
		UserBar: fg(ansi.Cyan), UserText: NewInk(Spec{Bold: true}),
		Code: fg(ansi.Cyan), Heading: bold(ansi.BrightBlue),
		Link:   NewInk(Spec{Fg: ansi.Cyan, Underline: true}),
		Border: faint, BorderFocus: fg(ansi.Cyan), Title: NewInk(Spec{Bold: true}), Key: bold(ansi.Cyan),
		Selected: NewInk(Spec{Reverse: true}), Match: NewInk(Spec{Bold: true, Underline: true}),
		Prompt: bold(ansi.Cyan), Placeholder: faint, Chip: NewInk(Spec{Fg: ansi.Cyan, Italic: true}),
		DiffAdd: fg(ansi.Green), DiffDel: fg(ansi.Red), DiffHunk: faint, DiffLineNumber: faint,
		DiffAddWord: NewInk(Spec{Fg: ansi.Green, Bold: true, Underline: true}),
		DiffDelWord: NewInk(Spec{Fg: ansi.Red, Bold: true, Underline: true}),
		Keyword:     fg(ansi.Magenta), Function: fg(ansi.BrightBlue), String: fg(ansi.Green), Number: fg(ansi.Cyan), Comment: faint,
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
		Heading: NewInk(Spec{Bold: true}), Link: NewInk(Spec{Underline: true}),
		Border: faint, BorderFocus: strong, Title: strong, Key: strong,
		Selected: NewInk(Spec{Reverse: true}), Match: NewInk(Spec{Bold: true, Underline: true}),
		Prompt: strong, Placeholder: faint, Chip: NewInk(Spec{Underline: true}),
		DiffHunk: faint, DiffLineNumber: faint, DiffContext: faint,
		DiffAddWord: NewInk(Spec{Bold: true, Underline: true}),
		DiffDelWord: NewInk(Spec{Bold: true, Underline: true}),
	}
}
