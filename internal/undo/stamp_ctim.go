//go:build linux || openbsd || dragonfly || solaris

package undo

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ctime = sys.Ctim.Nano()
		s.dev, s.ino = uint64(sys.Dev), uint64(sys.Ino)
	}
	return s
}
