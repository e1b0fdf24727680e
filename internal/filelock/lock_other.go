//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"os"
	"time"
)

// Lock does nothing here: see InUse.
func Lock(*os.File) bool { return true }

// Share does nothing here.
func Share(*os.File) {}

// Locked reports false: it is not known.
func Locked(string) bool { return false }

// InUse reports whether the file changed within idle.
func InUse(path string, idle time.Duration) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	return time.Since(info.ModTime()) < idle
}
