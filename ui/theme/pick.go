package theme

import "slices"

// Colours says how many colours a terminal has.
type Colours int

// What a terminal may have. Anything above sixteen is reduced by the painter where it must be.
const (
	Many Colours = iota // or not known
	Sixteen
	None
)

// Terminal is what is known of the terminal.
type Terminal struct {
	Dark    bool // its background is
	Colours Colours
}

// ColoursOf says how many colours a terminal with a colour profile of that name has.
func ColoursOf(profile string) Colours {
	switch profile {
	case "NoTTY", "Ascii":
		return None
	case "ANSI":
		return Sixteen
	}
	return Many
}

// names are the themes in the order to offer them.
var names = []string{"auto", "dark", "light", "contrast-dark", "contrast-light", "ansi", "plain"}

var made = map[string]func() *Theme{
	"dark": Dark, "light": Light, "contrast-dark": ContrastDark, "contrast-light": ContrastLight, "ansi": ANSI, "plain": Plain,
}

// Names lists what a user may choose, in the order to offer them; the first is "auto".
func Names() []string { return slices.Clone(names) }

// Known tells whether there is a theme of that name. "auto" is one.
func Known(name string) bool { return slices.Contains(names, name) }

// Resolve returns the name of the theme that a terminal gets for a chosen name: never "auto". A terminal without colours
// gets plain, whatever was chosen, because what is marked by a background alone could not be seen there. "auto", and a
// name that is none, follows the terminal: its sixteen colours where it has no more, else its background.
func Resolve(name string, on Terminal) string {
	switch {
	case on.Colours == None:
		return "plain"
	case made[name] != nil:
		return name
	case on.Colours == Sixteen:
		return "ansi"
	case on.Dark:
		return "dark"
	}
	return "light"
}

// For returns the theme that a terminal gets for a chosen name. See [Resolve].
func For(name string, on Terminal) *Theme { return made[Resolve(name, on)]() }

// Pick is For where no more is known of the terminal than its background and whether colours are wanted
// (https://no-color.org).
func Pick(name string, dark, noColor bool) *Theme {
	on := Terminal{Dark: dark}
	if noColor {
		on.Colours = None
	}
	return For(name, on)
}
