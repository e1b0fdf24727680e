package record

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock has nothing to do: a file that is open cannot be removed.
func lock(*os.File) bool { return true }

func inUse(string) bool { return false }

// busy tells whether a file could not be removed because somebody has it open.
func busy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
