//go:build unix

package fsops

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// OpenFlags prevent an open from waiting for the other end of a FIFO, and a terminal from becoming
// the controlling terminal.
const OpenFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// IsNotDir reports whether a path goes through something that is no directory.
func IsNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// KeepOwner gives a new file the owner of the one it replaces, if the process may do so.
func KeepOwner(f *os.File, old fs.FileInfo) {
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

// isRemote returns false: a path of a Unix system names no other host.
func isRemote(string) bool { return false }

// checkNames accepts every name.
func checkNames(string) error { return nil }
