//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// reviewOf returns what `parley review --json` prints of a session's only changed file.
func reviewOf(t *testing.T, dir string, env []string, session string) (f struct {
	Path, Diff, NoUndo string
	Added, Removed     int
	Undone             bool
}) {
	t.Helper()
	r := runEnv(t, dir, env, "review", "--json", session)
	var got struct {
		Files []json.RawMessage
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || len(got.Files) != 1 {
		t.Fatalf("%+v: %v", r, err)
	}
	if err := json.Unmarshal(got.Files[0], &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// What an agent changed is reviewed and undone after parley has ended, or was killed, and the session
// was resumed.
func TestUndoAfterResume(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Screen){
		"quit":   func(s *Screen) { s.Press("ctrl+d") },
		"killed": func(s *Screen) { s.Kill(syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, state := workDir(t), t.TempDir()
			notes := filepath.Join(dir, "notes.txt")
			write(t, notes, "one\n")
			env := append(keptIn(t, dir), "PARLEY_STATE="+state)
			resume := append([]string{"--resume", "old-1"}, scripted(t)...)
			s := StartEnv(t, 100, 40, dir, env, resume...)
			history(s, "old-1")
			s.Prompt("save")
			s.WaitFor("y Allow once", "esc rejects · h hunks")
			s.Press("y")
			s.WaitFor("saved it")
			s.WaitIdle()
			for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
				if kept, _ := filepath.Glob(filepath.Join(state, "undo", "kept-*", "changes.json")); len(kept) == 1 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("nothing is kept")
				}
			}
			end(s)
			s.ExitCode()
			if got := read(t, notes); got != "two\n" {
				t.Fatalf("the file holds %q", got)
			}
			if f := reviewOf(t, dir, env, "old-1"); f.Path != notes || f.Added != 1 || f.Removed != 1 || f.Undone || f.NoUndo != "" {
				t.Errorf("%+v", f)
			}

			s = StartEnv(t, 100, 40, dir, env, resume...)
			history(s, "old-1")
			s.WaitFor("+1 −1")
			s.Prompt("/review")
			s.WaitFor("M notes.txt", "- one", "+ two")
			s.Press("esc")
			s.WaitGone("Review:")
			s.Prompt("/undo")
			s.WaitFor("Restore the last turn: 1 file")
			s.Press("enter")
			s.WaitFor("Restored 1 file")
			if got := read(t, notes); got != "one\n" {
				t.Errorf("the file holds %q", got)
			}
			end(s)
			s.ExitCode()
			if f := reviewOf(t, dir, env, "old-1"); !f.Undone {
				t.Errorf("%+v", f)
			}
			left, err := os.ReadDir(filepath.Join(state, "undo"))
			if name == "quit" && len(left) != 1 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}
