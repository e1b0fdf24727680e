//go:build unix

package e2e

import (
	"path/filepath"
	"testing"
)

// shell runs parley. If parley was stopped, the shell resumes it after an enter.
const shell = `"$@"; echo "stopped, enter goes on"; read line; fg >/dev/null; echo "ended with $?"`

func startByShell(t *testing.T, dir string, args []string) *Screen {
	t.Helper()
	return startIn(t, 80, 24, dir, nil, append([]string{filepath.Join(toolbox, "sh"), "-mc", shell, "sh", parley}, args...))
}

// full reports whether parley is on the alternate screen.
func (s *Screen) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.IsAltScreen()
}
