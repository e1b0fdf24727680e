//go:build unix

package linear

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// unseen returns the state of a terminal with the echo off.
func unseen(s term.State) *term.State {
	s.Lflag &^= unix.ECHO
	return &s
}
