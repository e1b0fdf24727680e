//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Lock claims an open file until it is closed, or its process gone; false where
// another has it. A file system without locks counts as claimed.
func Lock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}

// Share waits until nobody has claimed an open file, for at most a second, and keeps
// others from claiming it until it is closed.
func Share(f *os.File) {
	for range 1000 {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// InUse tells whether somebody has the file. What cannot be told counts as used, so
// that it stays. Where there are no locks, one that changed within idle is in use.
func InUse(path string, _ time.Duration) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return !Lock(f)
}
