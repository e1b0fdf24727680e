package filelock

import (
	"os"
	"time"
)

// Lock has nothing to do: a file that is open cannot be removed.
func Lock(*os.File) bool { return true }

// Share has nothing to do here.
func Share(*os.File) {}

// InUse leaves it to the removal, which fails.
func InUse(string, time.Duration) bool { return false }
