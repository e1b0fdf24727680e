//go:build unix

package terminal

import (
	"os/exec"
	"path/filepath"

	"parley/internal/process"
)

// shell returns the command that runs a command line. A configured shell that is missing is an error; without one the
// user's own is taken, or sh.
func (s *Service) shell(line, dir string, env []string) (*exec.Cmd, error) {
	names := []string{s.o.Shell}
	if s.o.Shell == "" {
		names = []string{"/bin/sh", "sh"}
		if own, _ := process.Getenv(s.o.Environ, "SHELL"); filepath.IsAbs(own) { // else it is another one in each directory
			names = append([]string{own}, names...)
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
