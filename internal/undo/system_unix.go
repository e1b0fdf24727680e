//go:build unix

package undo

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFlags prevent an open from waiting for the other end of a FIFO, and a terminal from becoming
// the controlling terminal.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// keepOwner gives a new file the owner of the one it replaces, if the process may do so.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	info, err := f.Stat()
	if err != nil {
		return
	}
	if is, ok := info.Sys().(*syscall.Stat_t); ok && (is.Uid != was.Uid || is.Gid != was.Gid) {
		_ = f.Chown(int(was.Uid), int(was.Gid))
	}
}
