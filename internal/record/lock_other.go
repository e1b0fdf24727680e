//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package record

import (
	"os"
	"time"
)

// lock has nothing to do here; inUse goes by the time of the last line.
func lock(*os.File) bool { return true }

func inUse(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || time.Since(info.ModTime()) < 24*time.Hour
}

func busy(error) bool { return false }
