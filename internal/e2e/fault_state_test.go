//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// If no state can be saved, the chat works, and parley says what it cannot save.
func TestStateNowhere(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]string{"below a file": "state/x", "a file": "state"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			root := filepath.Dir(dir)
			write(t, filepath.Join(root, "state"), "I am a file\n")
			s := StartEnv(t, 100, 30, dir, []string{"PARLEY_STATE=" + filepath.Join(root, place)}, scripted(t)...)
			s.WaitFor("not saved")
			s.Prompt("hello")
			s.WaitFor("heard: hello")
			s.WaitIdle()
			s.WaitGone("not saved")
			_, said := s.Raw(0)
			s.Prompt("once more")
			s.WaitFor("heard: once more")
			s.WaitIdle()
			s.Press("ctrl+d")
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if raw, _ := s.Raw(said); bytes.Contains(raw, []byte("not saved")) {
				t.Error("it is said again")
			}
		})
	}
}

// A configuration that cannot be written is an error that names the file.
func TestInitNowhere(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	file := filepath.Join(filepath.Dir(dir), "file")
	write(t, file, "")
	r := runEnv(t, dir, []string{"PARLEY_CONFIG=" + filepath.Join(file, "x", "config.toml")}, "config", "init")
	if r.code == 0 || !strings.Contains(r.stderr, "write the configuration: mkdir "+file) || strings.Contains(r.stderr, "goroutine ") {
		t.Errorf("code %d, %q", r.code, r.stderr)
	}
}

// Several parleys that write at once keep each other's lines whole.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	state := filepath.Join(filepath.Dir(dir), "state")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			cmd := command(dir, append([]string{"run", "--deny-all", "edit notes.txt"}, "--", "parley", "agent", "demo")...)
			cmd.Env = append(cmd.Env, "PARLEY_STATE="+state)
			if out, err := cmd.CombinedOutput(); bytes.Contains(out, []byte("goroutine ")) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	files, broken := 0, 0
	filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !slices.Contains([]string{".jsonl", ".json"}, filepath.Ext(path)) {
			return nil
		}
		files++
		for line := range strings.Lines(read(t, path)) {
			if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") {
				broken++
				t.Errorf("%s holds %.200q", path, line)
			}
		}
		return nil
	})
	if files == 0 {
		t.Error("nothing was kept")
	}
}

// A closed standard input or output is an error, not a crash, and leaves no process.
func TestRunWithoutStreams(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]string{"stdout": ">&-", "stderr": "2>&-", "stdin": "<&-", "all": "<&- >&- 2>&-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			argv := append([]string{"-c", `exec "$@" ` + closed, "sh", parley, "run", "hello"}, scripted(t)...)
			cmd := exec.Command(filepath.Join(toolbox, "sh"), argv...)
			cmd.Dir, cmd.Env = dir, environ(dir)
			r := finished(t, cmd)
			if r.code < 0 || r.code == 2 || strings.Contains(r.stderr, "goroutine ") {
				t.Errorf("code %d: %s", r.code, r.stderr)
			}
			if name != "stdout" && name != "all" && (r.code != 0 || !strings.Contains(r.stdout, "heard: hello")) {
				t.Errorf("code %d, %q, %q", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// agentOf finds the process of the agent.
func (s *Screen) agentOf(words string) int {
	s.t.Helper()
	for pid, line := range processesOf(s.root) {
		if strings.Contains(line, words) && !strings.HasPrefix(line, parley) {
			return pid
		}
	}
	s.t.Fatalf("no process runs %q", words)
	return 0
}

// A stopped agent does not block parley: keys are handled, esc says what it does, and quitting ends
// both.
func TestAgentIsStopped(t *testing.T) {
	t.Parallel()
	s := Start(t, 80, 24, workDir(t), faulty("", "", "")...)
	s.WaitFor(placeholder)
	s.Prompt("go on")
	s.WaitFor("first words")
	pid := s.agentOf("sh -c")
	must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	s.Press("esc")
	s.WaitFor("stopping")
	s.Type("typed on")
	s.WaitDraft("typed on")
	s.Press("ctrl+u")
	s.WaitDraft("")
	s.Type("/quit\r")
	s.ExitCode()
	s.noneLeft()
}

// An agent whose shell exits is gone even if a child that it forked still holds its output.
func TestAgentForksAndExits(t *testing.T) {
	t.Parallel()
	s := Start(t, 80, 24, workDir(t), faulty(`sleep 603 & exit 0`, "", "")...)
	s.WaitFor(placeholder)
	s.Prompt("go on")
	s.WaitFor("first words", "The agent has ended · enter restarts it")
	s.Kill(syscall.SIGTERM)
	s.ExitCode()
	s.noneLeft()
}

// Unusual sizes, and many of them in a row, do no harm and answer no question.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\n")
	s := Start(t, 80, 24, dir, "demo")
	s.WaitFor(placeholder)
	s.Prompt("edit notes.txt")
	s.WaitFor("demo asks")
	for i := range 1000 {
		size := [][2]int{{0, 0}, {1, 1}, {5000, 2}, {2, 500}, {20 + i%150, 5 + i%50}}[i%5]
		s.setsize(size[0], size[1])
	}
	s.Resize(100, 30)
	rows := s.WaitFunc("a whole screen with the question", func(rows []string) bool {
		return rowOf(rows, "demo asks") >= 0 && framed(rows, 100) == ""
	})
	if len(rows) != 30 {
		t.Errorf("%d rows", len(rows))
	}
	if _, err := os.Stat(notes); err != nil || read(t, notes) != "one\n" {
		t.Error("something was approved")
	}
	s.WaitFor(armed)
	s.Press("n")
	s.WaitFor("That is all.")
	if read(t, notes) != "one\n" {
		t.Error("written anyway")
	}
}

// A window that was about one column wide is redrawn completely when it grows.
func TestResizeFromOneColumn(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 30, workDir(t), "demo")
	s.WaitFor(placeholder)
	for _, narrow := range [][2]int{{1, 1}, {0, 0}, {1, 40}, {2, 2}, {3, 30}} {
		_, mark := s.Raw(0)
		s.Resize(max(1, narrow[0]), max(1, narrow[1]))
		s.setsize(narrow[0], narrow[1])
		s.drawn(mark)
		s.Resize(100, 30)
		s.WaitFunc("a whole screen", func(rows []string) bool { return framed(rows, 100) == "" })
	}
}

// drawn waits for output after the mark, if there is any, and then for a pause in it.
func (s *Screen) drawn(mark int) {
	s.t.Helper()
	last := mark
	for range 10 { // a screen without cells gets no output
		time.Sleep(100 * time.Millisecond)
		_, at := s.Raw(0)
		if at > mark && at == last {
			return
		}
		last = at
	}
}
