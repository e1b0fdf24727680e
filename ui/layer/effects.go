package layer

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
)

// Effects are what components want of their page, in order: a Do, Say, Copy or OpenURL, or an effect that the
// component declares. The page carries them out after each message, before it draws.
type Effects []any

// The effects.
type (
	Do      intent.Intent // do an action of the page
	Say     string        // show a line above the composer for a while
	Copy    func() string // copy a text
	OpenURL string        // open an address in the user's browser
)

// Add appends an effect. It returns no command, for functions that return one.
func (e *Effects) Add(effect any) tea.Cmd {
	*e = append(*e, effect)
	return nil
}

// Say adds a Say.
func (e *Effects) Say(text string) tea.Cmd { return e.Add(Say(text)) }

// Take returns the effects and forgets them.
func (e *Effects) Take() (all Effects) {
	all, *e = *e, nil
	return all
}
