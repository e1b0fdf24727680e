//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A signal that comes as the editor ends, before there is a screen again, leaves
// the terminal as it was, too.
func TestSignalWhileEditorEnds(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	editor := filepath.Join(filepath.Dir(dir), "edit")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nkill -TERM $PPID\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := StartEnv(t, 90, 24, dir, []string{"EDITOR=" + editor}, scripted(t)...)
	s.WaitFor(placeholder)
	s.Press("ctrl+g")
	if code := s.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}
