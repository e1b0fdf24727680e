// Package inline decides which rows of a conversation go into the terminal's scrollback:
// finished ones, each once, below what the terminal showed before.
package inline

import (
	"fmt"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/layer"
)

const (
	maxBacklog = 2000 // rows that are written when the mode begins, or a page comes to the front
	portion    = 400  // rows that are written at once
)

// Conversation yields the rows of a conversation. It is an interface because components know nothing of each other.
type Conversation interface {
	Begun() bool // some of it was written
	Skip(rows int) (entries int)
	Take(most int) (rows []string, more bool)
	Rest() []string
}

// Page is the conversation in front.
type Page struct {
	Key         any // the same for the same page
	Name, About string
	Width       int // of a row
	Conversation
}

// Scrollback writes the finished rows of conversations into the terminal's scrollback while
// the mode is on. Its zero value has no terminal.
type Scrollback struct {
	env    *layer.Env
	print  func(rows ...string)
	on     bool
	front  any  // the page that was written of last
	caught bool // nothing of it waits to be written since before
	most   int  // rows of it that are written then
}

// NewScrollback makes one that is on, or off.
func NewScrollback(env *layer.Env, on bool) *Scrollback {
	return &Scrollback{env: env, on: on, most: maxBacklog}
}

// SetScreen sets the function that writes rows above the next view that is shown.
func (s *Scrollback) SetScreen(print func(rows ...string)) { s.print = print }

// On reports whether the mode is on, with or without a terminal.
func (s *Scrollback) On() bool { return s.on }

// Writes reports whether the mode is on and there is a terminal.
func (s *Scrollback) Writes() bool { return s.on && s.print != nil }

// Toggle changes between the whole screen and the terminal's own, and says so.
func (s *Scrollback) Toggle() (said string) {
	if s.print == nil {
		return "The output is not a terminal: it has no scrollback"
	}
	s.on, s.front, s.most = !s.on, nil, maxBacklog
	if !s.on {
		return "Full screen; /inline returns to the scrollback"
	}
	return "Inline: the conversation goes into the terminal's scrollback"
}

// Restart begins in another terminal, with at most so many rows of each conversation.
func (s *Scrollback) Restart(most int) { s.front, s.most = nil, max(1, most) }

// Hold writes nothing for now: a conversation is being loaded.
func (s *Scrollback) Hold() { s.caught = false }

// Write writes the finished rows of the page, or a portion of them.
func (s *Scrollback) Write(p Page) (wrote, more bool) {
	rows := s.catchUp(p)
	fresh, more := p.Take(portion)
	if rows = append(rows, fresh...); len(rows) == 0 {
		return false, more
	}
	s.print(rows...)
	return true, more
}

// Last returns the rows of the page that are not written when the screen ends.
func (s *Scrollback) Last(p Page) []string { return append(s.catchUp(p), p.Rest()...) }

// catchUp writes a heading for the page that came to the front, and leaves out the beginning
// of a long history.
func (s *Scrollback) catchUp(p Page) (rows []string) {
	th := s.env.Theme
	if s.front != p.Key {
		if s.front != nil {
			rows = append(rows, "")
		}
		rows = append(rows, text.Truncate(th.Dim.Paint("── ")+th.Strong.Paint(p.Name)+th.Dim.Paint(" · "+words.OneLine(p.About)+" ──"), p.Width, "…"))
		if !p.Begun() { // later entries bring their own
			rows = append(rows, "")
		}
		s.front, s.caught = p.Key, false
	}
	if !s.caught {
		s.caught = true
		if n := p.Skip(s.most); n > 0 {
			rows = append(rows, text.Truncate(th.Dim.Paint(fmt.Sprintf("  … %d earlier entries: %s shows them", n, s.env.Keys.ChatKey(intent.PageUp))), p.Width, "…"))
		}
	}
	return rows
}
