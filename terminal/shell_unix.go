//go:build unix

package terminal

import (
	"os/exec"

	"parley/internal/process"
)

// shell returns the command that runs a command line. A configured shell that is missing is an error; without one the
// user's own is taken, or sh.
func (s *Service) shell(line, dir string, env []string) (*exec.Cmd, error) {
	name := s.o.Shell
	if name == "" {
		name, _ = process.Getenv(s.o.Environ, "SHELL")
	}
	path, err := process.LookPath(name, dir, env)
	if err != nil && s.o.Shell == "" {
		path, err = process.LookPath("sh", dir, env)
		if err != nil {
			path, err = process.LookPath("/bin/sh", dir, env)
		}
	}
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{Path: path, Args: []string{path, "-c", line}}, nil
}
