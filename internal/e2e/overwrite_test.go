//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/fakeagent"
)

// overwrite replaces notes.txt as some agents do: they send no old text, write the file themselves, and
// then replace the change by a sentence.
func overwrite(t *fakeagent.Turn) {
	const text = "the only line\n"
	path := filepath.Join(t.Cwd, "notes.txt")
	call := fmt.Sprintf(`"toolCallId":"w","title":"Write notes.txt","kind":"edit","status":"pending","content":[{"type":"diff","path":%q,"oldText":null,"newText":%q}]}`, path, text)
	t.Update(`{"sessionUpdate":"tool_call",` + call)
	status, said := "failed", "Rejected."
	if t.Ask(`{`+call, yesOrNo) == "go" {
		status, said = "completed", "Wrote file successfully."
		os.WriteFile(path, []byte(text), 0o644)
	}
	t.Update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"w","status":%q,"content":[{"type":"content","content":{"type":"text","text":%q}}]}`, status, said))
	t.Say("that was it")
}

// A question about an overwrite shows what the file holds, whatever the agent sends, and the finished
// call still shows the change.
func TestOverwriteQuestion(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\ntwo\nthree\n")
	s := Start(t, 100, 40, dir, scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("overwrite")
	s.WaitFor("scripted asks", "Change notes.txt (replaces 3 lines)", "- one", "- three", "+ the only line", "Edit   notes.txt  +1 −3", armed)

	// An approval covers what was shown, and nothing else.
	write(t, notes, "one\ntwo\nthree\nfour\n")
	s.Press("y")
	s.WaitFor("scripted asks again: the file changed while the question was open", "Change notes.txt (replaces 4 lines)", "- four", armed)
	if got := read(t, notes); got != "one\ntwo\nthree\nfour\n" {
		t.Errorf("written before it was allowed: %q", got)
	}
	s.Press("y")
	s.WaitFor("✓ Edit   notes.txt  +1 −", "  old text from disk", "- two", "+ the only line", "that was it")
	s.WaitGone("scripted asks")
	if got := read(t, notes); got != "the only line\n" {
		t.Errorf("the file holds %q", got)
	}
}

func TestOverwriteInLines(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	write(t, filepath.Join(dir, "notes.txt"), "one\ntwo\nthree\n")
	s := Start(t, 100, 40, dir, append([]string{"--linear"}, scripted(t)...)...)
	s.WaitFor("You:")
	s.Type("overwrite\r")
	s.WaitFor("Change notes.txt (replaces 3 lines)", "Line 3, removed: three", "Line 1, added: the only line", "Answer 1 to ")
	answered(s, "1", "Allowed by you")
	s.WaitFor("Edit notes.txt, plus 1, minus 3, done.", "Turn ended.")
}

func TestOverwriteInRun(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\ntwo\nthree\n")
	args := append([]string{"run", "overwrite"}, scripted(t)...)
	if r := run(t, dir, "", args...); !strings.Contains(r.stderr, "not allowed: Change notes.txt (replaces 3 lines)") {
		t.Errorf("got %q", r.stderr)
	}
	args = append([]string{"run", "-o", "json", "--approve-all", "overwrite"}, scripted(t)...)
	if r := run(t, dir, "", args...); !strings.Contains(r.stdout, `"old":"one\ntwo\nthree\n","new":"the only line\n"`) {
		t.Errorf("got %q", r.stdout)
	}
	write(t, notes, "not\x00text")
	args = append([]string{"run", "overwrite"}, scripted(t)...)
	if r := run(t, dir, "", args...); !strings.Contains(r.stderr, "not allowed: Change notes.txt (overwrites it)") {
		t.Errorf("got %q", r.stderr)
	}
}
