package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// An agent that sends only what it replaces: its lines have the numbers of the file, in
// the question and, once it was written, in the transcript, and nobody says that the
// file has no newline at its end.
func TestPartOfAFileHasItsNumbers(t *testing.T) {
	const part = `{"toolCallId":"e","title":"Edit f.txt","kind":"edit","status":"STATUS","content":[{"type":"diff","path":"PATH","oldText":"line 30","newText":"zwei"}]}`
	drive(t, func(d *driver, o *Options) {
		o.Cwd = d.Cwd
		file := filepath.Join(d.Cwd, "f.txt")
		os.WriteFile(file, []byte(numbered(40)), 0o644)
		call := func(status string) string {
			return strings.NewReplacer("PATH", filepath.ToSlash(file), "STATUS", status).Replace(part)
		}
		d.fake.Turn(func(tn *fakeagent.Turn) string {
			tn.Ask(call("pending"), usual)
			os.WriteFile(file, []byte(strings.Replace(numbered(40), "line 30", "zwei", 1)), 0o644)
			tn.Agent.Update(tn.Session, `{"sessionUpdate":"tool_call",`+call("completed")[1:])
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		d.sees(" 30  30   line 29", " 31     - line 30", "     31 + zwei", " 32  32   line 31")
		d.misses("no newline")
		d.rest()
		d.all()
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.sees(" 30  30   line 29", " 31     - line 30", "     31 + zwei", " 32  32   line 31")
		d.misses("no newline")
	})
}

// A question that is too long to read: G shows its end, and only then can it be allowed
// unread, by a key pressed twice with a moment between. A key held down does not do it.
func TestAllowUnread(t *testing.T) {
	withQuestion(t, longCommand(7000), usual, func(d *driver) {
		d.rest()
		d.press("y")
		d.sees("y Allow once (off)", "Read to the end first")
		d.press("G")
		d.sees("rm -rf /", "y Allow once without reading 6,9", "a Always allow (off)", "n Reject", "press twice to allow unread")
		d.press("a")
		d.sees("Read to the end first")
		d.rest()
		for range 10 { // held down
			d.press("y")
			d.wait(50 * time.Millisecond)
		}
		d.outcomes("")
		d.sees("rows not read: press y again to allow anyway")
		d.rest()
		d.press("up")
		d.rest()
		d.press("y")
		d.outcomes("")
		d.rest()
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
	})
	// Read after all, it is allowed as any other; and what was read above counts.
	withQuestion(t, longCommand(40), usual, func(d *driver) {
		d.rest()
		d.press("G")
		d.sees("without reading")
		d.press("pgup", "pgup", "pgup", "pgup", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
		d.misses("without reading", "(off)")
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("ok")
	})
	// Another width: what was shown before is not what is there now.
	withQuestion(t, longCommand(40), usual, func(d *driver) {
		d.rest()
		d.press("G")
		d.send(tea.WindowSizeMsg{Width: 60, Height: 24})
		d.sees("y Allow once (off)")
		d.misses("without reading")
	})
}
