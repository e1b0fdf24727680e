// Package theme holds the colours of the screen. A Theme is made once and only read afterwards, so every goroutine may
// share it. Nothing here asks the terminal: the caller says what it knows of it, see [Terminal]. Colours never carry
// meaning alone; a word or a sign stands beside each.
package theme

// Theme names the inks of the screen by what they are for.
type Theme struct {
	Name string
	// Dark says that the inks are meant for a dark background, NoColor that they use attributes only, Links that the
	// terminal takes hyperlinks.
	Dark, NoColor, Links bool

	Text, Dim, Faint, Strong, Accent, Good, Warn, Bad Ink

	// UserBar is the bar left of the user's turn, UserText its words, Background its blank cells.
	UserBar, UserText, Background Ink

	Code, Heading, Quote, Link               Ink
	Border, BorderFocus, Title, Key, Status  Ink
	Selected, Match                          Ink
	Prompt, Placeholder, Chip                Ink
	DiffAdd, DiffDel, DiffContext, DiffHunk  Ink
	DiffAddWord, DiffDelWord, DiffLineNumber Ink

	// DiffAddLine and DiffDelLine are the grounds of changed lines, on which their code keeps its own colours. Without a
	// background such a line is DiffAdd or DiffDel as a whole.
	DiffAddLine, DiffDelLine Ink

	// CodeBlock is the text of code blocks and their ground. Without a background they have none.
	CodeBlock Ink

	// Keyword, Function, String, Number and Comment are the colours of code.
	Keyword, Function, String, Number, Comment Ink
}
