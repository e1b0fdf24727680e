package theme

import "slices"

// Colours says how many colours a terminal has.
type Colours int

// The numbers of colours.
const (
	Many Colours = iota // or unknown
	Two56
	Sixteen
	None
)

// Terminal is what is known about the terminal.
type Terminal struct {
	Dark    bool // its background is dark
	Colours Colours
	Links   bool // it takes hyperlinks (OSC 8)
}

// ColoursOf returns how many colours a terminal has, by the name of its colour profile.
func ColoursOf(profile string) Colours {
	switch profile {
	case "NoTTY", "Ascii":
		return None
	case "ANSI":
		return Sixteen
	case "ANSI256":
		return Two56
	}
	return Many
}

// names are the themes in the order of the list.
var names = []string{"auto", "dark", "light", "contrast-dark", "contrast-light", "ansi", "plain"}

var made = map[string]func() *Theme{
	"dark": Dark, "light": Light, "contrast-dark": ContrastDark, "contrast-light": ContrastLight, "ansi": ANSI, "plain": Plain,
}

// Names returns the names of the themes in the order of the list; the first is "auto".
func Names() []string { return slices.Clone(names) }

// Known reports whether a theme has this name. "auto" is one.
func Known(name string) bool { return slices.Contains(names, name) }

// Resolve returns the name of the theme to use for a chosen name: never "auto". A terminal without colours gets plain,
// and one with sixteen gets ansi, whatever was chosen: reduced to sixteen, amber is red and quiet text is dark blue. "auto"
// and unknown names follow the background of the terminal.
func Resolve(name string, on Terminal) string {
	switch {
	case on.Colours == None:
		return "plain"
	case name == "plain":
		return name
	case on.Colours == Sixteen:
		return "ansi"
	case made[name] != nil:
		return name
	case on.Dark:
		return "dark"
	}
	return "light"
}

// For returns the theme to use for a chosen name. See [Resolve].
func For(name string, on Terminal) *Theme {
	t := made[Resolve(name, on)]()
	if on.Colours == Two56 {
		t.reduce()
	}
	t.Links = on.Links && on.Colours < None
	return t
}

// Pick is For when only the background of the terminal is known, and whether colours are wanted (https://no-color.org).
func Pick(name string, dark, noColor bool) *Theme {
	on := Terminal{Dark: dark}
	if noColor {
		on.Colours = None
	}
	return For(name, on)
}
