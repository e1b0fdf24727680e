//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/internal/must"
)

// A signal that arrives as the editor ends, before parley has redrawn its screen, also leaves the
// terminal restored.
func TestSignalWhileEditorEnds(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	editor := filepath.Join(filepath.Dir(dir), "edit")
	must.Do(t, os.WriteFile(editor, []byte("#!/bin/sh\nkill -TERM $PPID\n"), 0o755))
	s := StartEnv(t, 90, 24, dir, []string{"EDITOR=" + editor}, scripted(t)...)
	s.WaitFor(placeholder)
	s.Press("ctrl+g")
	if code := s.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}

// ctrl+c interrupts only the program that has the terminal, if that program leaves the terminal in
// cooked mode.
func TestInterruptedEditor(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	editor := filepath.Join(filepath.Dir(dir), "edit")
	must.Do(t, os.WriteFile(editor, []byte("#!/bin/sh\necho editing\nread line\n"), 0o755))
	for _, mode := range [][]string{nil, {"--inline"}} {
		s := StartEnv(t, 90, 24, dir, []string{"EDITOR=" + editor}, append(mode, scripted(t)...)...)
		s.WaitFor("Ask the agent")
		s.Type("a draft")
		s.WaitFor("a draft")
		s.Press("ctrl+g")
		s.WaitFor("editing")
		s.Press("ctrl+c")
		s.WaitFor("The editor failed", "a draft")
		s.Press("ctrl+c", "ctrl+d") // parley has the terminal again
		if code := s.ExitCode(); code != 0 {
			t.Errorf("%v: exit code %d", mode, code)
		}
	}
}

// ctrl+z in the editor stops parley too; fg resumes both.
func TestStoppedEditor(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	editor := filepath.Join(filepath.Dir(dir), "edit")
	must.Do(t, os.WriteFile(editor, []byte("#!/bin/sh\necho editing\nread line\necho $line > \"$1\"\n"), 0o755))
	s := startIn(t, 80, 24, dir, []string{"EDITOR=" + editor}, append([]string{filepath.Join(toolbox, "sh"), "-mc", shell, "sh", parley}, scripted(t)...))
	s.WaitFor(placeholder)
	s.Press("ctrl+g")
	s.WaitFor("editing")
	s.Press("ctrl+z")
	s.WaitFor("stopped, enter goes on")
	s.Press("enter")
	s.Type("edited\r")
	s.WaitDraft("edited")
	s.Press("ctrl+c", "ctrl+d")
	s.WaitFor("ended with 0")
}

// A signal that arrives while an editor has the terminal ends both, and the terminal is restored.
func TestSignalWhileEditing(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	editor := filepath.Join(filepath.Dir(dir), "edit")
	must.Do(t, os.WriteFile(editor, []byte("#!/bin/sh\necho editing\nread line\n"), 0o755))
	s := StartEnv(t, 90, 24, dir, []string{"EDITOR=" + editor}, scripted(t)...)
	s.WaitFor(placeholder)
	s.Press("ctrl+g")
	s.WaitFor("editing")
	s.Kill(syscall.SIGTERM)
	if code := s.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}
