//go:build unix

package terminal

import (
	"os/exec"
	"path/filepath"
	"slices"

	"parley/internal/process"
)

// posix are the shells that read a line as agents mean it and rules judge it. To fish, csh or nu the quotes of the same
// line end elsewhere.
var posix = []string{"sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "oksh", "ash", "yash"}

// shell returns the command that runs a command line. A configured shell that is missing is an error; without one the
// user's own is taken, or sh. Lines that are not the user's own run in a POSIX shell.
func (s *Service) shell(line, dir string, env []string, own bool) (*exec.Cmd, error) {
	names := []string{s.o.Shell}
	if s.o.Shell == "" {
		names = []string{"/bin/sh", "sh"}
		name, _ := process.Getenv(s.o.Environ, "SHELL")
		if filepath.IsAbs(name) && (own || slices.Contains(posix, filepath.Base(name))) { // else it is another one in each directory
			names = append([]string{name}, names...)
		}
	}
	var err error
	for _, name := range names {
		var path string
		if path, err = process.LookPath(name, dir, env); err == nil {
			return &exec.Cmd{Path: path, Args: []string{path, "-c", line}}, nil
		}
	}
	return nil, err
}
