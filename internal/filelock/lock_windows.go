package filelock

import (
	"os"
	"time"
)

// Lock does nothing: an open file cannot be removed.
func Lock(*os.File) bool { return true }

// Share does nothing here.
func Share(*os.File) {}

// InUse reports false: removing an open file fails anyway.
func InUse(string, time.Duration) bool { return false }
