//go:build unix

package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// tooledAgent returns the command line of the agent that uses parley's tools.
func tooledAgent(t testing.TB) []string {
	t.Helper()
	self := must.Get(os.Executable())(t)
	return []string{"--protocol", "2", "--", self, "tooled"}
}

// handedOver returns the parameters of the MCP server that the agent received.
func handedOver(t testing.TB, dir string) (args []string, socket, token string) {
	t.Helper()
	var m mcpCommand
	must.Do(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, handed))), &m))
	if m.Type != "stdio" || m.Command != parley || m.Name != "parley" {
		t.Errorf("handed over: %+v", m)
	}
	for _, e := range m.Env {
		switch e.Name {
		case "PARLEY_MCP_SOCKET":
			socket = e.Value
		case "PARLEY_MCP_TOKEN":
			token = e.Value
		}
	}
	if socket == "" || len(token) < 32 {
		t.Fatalf("handed over: %+v", m)
	}
	return m.Args, socket, token
}

// cleanedUp checks that nothing is left of the tools after parley has exited, and that the
// session's log, which mentions them, does not contain the token.
func cleanedUp(t testing.TB, dir string) {
	t.Helper()
	args, socket, token := handedOver(t, dir)
	if !slices.Equal(args, []string{"mcp"}) {
		t.Errorf("arguments %q", args)
	}
	if _, err := os.Lstat(filepath.Dir(socket)); !os.IsNotExist(err) {
		t.Errorf("the socket was not removed: %v", err)
	}
	if code := read(t, filepath.Join(dir, "mcp-exit")); code != "0" {
		t.Errorf("parley mcp ended with %s", code)
	}
	logs := 0
	filepath.WalkDir(filepath.Join(filepath.Dir(dir), "home"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text := read(t, path)
			if strings.Contains(text, token) {
				t.Errorf("%s holds the token", path)
			}
			if strings.Contains(text, "PARLEY_MCP_TOKEN") {
				logs++
			}
		}
		return nil
	})
	if logs != 1 {
		t.Errorf("%d logs tell of the tools", logs)
	}
}

func TestOfferedTools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, prompt string
		flags        []string
		config       string
		code         int
		says         string
		file         string // content of notes.txt at the end
	}{
		{"write", `write_text_file {"path":"notes.txt","content":"new\n"}`, []string{"--offer-tools", "--approve-all"}, "", 0, "Wrote 4 bytes to ", "new\n"},
		{"write denied", `write_text_file {"path":"notes.txt","content":"new\n"}`, []string{"--offer-tools"}, "", 5, "failed, The user did not allow it: writing ", "old\n"},
		{"read", `read_text_file {"path":"notes.txt"}`, []string{"--offer-tools"}, "", 0, "The tool says: old", "old\n"},
		{"run", `run_command {"command":"cat","args":["notes.txt"]}`, []string{"--offer-tools", "--approve-all"}, "", 0, "The tool says: old, [exit code 0]", "old\n"},
		{"run denied", `run_command {"command":"false"}`, []string{"--offer-tools", "--deny-all"}, "", 5, "failed, The user did not allow it: running false", "old\n"},
		{"configured", `read_text_file {"path":"notes.txt"}`, nil, "offer_tools = true", 0, "The tool says: old", "old\n"},
		{"off", `read_text_file {"path":"notes.txt"}`, nil, "", 0, "I have no tools.", "old\n"},
		{"flag over configuration", `read_text_file {"path":"notes.txt"}`, []string{"--offer-tools=false"}, "offer_tools = true", 0, "I have no tools.", "old\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			notes := filepath.Join(dir, "notes.txt")
			write(t, notes, "old\n")
			if test.config != "" {
				configured(t, dir, test.config)
			}
			r := run(t, dir, "", slices.Concat([]string{"run"}, test.flags, []string{test.prompt}, tooledAgent(t))...)
			if r.code != test.code || !strings.Contains(r.stdout, test.says) {
				t.Errorf("code %d, %q; want %d, %q\n%s", r.code, r.stdout, test.code, test.says, r.stderr)
			}
			if got := read(t, notes); got != test.file {
				t.Errorf("notes.txt holds %q, want %q", got, test.file)
			}
			if !strings.Contains(test.says, "no tools") {
				cleanedUp(t, dir)
			}
		})
	}
}

// In the chat, questions about tools look like any other, and a running tool is ended with its
// turn.
func TestOfferedToolsInChat(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 110, 40, dir, append([]string{"--offer-tools"}, tooledAgent(t)...)...)
	s.WaitFor(placeholder)
	s.Prompt(`write_text_file {"path":"notes.txt","content":"written by a tool\n"}`)
	rows := s.WaitFor("Create ", "1 + written by a tool", "esc reject · h hunks")
	if rowOf(rows, "waiting for you") < 0 {
		t.Errorf("the status does not say so:\n%s", numbered(rows))
	}
	s.Press("n")
	s.WaitFor("The user did not allow it")
	s.WaitIdle()
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err == nil {
		t.Error("written anyway")
	}

	s.Prompt(`write_text_file {"path":"notes.txt","content":"written by a tool\n"}`)
	s.WaitFor("1 + written by a tool", "esc reject · h hunks")
	s.Press("y")
	s.WaitFor("Wrote 18 bytes to")
	s.WaitIdle()
	if got := read(t, filepath.Join(dir, "notes.txt")); got != "written by a tool\n" {
		t.Errorf("notes.txt holds %q", got)
	}

	s.Prompt(`run_command {"command":"echo on > started; exec sleep 1000"}`)
	s.WaitFor("Run a command", "exec sleep 1000", armed)
	s.Press("y")
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
			break
		}
	}
	s.Press("esc")
	s.WaitFor("The user stopped this.")
	s.WaitIdle()
	for _, left := range processesOf(filepath.Dir(dir)) {
		if strings.Contains(left, "sleep") {
			t.Errorf("still running: %s", left)
		}
	}

	s.Press("ctrl+d")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	cleanedUp(t, dir)
}
