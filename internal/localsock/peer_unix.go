//go:build unix

package localsock

import (
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

// peer is the process at the other end.
type peer struct{ uid, pid int }

// checkListener returns an error unless the other side belongs to this user. Where programs in the sandbox may write, it
// must not be one of these: the user would type into it.
func checkListener(conn *net.UnixConn, path string) error {
	p, err := userOf(conn)
	if err != nil || outOfReach(filepath.Dir(path), []string{os.TempDir(), "/tmp", "/var/tmp"}) {
		return err
	}
	return checkProcess(p.pid, false)
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

func userOf(conn *net.UnixConn) (p peer, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return p, err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { p, failed = peerOf(int(fd)) }); err != nil {
		return p, err
	}
	if failed != nil {
		return p, failed
	}
	if p.uid != os.Getuid() {
		return p, fmt.Errorf("the other side belongs to another user")
	}
	return p, nil
}

// checkPeer returns an error unless the peer may connect to this process.
func checkPeer(conn *net.UnixConn) error {
	p, err := userOf(conn)
	if err != nil {
		return err
	}
	return checkProcess(p.pid, true)
}
