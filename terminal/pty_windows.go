package terminal

import (
	"os"
	"os/exec"
)

// CanAttend tells whether commands can be attended on this system at all.
const CanAttend = false

// OpenPTY is not possible here.
func OpenPTY() (ours, theirs *os.File, err error) { return nil, nil, ErrNoPTY }

// Control does nothing here.
func Control(*exec.Cmd) {}

// SetSize is not possible here.
func SetSize(*os.File, int, int) error { return ErrNoPTY }
