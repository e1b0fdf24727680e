//go:build unix

package localsock

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// checkPrivate reports why a directory is not the user's alone.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !ok || int(stat.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others can enter %s: chmod 700 it", dir)
	}
	return nil
}

// peer is the process at the other end. pid is negative where the system does not say.
type peer struct{ uid, pid int }

// checkListener returns an error unless the other side belongs to this user. Where programs in the sandbox may write, it
// must be the process that the path names, since sockets may have been swapped, and none of these programs: the user would
// type into it.
func checkListener(conn *net.UnixConn, path string) error {
	return checkUser(conn, func(fd int, p peer) error {
		switch {
		case outOfReach(filepath.Dir(path), []string{os.TempDir(), "/tmp", "/var/tmp"}):
			return nil
		case p.pid >= 0 && p.pid != owner(path):
			return fmt.Errorf("another process listens at %s", path)
		}
		return checkProcess(fd, p.pid, false)
	})
}

// checkPeer returns an error unless the peer may connect to this process.
func checkPeer(conn *net.UnixConn) error {
	return checkUser(conn, func(fd int, p peer) error { return checkProcess(fd, p.pid, true) })
}

// outOfReach reports whether programs in the sandbox cannot write in the directory of a socket. temps are the
// directories for temporary files: those of a keeper may have had another one than this process.
func outOfReach(dir string, temps []string) bool {
	if !slices.Contains(private(), dir) {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for _, temp := range temps {
		for _, dir := range []string{dir, real} {
			if rel, err := filepath.Rel(temp, dir); err == nil && filepath.IsLocal(rel) {
				return false
			}
		}
	}
	return true
}

// checkUser returns an error unless the other side belongs to this user and passes another check.
func checkUser(conn *net.UnixConn, more func(fd int, p peer) error) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		switch p, err := peerOf(int(fd)); {
		case err != nil:
			refused = err
		case p.uid != os.Getuid():
			refused = errors.New("the other side belongs to another user")
		default:
			refused = more(int(fd), p)
		}
	})
	return cmp.Or(err, refused)
}
