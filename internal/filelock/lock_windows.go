package filelock

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// Lock locks an open file until it is closed or the process ends. It reports false if
// another process has the lock. The lock is on a byte that no file has, so that the file can
// be read and written by everybody.
func Lock(f *os.File) bool {
	const exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), exclusive, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// Share does nothing here.
func Share(*os.File) {}

// Locked reports false: it is not known.
func Locked(string) bool { return false }

// InUse reports false: removing an open file fails anyway.
func InUse(string, time.Duration) bool { return false }
