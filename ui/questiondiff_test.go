package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An agent that sends only what it replaces: its lines have the numbers of the file, in
// the question and, once it was written, in the transcript, and nobody says that the
// file has no newline at its end.
func TestPartOfAFileHasItsNumbers(t *testing.T) {
	const part = `{"toolCallId":"e","title":"Edit f.txt","kind":"edit","status":"STATUS","content":[{"type":"diff","path":"PATH","oldText":"line 30","newText":"zwei"}]}`
	drive(t, func(d *driver, o *Options) {
		o.Cwd = d.dir
		file := filepath.Join(d.dir, "f.txt")
		os.WriteFile(file, []byte(numbered(40)), 0o644)
		call := func(status string) string {
			return strings.NewReplacer("PATH", filepath.ToSlash(file), "STATUS", status).Replace(part)
		}
		d.turn = func(tn *turn) string {
			tn.ask(call("pending"), usual)
			os.WriteFile(file, []byte(strings.Replace(numbered(40), "line 30", "zwei", 1)), 0o644)
			tn.a.updateIn(tn.session, `{"sessionUpdate":"tool_call",`+call("completed")[1:])
			return "end_turn"
		}
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		d.sees(" 30   line 29", " 31 - line 30", " 31 + zwei", " 32   line 31")
		d.misses("no newline")
		d.rest()
		d.all()
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.sees(" 30   line 29", " 31 - line 30", " 31 + zwei", " 32   line 31")
		d.misses("no newline")
	})
}
