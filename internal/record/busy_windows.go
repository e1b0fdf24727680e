package record

import (
	"errors"

	"golang.org/x/sys/windows"
)

// busy reports whether a file could not be removed because it is open.
func busy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
