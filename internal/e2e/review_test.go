//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
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
	must.Do(t, json.Unmarshal(got.Files[0], &f))
	return f
}

// notRecorded is what a review says where git is not installed.
const notRecorded = "Unreported files are not recorded: git was not found"

// notRecordedHere returns what a review says in a directory that is in no repository.
func notRecordedHere() string {
	if _, err := exec.LookPath("git"); err != nil {
		return notRecorded
	}
	return "Unreported files are not recorded: not a git repository"
}

// Without git, a file that the agent writes itself after asking is reviewed and undone. The review says that other files are not recorded.
func TestUndoWithoutGit(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (dir, notes string) {
		dir = workDir(t)
		notes = filepath.Join(dir, "notes.txt")
		write(t, notes, "one\n")
		return dir, notes
	}
	t.Run("screen", func(t *testing.T) {
		t.Parallel()
		dir, notes := begin(t)
		noRepository := notRecordedHere()
		s := StartEnv(t, 80, 24, dir, []string{"PATH=" + os.Getenv("PATH")}, scripted(t)...)
		s.WaitFor(placeholder)
		s.Prompt("/trust")
		s.WaitFor("Nothing changed or run in this session")
		s.Prompt("hello")
		s.WaitFor("heard: hello")
		s.WaitIdle()
		s.Press("f5")
		s.WaitFor("No changes recorded. " + noRepository)
		s.Prompt("/undo")
		s.WaitFor("No changes recorded. " + noRepository)
		s.Prompt("/trust")
		s.WaitFor("No changes recorded. " + noRepository)
		s.Prompt("overwrite")
		s.WaitFor(armed)
		s.Press("y")
		s.WaitFor("that was it", "scripted · +1 −1")
		s.WaitIdle()
		s.Press("f5")
		s.WaitFor("Review: turn 2 · 1 file +1 −1", "M notes.txt", "- one", "+ the only line", noRepository)
		s.Press("U")
		s.WaitFor("Restored notes.txt")
		s.WaitFileText(notes, "one\n")
		s.Press("r")
		s.WaitFileText(notes, "the only line\n")
		s.Press("esc")
		s.WaitGone("Review:")
		s.Prompt("/trust")
		s.WaitFor("Trust: what the agent did", "Edit  Write notes.txt", noRepository)
		s.Press("esc")
		s.WaitGone("Trust: what")
		s.Prompt("/undo")
		s.WaitFor("Restore the last turn: 1 file", noRepository)
		s.Press("enter")
		s.WaitFileText(notes, "one\n")
		s.quits()
	})
	t.Run("lines", func(t *testing.T) {
		t.Parallel()
		dir, notes := begin(t)
		s := Start(t, 100, 40, dir, append([]string{"--linear"}, scripted(t)...)...)
		s.WaitFor("You:")
		s.Type("overwrite\r")
		s.WaitFor("Answer 1 to 2:")
		answered(s, "1", "Allowed by you")
		s.WaitFor("Turn ended.")
		s.Type("/review\r")
		s.WaitFor("changed notes.txt on disk, 1 line added, 1 removed.", notRecorded+".")
		s.Type("/undo\r")
		s.WaitFor("Restore what the last turn changed, 1 file?")
		answered(s, "1", "Restored notes.txt")
		s.WaitFileText(notes, "one\n")
	})
	t.Run("run", func(t *testing.T) {
		t.Parallel()
		dir, notes := begin(t)
		if r := run(t, dir, "", append([]string{"run", "--approve-all", "overwrite"}, scripted(t)...)...); r.code != 0 || read(t, notes) != "the only line\n" {
			t.Fatalf("%+v", r)
		}
		r := run(t, dir, "", "review")
		if want := "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,1 +1,1 @@\n-one\n+the only line\n"; !strings.Contains(r.stdout, want) || r.stderr != "parley: "+notRecorded+"\n" {
			t.Errorf("%+v", r)
		}
		if f := reviewOf(t, dir, nil, "s1"); f.Path != notes || f.NoUndo != "" {
			t.Errorf("%+v", f)
		}
	})
}

const burstFiles = 400

// Nothing is missed of an agent that writes the moment it has the prompt, or the review says so.
func TestBurst(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	for n := range burstFiles / 2 { // the others are new
		write(t, filepath.Join(dir, fmt.Sprintf("burst%d", n)), "then\n")
	}
	gittest.Run(t, dir, "add", "-A")
	cmd := command(dir, append([]string{"run", "--approve-all", "burst"}, scripted(t)...)...)
	cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"))
	if r := finished(t, cmd); r.code != 0 || r.stderr != "" {
		t.Fatalf("%+v", r)
	}
	r := runEnv(t, dir, nil, "review", "--json", "s1")
	var got struct {
		NotRecorded []string
		Files       []struct{ Path, Kind, NoUndo string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	created, failed := 0, 0
	for _, f := range got.Files {
		if f.Kind == "created" {
			created++
		}
		if f.NoUndo != "" {
			failed++
		}
	}
	if len(got.NotRecorded) == 1 && strings.HasPrefix(got.NotRecorded[0], "What changed in the first ") {
		t.Skip("the machine was too busy, which the review says")
	}
	if len(got.Files) != burstFiles || created != burstFiles/2 || failed > 0 || len(got.NotRecorded) > 0 {
		t.Errorf("%d files, %d of them created, %d cannot be undone; not recorded: %q", len(got.Files), created, failed, got.NotRecorded)
	}
}

// What an agent changed is reviewed and undone after parley has ended, or was killed, and the session
// was resumed.
func TestUndoAfterResume(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Screen){
		"quit":   func(s *Screen) { s.Press("ctrl+d") },
		"killed": func(s *Screen) { s.Kill(syscall.SIGKILL); s.ExitCode(); s.noneLeft() }, // the agent may end later
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
			s.WaitFor("y Allow once", "esc reject · h hunks")
			s.Press("y")
			s.WaitFor("saved it")
			s.WaitIdle()
			s.poll("what is kept", func() bool {
				kept, _ := filepath.Glob(filepath.Join(state, "undo", "kept-*", "changes.json"))
				return len(kept) == 1
			})
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
			s.WaitFor("Restored notes.txt")
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
