//go:build unix

package e2e

import (
	"os"
	"path/filepath"

	"parley/ui/layer"
)

func goesBack(d *desk) {
	path := filepath.Join(d.dir, "three.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		d.Fatal(err)
	}
	s := d.keyed(90, 34)
	s.Prompt("write")
	s.WaitFor("parley asks", "alt+a to answer")
	s.Press("alt+a")
	s.PressUntil("y", "the write is answered")
	s.WaitIdle()
	if got := read(d, path); got != "ONE\ntwo\nTHREE\n" {
		d.Fatalf("the agent wrote %q", got)
	}

	s.Press("esc", "esc")
	s.WaitFor("╭ Prompts")
	s.Press("ctrl+o")
	s.WaitFor("Restore files to before: write", "Restore 1 file", "changed  three.txt")
	s.pressEvery(2*layer.Quiet, "enter", "Restored 1 file to before “write”") // a key without a pause before it is dropped
	if got := read(d, path); got != "one\ntwo\nthree\n" {
		d.Errorf("restored %q", got)
	}

	s.Press("esc", "esc")
	s.WaitFor("╭ Prompts")
	s.Press("ctrl+f")
	s.WaitFor("Fork: continue with", "this agent")
	s.Press("enter")
	s.WaitFor("A fork: the agent has copied the session above", "the write is answered")
}
