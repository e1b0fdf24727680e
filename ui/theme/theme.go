// Package theme holds the colours of the screen. A Theme is immutable, so goroutines may share it. Nothing here queries the
// terminal: the caller says what it knows about it, see [Terminal]. Colour is never the only carrier of meaning; a word or a
// sign says the same.
package theme

// Theme names the inks of the screen by their purpose.
type Theme struct {
	Name string
	// Dark says that the inks are for a dark background, NoColor that they use attributes only, Links that the terminal takes
	// hyperlinks.
	Dark, NoColor, Links bool

	Text, Dim, Faint, Strong, Accent, Good, Warn, Bad Ink

	// UserBar is the bar left of the user's prompt, UserText its text, Background its empty cells.
	UserBar, UserText, Background Ink

	Code, Heading, Link                      Ink
	Border, BorderFocus, Title, Key          Ink
	Selected, Match                          Ink
	Prompt, Placeholder, Chip                Ink
	DiffAdd, DiffDel, DiffContext, DiffHunk  Ink
	DiffAddWord, DiffDelWord, DiffLineNumber Ink

	// DiffAddLine and DiffDelLine are the backgrounds of changed lines, whose code keeps its own colours. If they have no
	// background, all of the line is DiffAdd or DiffDel.
	DiffAddLine, DiffDelLine Ink
	// DiffSigns says that those backgrounds are too bright for whole lines, and only beneath the signs.
	DiffSigns bool

	// CodeBlock is the text of code blocks and their ground. Without a background they have none.
	CodeBlock Ink

	// Keyword, Function, String, Number and Comment are the colours of code.
	Keyword, Function, String, Number, Comment Ink
}
