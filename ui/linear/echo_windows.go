package linear

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// unseen returns the state of a terminal with the echo off.
func unseen(s term.State) *term.State {
	s.Mode &^= windows.ENABLE_ECHO_INPUT
	return &s
}
