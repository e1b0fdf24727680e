package theme

import (
	"slices"

	"github.com/charmbracelet/colorprofile"

	"parley/internal/tty"
)

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
func Resolve(name string, on tty.Colours) string {
	switch {
	case on.NoColor, on.Depth == colorprofile.NoTTY, on.Depth == colorprofile.ASCII:
		return "plain"
	case name == "plain":
		return name
	case on.Depth == colorprofile.ANSI:
		return "ansi"
	case made[name] != nil:
		return name
	case on.Dark:
		return "dark"
	}
	return "light"
}

// For returns the theme to use for a chosen name. See [Resolve].
func For(name string, on tty.Colours) *Theme {
	t := made[Resolve(name, on)]()
	if on.Depth == colorprofile.ANSI256 {
		t.reduce()
	}
	t.Links = on.Links && !on.NoColor
	return t
}
