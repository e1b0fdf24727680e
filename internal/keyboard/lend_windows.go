package keyboard

import (
	"context"
	"io"
)

// Lend is not possible here: there are no pseudo terminals.
func Lend(_ context.Context, _ io.Reader, _ io.Writer, cmd Command, _, _ string) error {
	cmd.Close()
	return ErrNoTerminal
}
