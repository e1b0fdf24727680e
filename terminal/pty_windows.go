package terminal

import (
	"os"
	"os/exec"
)

// CanAttend reports whether this system supports attended commands.
const CanAttend = false

// OpenPTY returns ErrNoPTY.
func OpenPTY() (ours, theirs *os.File, err error) { return nil, nil, ErrNoPTY }

// Control does nothing here.
func Control(*exec.Cmd) {}

// SetSize returns ErrNoPTY.
func SetSize(*os.File, int, int) error { return ErrNoPTY }
