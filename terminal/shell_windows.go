package terminal

import (
	"os/exec"
	"syscall"

	"parley/internal/process"
)

// IsPosix reports whether a shell reads lines as POSIX says.
func IsPosix(string) bool { return false }

// shell returns the command that runs a command line. With /s, cmd uses everything between the
// outer quotes unchanged. A configured shell is given -c.
func (s *Service) shell(line, dir string, env []string, _ bool) (*exec.Cmd, error) {
	if s.o.Shell != "" {
		path, err := process.LookPath(s.o.Shell, dir, env)
		if err != nil {
			return nil, err
		}
		return &exec.Cmd{Path: path, Args: []string{path, "-c", line}}, nil
	}
	name, _ := process.Getenv(s.o.Environ, "COMSPEC")
	if name == "" {
		name = "cmd.exe"
	}
	path, err := process.LookPath(name, dir, env)
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{
		Path:        path,
		SysProcAttr: &syscall.SysProcAttr{CmdLine: `cmd /s /c "` + line + `"`},
	}, nil
}
