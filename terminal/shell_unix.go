//go:build unix

package terminal

import (
	"os/exec"
	"path/filepath"
	"slices"

	"parley/internal/process"
)

// posix are the shells that read a line as rules judge it. fish, csh and nu quote differently.
var posix = []string{"sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "oksh", "ash", "yash"}

// IsPosix reports whether a shell reads lines as POSIX says.
func IsPosix(shell string) bool { return slices.Contains(posix, filepath.Base(shell)) }

// shell returns the command that runs a command line. A configured shell that is missing is an
// error; without one it is the user's shell, or sh. Lines that the user did not type run in a POSIX
// shell.
func (s *Service) shell(line, dir string, env []string, own bool) (*exec.Cmd, error) {
	names := []string{s.o.Shell}
	if s.o.Shell == "" {
		names = []string{"/bin/sh", "sh"}
		name, _ := process.Getenv(s.o.Environ, "SHELL")
		if filepath.IsAbs(name) && (own || IsPosix(name)) { // a relative name would mean another program in each directory
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
