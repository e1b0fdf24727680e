package linear

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// unseen is the state of a terminal that does not show what is typed.
func unseen(s term.State) *term.State {
	s.Mode &^= windows.ENABLE_ECHO_INPUT
	return &s
}
