//go:build unix

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// waitKept waits until a file under the test's home contains the text.
func (s *Screen) waitKept(text string) {
	s.t.Helper()
	s.poll("a file with "+text, func() (found bool) {
		filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
			// A file that is still to be renamed over another does not count yet.
			if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".new") && !strings.HasPrefix(path, filepath.Join(s.root, "work")) {
				data, _ := os.ReadFile(path)
				found = found || bytes.Contains(data, []byte(text))
			}
			return nil
		})
		return found
	})
}

// diskFull runs a program that cannot write any file, as on a full disk.
const diskFull = `ulimit -f 0; exec "$@"`

// On a full disk the chat works, and parley says what it cannot save.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	argv := append([]string{filepath.Join(toolbox, "sh"), "-c", diskFull, "sh", parley}, scripted(t)...)
	s := startIn(t, 100, 30, dir, nil, argv)
	s.WaitFor(placeholder)
	s.Prompt("hello")
	s.WaitFor("heard: hello")
	s.WaitIdle()
	s.Prompt("once more")
	s.WaitFor("heard: once more")
	s.WaitIdle()
	s.Type("a draft")
	s.WaitDraft("a draft")
	s.WaitFor("not saved")
	s.Press("ctrl+c")
	s.WaitDraft("")
	s.Press("ctrl+d")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// An agent's write on a full disk fails with an error to the agent, and the file is unchanged.
func TestFullDiskWrite(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\n")
	cmd := exec.Command(filepath.Join(toolbox, "sh"), "-c", diskFull, "sh", parley, "run", "--approve-all", "edit notes.txt", "--", "parley", "agent", "demo")
	cmd.Dir, cmd.Env = dir, environ(dir)
	r := finished(t, cmd)
	if r.code < 0 || strings.Contains(r.stderr, "goroutine ") {
		t.Errorf("it crashed: %d %s", r.code, r.stderr)
	}
	if got := read(t, notes); got != "one\n" {
		t.Errorf("notes.txt holds %q", got)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}

// Closing the pipe after the first line ends the run and every process it started.
func TestRunIntoClosedPipe(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "stream-json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			cmd := command(dir, append([]string{"run", "-o", format, "trickle"}, scripted(t)...)...)
			out := must.Get(cmd.StdoutPipe())(t)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			must.Do(t, cmd.Start())
			must.Get(out.Read(make([]byte, 1)))(t)
			out.Close()
			ended := make(chan struct{})
			go func() { cmd.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(patience):
				cmd.Process.Signal(syscall.SIGTERM)
				<-ended
				t.Error("parley still runs although its output is closed")
			}
			s := &Screen{t: t, root: filepath.Dir(dir)}
			s.noneLeft()
			if strings.Contains(stderr.String(), "goroutine ") {
				t.Errorf("it crashed: %s", stderr.String())
			}
		})
	}
}
