package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// reviewed is what `parley review --json` prints.
type reviewed struct {
	Session, Agent, Cwd string
	Turns               []int
	Files               []struct {
		Path, Kind, By, NoUndo, Diff string
		Turn, Added, Removed         int
		Undone                       bool
	}
}

// What `parley run` has changed is reviewed later: as a patch, as JSON, and in a list.
func TestReview(t *testing.T) {
	git, noGit := exec.LookPath("git")
	s := newShell(t)
	here := must.Get(os.Getwd())(t)
	here = must.Get(filepath.EvalSymlinks(here))(t)
	if r := s.run("", "review"); r.code != 4 || r.out != "" || !strings.Contains(r.stderr, "no such session with changes in "+here) {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "review", "--list"); r.code != 0 || r.out != "No changes are recorded\n" {
		t.Errorf("got %+v", r)
	}
	write(t, "f.txt", "a\nb\n")
	// Times of files are coarse: one of this moment could be of the turn, and is not certain to be older.
	for written := time.Now(); time.Since(written) < 100*time.Millisecond; {
		time.Sleep(10 * time.Millisecond)
	}
	if r := s.run("", "run", "--agent", "demo", "--approve-all", "edit f.txt"); r.code != 0 {
		t.Fatalf("got %+v", r)
	}
	r := s.run("", "review")
	want := "changed f.txt via parley, turn 1, +1 -0\n" +
		"diff --git a/f.txt b/f.txt\n--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,3 @@\n a\n b\n+demo agent was here (1)\n"
	if r.code != 0 || r.out != want || r.stderr != "parley: Unreported files are not recorded: git was not found\n" {
		t.Errorf("got %+v, want %q", r, want)
	}
	if noGit == nil {
		cmd := exec.Command(git, "apply", "--reverse")
		cmd.Stdin = strings.NewReader(r.out)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v", out, err)
		}
		if got, _ := os.ReadFile("f.txt"); string(got) != "a\nb\n" {
			t.Errorf("the file holds %q", got)
		}
	}

	r = s.run("", "review", "--json")
	var got reviewed
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || r.code != 0 {
		t.Fatalf("%+v: %v", r, err)
	}
	if len(got.Files) != 1 || got.Agent != "demo" || got.Cwd != here || !slices.Equal(got.Turns, []int{1}) {
		t.Fatalf("got %+v", got)
	}
	f := got.Files[0]
	if f.Path != filepath.Join(here, "f.txt") || f.Kind != "changed" || f.By != "written via parley" || f.Turn != 1 || f.Added != 1 || f.Removed != 0 || f.Undone || !strings.HasPrefix(f.Diff, "diff --git ") {
		t.Errorf("got %+v", f)
	}
	write(t, "f.txt", "mine\n")
	if r := s.run("", "review", got.Session); !strings.HasPrefix(r.out, "changed f.txt via parley, turn 1, +1 -0, cannot be undone: it was changed since\n") {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "review", "--list"); r.code != 0 || !strings.Contains(r.out, got.Session) || !strings.Contains(r.out, "demo") || !strings.Contains(r.out, "edit f.txt") {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "review", "--turn", "2"); r.code != 0 || r.out != "" || !strings.Contains(r.stderr, "no changes in turn 2; turns with changes: 1") {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "review", "--turn", "1", "EDIT f.txt"); r.code != 0 || !strings.HasPrefix(r.out, "changed f.txt") {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "review", "nobody"); r.code != 4 || !strings.Contains(r.stderr, "no such session with changes: nobody") {
		t.Errorf("got %+v", r)
	}
	s.usage([]string{"review", "a", "b"}, "only one session")
	s.usage([]string{"review", "--turn", "0"}, "--turn 0")
	s.usage([]string{"review", "--list", "a"}, "--list takes no session")
	t.Chdir(t.TempDir())
	if r := s.run("", "review"); r.code != 4 {
		t.Errorf("in another directory: %+v", r)
	}
	if r := s.run("", "run", "--agent", "demo", "hello"); r.code != 0 {
		t.Fatalf("got %+v", r)
	}
	if r := s.run("", "review"); r.code != 0 || r.out != "" || !strings.Contains(r.stderr, "Unreported files are not recorded: git was not found\n") || !strings.Contains(r.stderr, " has no recorded changes\n") {
		t.Errorf("without changes: %+v", r)
	}
	if r := s.run("", "review", "--list"); strings.Count(r.out, "\n") != 2 {
		t.Errorf("got %+v", r)
	}
}

// If nothing can be recorded, the review says why.
func TestReviewNowhereToKeep(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("root could make the directory")
	}
	s := newShell(t)
	t.Setenv("PARLEY_STATE", "/proc/parley")
	if r := s.run("", "review"); r.code != 4 || !strings.Contains(r.stderr, "parley: changes are not recorded: ") || !strings.Contains(r.stderr, "mkdir /proc/parley") {
		t.Errorf("got %+v", r)
	}
}

// Without logs nothing is kept.
func TestReviewNotKept(t *testing.T) {
	s := newShell(t)
	s.configure("keep_changes = false\n")
	if r := s.run("", "run", "--agent", "demo", "--approve-all", "edit f.txt"); r.code != 0 {
		t.Fatalf("got %+v", r)
	}
	if r := s.run("", "review"); r.code != 4 {
		t.Errorf("got %+v", r)
	}
}
