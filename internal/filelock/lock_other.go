//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"os"
	"time"
)

// Lock has nothing to do here: see InUse.
func Lock(*os.File) bool { return true }

// Share has nothing to do here.
func Share(*os.File) {}

// InUse goes by the time of the last change.
func InUse(path string, idle time.Duration) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	return time.Since(info.ModTime()) < idle
}
