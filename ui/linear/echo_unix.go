//go:build unix

package linear

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// unseen is the state of a terminal that does not show what is typed.
func unseen(s term.State) *term.State {
	s.Lflag &^= unix.ECHO
	return &s
}
