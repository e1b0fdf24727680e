//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package undo

import (
	"errors"
	"os"
	"syscall"
)

// lock claims an open file until it is closed, or its process gone; false where
// another has it. A file system without locks counts as claimed.
func lock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}

// inUse tells whether a Journal has the file. What cannot be told counts as used,
// so that it stays.
func inUse(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close()
	return !lock(f)
}
