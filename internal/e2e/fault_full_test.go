//go:build unix

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/internal/memory"
	"parley/internal/must"
	"parley/internal/questions"
	"parley/internal/record"
	"parley/ui/layer"
)

// The test binary runs a program with a limit on file size, like a disk that is nearly full. A file
// that is already that long cannot be written; a longer write is cut short.
func init() {
	if len(os.Args) < 4 || os.Args[1] != "limited" {
		return
	}
	most, err := strconv.ParseUint(os.Args[2], 10, 64)
	if err == nil {
		var limit syscall.Rlimit
		set(&limit.Cur, most)
		set(&limit.Max, most)
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	}
	if err == nil {
		err = syscall.Exec(os.Args[3], os.Args[3:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(9)
}

// set exists because the field is signed on some systems and unsigned on others.
func set[T int64 | uint64](limit *T, to uint64) { *limit = T(to) }

// limited returns the command line of parley with a limit in bytes on each file.
func limited(t *testing.T, most int, args ...string) []string {
	t.Helper()
	return append([]string{scripted(t)[1], "limited", strconv.Itoa(most), parley}, args...)
}

// limitedRun is limited for a run without a terminal.
func limitedRun(t *testing.T, dir string, most int, args ...string) *exec.Cmd {
	t.Helper()
	argv := limited(t, most, args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, environ(dir)
	return cmd
}

// stateOf returns the state directory of a test's parley.
func stateOf(dir string) string {
	return filepath.Join(filepath.Dir(dir), "home", ".local", "state", "parley")
}

// configured writes a configuration for the test's parley.
func configured(t testing.TB, dir, text string) (home string) {
	t.Helper()
	home = filepath.Join(filepath.Dir(dir), "home", ".config", "parley")
	must.Do(t, os.MkdirAll(home, 0o700))
	write(t, filepath.Join(home, "config.toml"), text)
	return home
}

// continues runs one more turn.
func (s *Screen) continues(prompt string) {
	s.t.Helper()
	s.WaitIdle()
	s.Prompt(prompt)
	s.WaitFor("heard: " + prompt)
	s.WaitIdle()
}

func (s *Screen) quits() {
	s.t.Helper()
	s.Press("ctrl+d")
	if code := s.ExitCode(); code != 0 {
		s.t.Errorf("exit code %d", code)
	}
}

// A question that cannot be recorded is still answered, and parley says so. Earlier records stay, a
// partial line is ignored, and recording continues once there is room.
func TestNoRoomForQuestions(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	kept := filepath.Join(stateOf(dir), "questions")
	must.Do(t, os.MkdirAll(kept, 0o700))
	sum := sha256.Sum256([]byte("s1"))
	file := filepath.Join(kept, hex.EncodeToString(sum[:12])+".jsonl")
	var text strings.Builder
	before := 0
	for ; text.Len() < 16<<10; before++ {
		fmt.Fprintf(&text, `{"time":"2026-01-01T00:00:00Z","session":"s1","key":%d,"run":"before","outcome":"written"}`+"\n", before)
	}
	write(t, file, text.String())
	asks := func(s *Screen) {
		s.t.Helper()
		s.WaitFor(placeholder)
		s.Prompt("ask")
		open(t, dir)
		s.WaitFor(armed)
		s.Press("y")
		s.WaitFor("the answer was go")
	}
	s := startIn(t, 120, 30, dir, nil, limited(t, text.Len()+100, scripted(t)...))
	asks(s)
	s.WaitFor("questions and answers are not recorded; make room on the disk")
	s.continues("hello")
	s.quits()
	if now := read(t, file); !strings.HasPrefix(now, text.String()) || len(now) != text.Len()+100 {
		t.Errorf("%d bytes of the record, %d before; or they are others", len(now), text.Len())
	}
	if entries, err := questions.Read(kept, "s1", 1e6); err != nil || len(entries) != before {
		t.Errorf("%d entries, %d before; %v", len(entries), before, err)
	}
	s = Start(t, 120, 30, dir, scripted(t)...)
	asks(s)
	s.quits()
	entries, err := questions.Read(kept, "s1", 1e6)
	if err != nil || len(entries) != before+1 || !entries[before].Allowed || entries[before].Decision != "Allow: Launch" {
		t.Errorf("%d entries, %d before; %v: %+v", len(entries), before, err, entries[before:])
	}
}

// A log that could not be written to its end says so. What it contains can be read, and the session
// is listed.
func TestNoRoomForLog(t *testing.T) {
	t.Parallel()
	const most = 64 << 10
	dir := workDir(t)
	s := startIn(t, 120, 30, dir, nil, limited(t, most, scripted(t)...))
	s.WaitFor(placeholder)
	s.Prompt("first of all")
	s.WaitFor("heard: first of all")
	s.WaitIdle()
	s.Prompt("flood")
	s.WaitFor("flood-is-over")
	s.WaitFor("the log of this session is incomplete; make room on the disk")
	s.continues("hello")
	s.quits()
	log := filepath.Join(stateOf(dir), "sessions")
	all, err := record.List(log)
	if err != nil || len(all) != 1 || len(all[0].Sessions) != 1 || all[0].Sessions[0].Prompts == 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	text := read(t, all[0].Path)
	if len(text) != most {
		t.Errorf("%d bytes were written", len(text))
	}
	lines := strings.SplitAfter(text, "\n")
	for _, line := range lines[:len(lines)-1] {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line is %.200q", line)
		}
	}
	if !strings.Contains(text, "heard: first of all") {
		t.Error("the first turn is not in it")
	}
}

// A rule that cannot be saved is not created: the file is unchanged, no temporary file is left, and
// the question can still be answered.
func TestNoRoomForRule(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\n")
	home := configured(t, dir, "record = false\n")
	rules := filepath.Join(home, "rules.toml")
	text := strings.Repeat("# a line of those that were there before\n", 500) + "[[deny]]\npath = \"secret/**\"\n"
	write(t, rules, text)
	s := startIn(t, 120, 40, dir, nil, limited(t, len(text)+20, "demo"))
	s.WaitFor(placeholder)
	s.Prompt("edit notes.txt")
	s.WaitFor(armed)
	s.Press("r")
	s.WaitFor("New rule")
	s.Press("enter")
	s.WaitFor("Rule not added; make room on the disk")
	if got := read(t, rules); got != text {
		t.Errorf("the rules were changed: %d bytes of %d", len(got), len(text))
	}
	if left, _ := os.ReadDir(home); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
	if got := read(t, notes); got != "one\n" {
		t.Errorf("it was written without an answer: %q", got)
	}
	s.WaitFor(armed)
	s.pressEvery(2*layer.Quiet, "y", "That is all.") // an answer that allows waits until no key was pressed for a while
	if got := read(t, notes); got == "one\n" {
		t.Error("the answer was not taken")
	}
	s.WaitIdle()
	s.quits()
	if r := run(t, dir, "", "rules", "check"); r.code != 0 || !strings.Contains(r.stdout, "1 rule, no mistakes") {
		t.Errorf("got %+v", r)
	}
}

// A write whose backup cannot be saved is still made, and parley says that it cannot be undone.
func TestNoRoomForUndo(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	text := strings.Repeat("one\n", 5<<10)
	write(t, notes, text)
	configured(t, dir, "record = false\n")
	s := startIn(t, 120, 40, dir, nil, limited(t, len(text)*3/2, "demo"))
	s.WaitFor(placeholder)
	s.Prompt("edit notes.txt")
	s.WaitFor("demo asks")
	s.Press("alt+a")
	s.PressUntil("G", armed)
	s.PressUntil("y", "That is all.")
	s.WaitFor("no copy of notes.txt is kept for undo; make room on the disk")
	changed := read(t, notes)
	if len(changed) < len(text) || changed == text {
		t.Errorf("the file has %d bytes, %d before", len(changed), len(text))
	}
	s.WaitIdle()
	s.Press("ctrl+u") // a repeated key may have arrived after the question closed
	s.Type("/undo\r")
	s.WaitFor("Restore files", "no copy of it could be written")
	s.Press("enter")
	s.WaitFor("Not restored: no copy of it could be written")
	if got := read(t, notes); got != changed {
		t.Errorf("it was spoiled: %d bytes", len(got))
	}
	s.quits()
}

// Earlier history stays, and a partial line is ignored.
func TestNoRoomForHistory(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	configured(t, dir, "record = false\n")
	history := memory.NewHistory(stateOf(dir), memory.Project(dir))
	for n := range 50 {
		must.Do(t, history.Add(fmt.Sprint("before ", n)))
	}
	before, err := history.Load()
	if err != nil || len(before) != 50 {
		t.Fatal(before, err)
	}
	files, _ := filepath.Glob(filepath.Join(stateOf(dir), "history", "*"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	s := startIn(t, 120, 30, dir, nil, limited(t, len(read(t, files[0]))+20, scripted(t)...))
	s.WaitFor(placeholder)
	s.Prompt("there is no room for this")
	s.WaitFor("heard: there is no room", "History is not saved; make room on the disk")
	s.continues("hello")
	s.quits()
	if got, err := memory.NewHistory(stateOf(dir), memory.Project(dir)).Load(); err != nil || !slices.Equal(got, before) {
		t.Errorf("%q, %v", got, err)
	}
	s = Start(t, 120, 30, dir, scripted(t)...)
	s.WaitFor(placeholder)
	s.continues("there is room again")
	s.quits()
	if got, err := memory.NewHistory(stateOf(dir), memory.Project(dir)).Load(); err != nil || !slices.Equal(got, append(before, "there is room again")) {
		t.Errorf("%q, %v", got, err)
	}
}

// parley says when a draft cannot be saved, and offers the previous one at the next start.
func TestNoRoomForDraft(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	configured(t, dir, "record = false\n")
	s := startIn(t, 120, 30, dir, nil, limited(t, 2048, scripted(t)...))
	s.WaitFor(placeholder)
	s.Type("a short one")
	s.waitKept("a short one")
	s.Paste(strings.Repeat("and a long one that was pasted\n", 200))
	s.WaitFor("Drafts are not saved; make room on the disk")
	s.Kill(syscall.SIGTERM)
	s.ExitCode()
	drafts, _ := os.ReadDir(filepath.Join(stateOf(dir), "drafts"))
	for _, d := range drafts {
		if !json.Valid([]byte(read(t, filepath.Join(stateOf(dir), "drafts", d.Name())))) {
			t.Errorf("%s is no draft", d.Name())
		}
	}
	s = Start(t, 120, 30, dir, scripted(t)...)
	s.WaitDraft("a short one")
}

// A configuration that cannot be written completely is not written at all, and does not block the
// next attempt. A run that can save nothing still answers.
func TestNoRoomForOneShots(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	file := filepath.Join(filepath.Dir(dir), "home", ".config", "parley", "config.toml")
	for _, most := range []int{0, 100} {
		r := finished(t, limitedRun(t, dir, most, "config", "init"))
		if r.code != 1 || !strings.Contains(r.stderr, "write the configuration; make room on the disk: ") || strings.Count(r.stderr, "\n") != 1 || r.stdout != "" {
			t.Errorf("%d bytes: %+v", most, r)
		}
		if got, err := os.ReadFile(file); !os.IsNotExist(err) {
			t.Errorf("%d bytes: left is %q", most, got)
		}
	}
	if r := run(t, dir, "", "config", "init"); r.code != 0 {
		t.Errorf("afterwards: %+v", r)
	}
	r := finished(t, limitedRun(t, dir, 0, append([]string{"run", "hello"}, scripted(t)...)...))
	if r.code != 0 || !strings.Contains(r.stdout, "heard: hello") || strings.Count(r.stderr, "make room on the disk") != 1 {
		t.Errorf("got %+v", r)
	}
}
