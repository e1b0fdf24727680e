//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/must"
)

// result is the outcome of a run without a screen.
type result struct {
	code           int
	stdout, stderr string
}

func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(parley, args...)
	cmd.Dir, cmd.Env = dir, environ(dir)
	return cmd
}

// run runs parley to its end with stdin as its standard input.
func run(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	cmd := command(dir, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return finished(t, cmd)
}

// runEnv is run with an empty standard input and more variables in the environment.
func runEnv(t *testing.T, dir string, env []string, args ...string) result {
	t.Helper()
	cmd := command(dir, args...)
	cmd.Env = append(cmd.Env, env...)
	return finished(t, cmd)
}

func finished(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	root := filepath.Dir(cmd.Dir)
	if left := processesOf(root); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func TestRun(t *testing.T) {
	t.Parallel()
	agent := scripted(t)
	const before, after = "one\n", "one\ndemo agent was here (1)\n"
	edit := []string{"edit notes.txt and run ls", "--", "parley", "agent", "demo"}
	for _, test := range []struct {
		name, stdin    string
		args           []string
		code           int
		notes          string
		stdout, stderr []string
	}{
		{"approve all", "", append([]string{"--approve-all"}, edit...), 0, after,
			[]string{"`notes.txt` has one more line now.", "`ls` ended with exit code 0 and wrote 1 line."}, nil},
		{"deny all", "", append([]string{"--deny-all"}, edit...), 5, before,
			[]string{"I left `notes.txt` alone.", "I did not run `ls`."}, []string{"not allowed:", "--approve-all would allow it"}},
		{"deny by default", "", edit, 5, before, []string{"I left `notes.txt` alone."}, []string{"not allowed:"}},
		{"reads are free", "", []string{"--agent", "demo", "read notes.txt"}, 0, before, []string{"`notes.txt` has 1 line."}, nil},
		{"prompt from stdin", "words from a pipe\n", append([]string{}, agent...), 0, before, []string{"heard: words from a pipe"}, nil},
		{"prompt from stdin by name", "more words", append([]string{"-"}, agent...), 0, before, []string{"heard: more words"}, nil},
		{"words are joined", "", append([]string{"three", "plain", "words"}, agent...), 0, before, []string{"heard: three plain words\n"}, nil},
		{"agent dies", "", append([]string{"die"}, agent...), 1, before, []string{"before the end"}, []string{"exited with code 3", "the disk is full of bees"}},
		{"agent ends before the session", "", append([]string{"hello"}, dyingEarly...), 1, before, nil, []string{"open a session: the agent exited with code 7", "stderr: no key"}},
		{"agent says nothing", "", append([]string{"silent"}, agent...), 1, before, nil,
			[]string{"scripted said nothing", "its messages are in /", ".jsonl\n", "stderr: 401 from the model"}},
		{"only a plan", "", append([]string{"plan"}, agent...), 0, before, nil, nil},
		{"no stop reason", "", append([]string{"null"}, agent...), 1, before, []string{"There is no reason."}, []string{"scripted ended the turn without a stop reason"}},
		{"agent missing", "", []string{"hello", "--", "/does/not/exist"}, 1, before, nil, []string{`cannot start "/does/not/exist": command not found`}},
		{"timeout", "", append([]string{"--timeout", "3s", "trickle"}, agent...), 3, before, []string{"Paragraph"}, []string{"no answer within 3s"}},
		{"hostile agent", "", append([]string{"--deny-all", "hostile"}, agent...), 5, before, []string{"plain text", "that was all of it"}, []string{"not allowed:"}},
		{"unknown flag", "", []string{"--nonsense", "hello"}, 2, before, nil, []string{"--nonsense", "--help"}},
		{"unknown format", "", []string{"-o", "yaml", "hello"}, 2, before, nil, []string{"want text, json or stream-json"}},
		{"unknown agent", "", []string{"--agent", "nobody", "hello"}, 2, before, nil, []string{`no agent "nobody"`}},
		{"no agent", "", []string{"hello"}, 2, before, nil, []string{"no agent found", "--agent demo"}},
		{"empty prompt", " \n", append([]string{}, agent...), 2, before, nil, []string{"the prompt is empty"}},
		{"two policies", "", append([]string{"--deny-all", "--approve-all"}, edit...), 2, before, nil, []string{"cannot be used together"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			notes := filepath.Join(dir, "notes.txt")
			write(t, notes, before)
			r := run(t, dir, test.stdin, append([]string{"run"}, test.args...)...)
			if r.code != test.code {
				t.Errorf("exit code %d, want %d", r.code, test.code)
			}
			if got := read(t, notes); got != test.notes {
				t.Errorf("notes.txt holds %q, want %q", got, test.notes)
			}
			for _, want := range test.stdout {
				if !strings.Contains(r.stdout, want) {
					t.Errorf("stdout lacks %q", want)
				}
			}
			for _, want := range test.stderr {
				if !strings.Contains(r.stderr, want) {
					t.Errorf("stderr lacks %q", want)
				}
			}
			if strings.Contains(r.stdout+r.stderr, "\x1b") {
				t.Error("control sequences in what is no terminal")
			}
			if t.Failed() {
				t.Logf("stdout:\n%s\nstderr:\n%s", r.stdout, r.stderr)
			}
		})
	}
}

func TestRunJSON(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	write(t, filepath.Join(dir, "notes.txt"), "one\n")
	r := run(t, dir, "", "run", "-o", "json", "--approve-all", "edit notes.txt and run ls", "--", "parley", "agent", "demo")
	var out struct {
		Answer, StopReason string
		Code               *int
		Tools              []struct{ Title, Kind, Status string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		t.Fatalf("not one object: %v\n%s", err, r.stdout)
	}
	if r.code != 0 || out.Code == nil || *out.Code != 0 || out.StopReason != "end_turn" || !strings.Contains(out.Answer, "one more line now") {
		t.Errorf("exit code %d: %s", r.code, r.stdout)
	}
	if len(out.Tools) != 2 || out.Tools[0].Kind != "edit" || out.Tools[1].Kind != "execute" || out.Tools[1].Status != "completed" {
		t.Errorf("tools: %+v", out.Tools)
	}
	if strings.Count(r.stdout, "\n") != 1 {
		t.Errorf("not one line: %q", r.stdout)
	}
}

func TestRunStreamJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		args   []string
		code   int
		denied int
	}{
		{"allowed", []string{"--approve-all"}, 0, 0},
		{"denied", []string{"--deny-all"}, 5, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run", "-o", "stream-json"}, test.args...)
			r := run(t, workDir(t), "", append(args, "edit notes.txt and run ls", "--", "parley", "agent", "demo")...)
			var kinds []string
			text, count := "", map[string]int{}
			for line := range strings.Lines(r.stdout) {
				var e struct {
					Type, Role, Text string
					Code             *int
				}
				if err := json.Unmarshal([]byte(line), &e); err != nil || e.Type == "" {
					t.Fatalf("no event: %v: %q", err, line)
				}
				kinds = append(kinds, e.Type)
				count[e.Type]++
				if e.Type == "text" && e.Role == "agent" {
					text += e.Text
				}
				if e.Type == "end" && (e.Code == nil || *e.Code != test.code) {
					t.Errorf("the end: %q", line)
				}
			}
			if r.code != test.code || len(kinds) < 3 || kinds[0] != "start" || kinds[len(kinds)-1] != "end" || count["end"] != 1 {
				t.Errorf("exit code %d, events %v", r.code, kinds)
			}
			if count["denied"] != test.denied || count["tool"] == 0 || !strings.Contains(text, "That is all.") {
				t.Errorf("events %v, text %q", count, text)
			}
		})
	}
}

func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			cmd := command(dir, append([]string{"run", "trickle"}, scripted(t)...)...)
			out := must.Get(cmd.StdoutPipe())(t)
			must.Do(t, cmd.Start())
			must.Get(io.ReadFull(out, make([]byte, len("Paragraph"))))(t)
			cmd.Process.Signal(sig)
			io.Copy(io.Discard, out)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 130 {
				t.Errorf("exit code %d, want 130", code)
			}
			if left := processesOf(filepath.Dir(dir)); len(left) > 0 {
				t.Errorf("still running: %v", left)
			}
		})
	}
}

// The chat reports that it needs a terminal.
func TestChatNeedsTerminal(t *testing.T) {
	t.Parallel()
	if r := run(t, workDir(t), "", "demo"); r.code != 2 || !strings.Contains(r.stderr, "parley run PROMPT") || r.stdout != "" {
		t.Errorf("got %+v", r)
	}
}
