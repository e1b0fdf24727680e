package keyboard

import (
	"context"
	"io"
)

// Lend returns ErrNoTerminal: parley does not support pseudo terminals on Windows.
func Lend(_ context.Context, _ io.Reader, _ io.Writer, cmd Command, _, _ string) error {
	cmd.Close()
	return ErrNoTerminal
}

// Redraw does nothing.
func Redraw() {}
