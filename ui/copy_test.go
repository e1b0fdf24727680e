package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// answering is a turn that says something with code in it and runs a command.
func answering(t *fakeagent.Turn) string {
	t.Say("Two of them:\n\n```go\nfunc a() {\n\treturn\n}\n```\n\nand\n\n```sh\nmake all\n```\n")
	t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call","toolCallId":"`+fmt.Sprint("r", t.N)+`","title":"Run","kind":"execute","status":"completed","rawInput":{"command":"make all"},"content":[{"type":"content","content":{"type":"text","text":"built"}}]}`)
	t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call","toolCallId":"`+fmt.Sprint("e", t.N)+`","title":"Edit","kind":"edit","status":"completed","locations":[{"path":"/home/ada/src/parser/x.go","line":7},{"path":"/home/ada/src/parser/y.go"}],"content":[{"type":"diff","path":"/home/ada/src/parser/x.go","oldText":"a\nb\n","newText":"a\nc\n"}]}`)
	t.Say("Done, and a closing sentence that is long enough to be wrapped on a screen of eighty columns.")
	return "end_turn"
}

// withAnswer opens a chat in which one prompt was answered.
func withAnswer(t *testing.T, change func(*Options), f func(d *driver)) {
	t.Helper()
	drive(t, func(d *driver, o *Options) {
		d.fake.Turn(answering)
		if change != nil {
			change(o)
		}
	}, func(d *driver) {
		d.connected()
		d.types("do it\n")
		d.soon()
		f(d)
	})
}

func (d *driver) hasCopied(want string) {
	d.t.Helper()
	if d.copied != want {
		d.t.Errorf("copied %q, want %q", d.copied, want)
	}
	d.copied = ""
}

// y on an entry lists its parts to copy, and the notice names the route.
func TestCopyEntries(t *testing.T) {
	withAnswer(t, nil, func(d *driver) {
		d.press("tab", "y")
		d.sees("╭ Copy", "y All of it")
		d.misses("d Patch", "m Command", "ode block")
		d.press("d", "m", "c", "1", "z") // nothing of that here
		d.sees("╭ Copy")
		d.press("y")
		d.misses("╭ Copy")
		d.hasCopied("Done, and a closing sentence that is long enough to be wrapped on a screen of eighty columns.")
		d.sees("Sent 1 line to the terminal's clipboard (OSC 52)")

		d.press("k", "y")
		d.sees("d Patch")
		d.press("d")
		d.hasCopied("--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
		d.press("k", "y")
		d.sees("m Command")
		d.press("m")
		d.hasCopied("make all")
		d.press("y", "y")
		d.hasCopied("$ make all\nbuilt")

		d.press("k", "y")
		d.sees("c Last code block", "1 go, 3 lines  func a() {", "2 sh, 1 line  make all")
		d.golden("copy")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.press("c")
		d.hasCopied("make all\n")
		d.press("y", "1")
		d.hasCopied("func a() {\n\treturn\n}\n")
		d.press("y", "esc")
		d.misses("╭ Copy")
		d.sees("┃") // the transcript has the keys still
		d.hasCopied("")
		d.press("k", "y", "y")
		d.hasCopied("do it")
	})
}

// A program of this machine comes first; one that fails does not keep the text
// from the terminal.
func TestCopyWithAProgram(t *testing.T) {
	var got []string
	tool, failure := "wl-copy", error(nil)
	withAnswer(t, func(o *Options) {
		o.Copy = func(_ context.Context, text string) (string, error) { got = append(got, text); return tool, failure }
	}, func(d *driver) {
		d.press("tab", "g", "y", "y")
		d.sees("Copied 1 line with wl-copy")
		d.hasCopied("")
		tool, failure = "", errors.New("wl-copy: no answer within 2s")
		d.press("y", "y")
		d.sees("Sent 1 line by OSC 52: wl-copy: no answer within 2s")
		d.hasCopied("do it")
		tool, failure = "", nil
		d.press("y", "y")
		d.hasCopied("do it")
		if strings.Join(got, "|") != "do it|do it|do it" {
			t.Errorf("the program was given %q", got)
		}
	})
}

// Inside tmux the terminal is asked in both of the ways that tmux may let through.
func TestCopyInTmux(t *testing.T) {
	withAnswer(t, func(o *Options) { o.Terminal.Multiplexer = "tmux" }, func(d *driver) {
		d.press("tab", "g", "y", "y")
		d.sees("(OSC 52, tmux)")
		d.hasCopied("do it")
		if want := "\x1bPtmux;\x1b\x1b]52;c;ZG8gaXQ=\x07\x1b\\"; d.raw != want {
			t.Errorf("written %q, want %q", d.raw, want)
		}
	})
}

// What is too long for OSC 52 is refused, not cut.
func TestCopyTooMuch(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say(strings.Repeat("a long row of text\n", 60_000))
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.soon()
		d.press("tab", "y", "y")
		d.send(tea.WindowSizeMsg{Width: 120, Height: 24})
		d.sees("Not copied: 60,000 lines are 1113 kB; OSC 52 takes at most 1024 kB")
		d.hasCopied("")
	})
}

// esc twice lists the prompts: to go there, to copy one, to edit one again.
func TestTurns(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.types("three\nor four")
		d.soon()
		d.draft("or four")
		d.press("esc")
		d.wait(time.Second)
		d.press("esc") // too late
		d.misses("╭ Prompts")
		d.wait(100 * time.Millisecond)
		d.press("esc")
		d.sees("╭ Prompts", "one", "two", "three")
		d.golden("turns")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.press("ctrl+y")
		d.hasCopied("three")
		d.types("tw")
		d.press("ctrl+y")
		d.hasCopied("two")
		d.press("enter")
		d.misses("╭ Prompts")
		d.selected("two")
		d.press("esc")
		d.draft("or four") // it has stayed
		d.press("alt+esc") // as a terminal sends two of them at once
		d.sees("╭ Prompts")
		d.press("esc")
		d.press("esc", "esc", "up", "up", "ctrl+e")
		d.misses("╭ Prompts")
		d.draft("one")
		d.press("up")
		d.draft("or four") // in the history
		d.press("down")
		d.press("enter")
		d.soon()
		d.prompts("one|two|three|one")
	})
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/turns\n")
		d.sees("No prompts yet")
	})
}

// While a turn runs the first esc stops it, and the second does not open the list of prompts.
func TestTurnsNotWhileBusy(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "cancelled" })
	}, func(d *driver) {
		d.connected()
		d.types("work\n")
		d.press("esc", "esc")
		d.misses("╭ Prompts")
		d.soon()
		d.types("/turns\n")
		d.sees("╭ Prompts", "work")
	})
}

// editorRun is an editor that was asked for.
type editorRun struct {
	path string
	line int
}

// o opens the file of an entry, or offers its files.
func TestOpenFile(t *testing.T) {
	var runs []editorRun
	var failure error
	withAnswer(t, func(o *Options) {
		o.OpenFile = func(path string, line int) (tea.ExecCommand, error) {
			runs = append(runs, editorRun{path, line})
			return ranCommand{}, failure
		}
	}, func(d *driver) {
		d.press("tab", "o")
		d.sees("Nothing to open here")
		d.press("k", "o")
		d.sees("╭ Files", "x.go:7", "y.go")
		d.press("down", "enter")
		d.soon()
		d.press("o", "enter")
		d.soon()
		if want := []editorRun{{"/home/ada/src/parser/y.go", 0}, {"/home/ada/src/parser/x.go", 7}}; fmt.Sprint(runs) != fmt.Sprint(want) {
			t.Errorf("opened %v, want %v", runs, want)
		}
		failure = errors.New("/home/ada/src/parser/x.go is not there")
		d.press("o", "enter")
		d.soon()
		d.sees("x.go is not there")
		d.selected("Edit")
	})
	withAnswer(t, func(o *Options) { o.Agents[0].Remote = true }, func(d *driver) {
		d.press("tab", "k", "o")
		d.sees("The file is on the agent's machine")
	})
}

// ranCommand is an editor that ends at once.
type ranCommand struct{}

func (ranCommand) Run() error          { return nil }
func (ranCommand) SetStdin(io.Reader)  {}
func (ranCommand) SetStdout(io.Writer) {}
func (ranCommand) SetStderr(io.Writer) {}
