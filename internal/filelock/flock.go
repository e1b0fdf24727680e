//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Lock locks an open file until it is closed or the process ends. It reports false if
// another process has the lock. A file system without locks counts as locked.
func Lock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}

// Share waits at most a second until no one has locked an open file, and prevents locking
// until the file is closed.
func Share(f *os.File) {
	for range 1000 {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Locked reports whether a process has locked a file. Unlike with InUse, one that only asks does not count.
func Locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// InUse reports whether a file is locked. If that is unknown it reports true, so that the
// file stays. Without locks, a file that changed within idle is in use.
func InUse(path string, _ time.Duration) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return !Lock(f)
}
