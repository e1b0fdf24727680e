package toolserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
)

// socket is a listener in a directory that no other user can enter.
type socket struct {
	listener net.Listener
	dir      string
	path     string
}

// maxSocketPath is the longest name of a Unix socket that works on every system (sun_path),
// less one byte for the NUL.
const maxSocketPath = 103

// listen makes a socket in the first directory where its name fits.
func listen() (*socket, error) {
	var all error
	for _, parent := range parents() {
		s, err := listenIn(parent)
		if err == nil {
			return s, nil
		}
		all = errors.Join(all, err)
	}
	return nil, all
}

// parents returns the candidates for the parent of the socket's directory, the user's own
// first.
func parents() []string {
	var all []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		all = append(all, dir)
	}
	all = append(all, os.TempDir())
	if runtime.GOOS != "windows" {
		all = append(all, "/tmp")
	}
	return all
}

func listenIn(parent string) (_ *socket, err error) {
	dir, err := os.MkdirTemp(parent, "parley-") // 0700
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	s := &socket{dir: dir, path: filepath.Join(dir, "mcp")}
	if len(s.path) > maxSocketPath {
		return nil, fmt.Errorf("%s: the name is too long for a socket", s.path)
	}
	if s.listener, err = net.Listen("unix", s.path); err != nil {
		return nil, err
	}
	if runtime.GOOS == "windows" { // where a mode means nothing; the directory is the user's own
		return s, nil
	}
	if err = os.Chmod(s.path, 0o600); err != nil {
		s.listener.Close()
		return nil, err
	}
	return s, nil
}
