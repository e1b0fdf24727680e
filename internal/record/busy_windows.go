package record

import (
	"errors"

	"golang.org/x/sys/windows"
)

// busy tells whether a file could not be removed because somebody has it open.
func busy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
