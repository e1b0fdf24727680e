// Package localsock has the sockets by which programs of one user reach each other: a Unix socket in a
// directory that is the user's alone, with the other side's user checked.
//
// A program in parley's sandbox runs as the same user, and nothing in the sandbox keeps it from connecting.
// So on Linux a peer that is restricted (it can gain no privileges, which the sandbox needs) is refused by a
// listener that is not, and so is one that descends from the listener.
package localsock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/internal/record"
)

// longest is how long the path of a socket may be, in bytes: 104 with its end on some systems.
const longest = 100

// Path returns a path for a socket on which this process listens. Its file is named after name, the process and kind. Its
// directory is the user's alone, and is made: below $XDG_RUNTIME_DIR, else where parley keeps its state or, if that path
// is too long, the directory for temporary files.
func Path(name, kind string) (string, error) {
	const most = 16
	return pathOf(fmt.Sprintf("%s.%d.%s", strings.ToValidUTF8(name[:min(len(name), most)], ""), os.Getpid(), kind))
}

// owner returns the process that listens at a path of Path's, 0 if it does not say.
func owner(path string) int {
	parts := strings.Split(filepath.Base(path), ".")
	pid, _ := strconv.Atoi(parts[max(0, len(parts)-2)])
	return pid
}

// pathOf returns the path of a socket with this file's name.
func pathOf(file string) (string, error) {
	places := append(private(), filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid())))
	var first error
	for _, dir := range places {
		path := filepath.Join(dir, file)
		if len(path) > longest {
			continue
		}
		err := makePrivate(dir)
		if err == nil {
			return path, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = fmt.Errorf("%s: the path is too long for a socket", filepath.Join(places[len(places)-1], file))
	}
	return "", first
}

// private returns the directories in which nothing but parley writes, unless they are among temporary files.
func private() (dirs []string) {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "parley"))
	}
	if dir, err := record.StateDir(); err == nil {
		dirs = append(dirs, filepath.Join(dir, "sockets"))
	}
	return dirs
}

// makePrivate makes a directory that only the user can enter. One that is there must be so.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return checkPrivate(dir)
}

// Listen listens at a path that Path has returned. What is there is removed: the caller knows that it is its own.
func Listen(path string) (net.Listener, error) {
	if err := checkPrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		ln.Close()
		return nil, err
	}
	return listener{ln.(*net.UnixListener)}, nil
}

type listener struct{ *net.UnixListener }

// Accept implements net.Listener. Peers that may not connect are closed.
func (l listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if checkPeer(conn) == nil {
			return conn, nil
		}
		conn.Close()
	}
}

// Dial connects to a listener of the same user, at a path that Path has returned there. If nothing is at the path, that is
// where the directories of this process are: the home directory may have been moved.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	conn, err := dial(ctx, path)
	if moved, failed := pathOf(filepath.Base(path)); errors.Is(err, os.ErrNotExist) && failed == nil && moved != path {
		return dial(ctx, moved)
	}
	return conn, err
}

func dial(ctx context.Context, path string) (net.Conn, error) {
	if err := checkPrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := checkListener(conn.(*net.UnixConn), path); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
