//go:build unix

package e2e

import (
	"cmp"
	"encoding/base64"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func scrolls(d *desk) {
	s := d.start(80, 24, "demo")
	s.Prompt("long")
	s.WaitFor("That is all.")
	end := s.WaitIdle()
	same := func(what string, want []string) {
		d.Helper()
		s.WaitFunc(what, func(rows []string) bool { return rows[0] == want[0] && rows[5] == want[5] })
	}
	s.Press("pgup")
	page := s.WaitFor("↓ end")
	for _, key := range []string{"shift+up", "ctrl+up"} {
		s.Press(key)
		s.WaitFunc("a row more above", func(rows []string) bool { return rows[1] == page[0] && rows[2] == page[1] })
		s.Press(strings.Replace(key, "up", "down", 1))
		same("a row less above", page)
	}
	s.Press("pgdown")
	s.WaitGone("↓ end")
	same("the end", end)
	s.Press("ctrl+home")
	s.WaitFor("▌ long", "A long answer", "↓ end")
	s.Press("ctrl+end")
	s.WaitGone("↓ end")
	same("the end", end)
}

func moves(d *desk) {
	s := d.start(80, 30, scripted(d)...)
	for _, prompt := range []string{"one", "two", "three", "four", "between", "amid", "among", "more", "five", "six", "seven", "eight"} { // more than a page
		s.Turn(prompt)
	}
	s.Press("tab")
	s.WaitSelected("heard: eight")
	for _, step := range []struct{ key, to string }{
		{"k", "┃ eight"}, {"up", "heard: seven"}, {"j", "┃ eight"}, {"down", "heard: eight"}, {"{", "┃ eight"}, {"{", "┃ seven"}, {"{", "┃ six"}, {"}", "┃ seven"},
		{"g", "┃ one"}, {"G", "heard: eight"}, {"home", "┃ one"}, {"end", "heard: eight"}, {"g", "┃ one"}, {"j", "heard: one"}, {"}", "┃ two"},
	} {
		s.Press(step.key)
		s.WaitSelected(step.to)
	}
	s.Press("g")
	top := s.WaitSelected("┃ one")
	s.Press("d")
	s.WaitFunc("half a page on", func(rows []string) bool { // the middle row of before is now at the top
		at := slices.Index(top, cmp.Or(rows[3], rows[4])) // one of the two may be blank
		return rowOf(rows, "┃ one") < 0 && at > 4
	})
	s.Press("u")
	s.WaitFunc("half a page back", func(rows []string) bool { return strings.Contains(rows[0], "one") && selected(rows) != "" })
	s.Press("u")
	s.WaitSelected("┃ one")
}

func searches(d *desk) {
	s := d.start(80, 14, scripted(d)...)
	for _, prompt := range []string{"apples", "pears", "more apples", "Apples"} {
		s.Turn(prompt)
	}
	s.Press("tab")
	s.WaitSelected("heard: Apples")
	s.Press("/")
	s.WaitFor("Type to search")
	s.Type("heard: apples")
	s.WaitFor("/ heard: apples", " of 2")
	s.Press("enter")
	s.WaitFor("n N · esc")
	first := s.WaitSelected("heard: ")
	s.Press("n")
	s.WaitFunc("the next match", func(rows []string) bool {
		return rowOf(rows, " of 2") >= 0 && selected(rows) != selected(first) && strings.Contains(selected(rows), "pples")
	})
	s.Press("N")
	s.WaitFunc("the match before", func(rows []string) bool { return selected(rows) == selected(first) })
	s.Press("N")
	s.WaitFunc("the last match again", func(rows []string) bool {
		return selected(rows) != selected(first) && strings.Contains(selected(rows), "pples")
	})
	s.Press("esc")
	s.WaitGone("n N · esc")
	s.WaitFor("esc back")
	s.Press("/")
	s.Type("heard: Apples") // a capital letter makes the search case-sensitive
	s.WaitFor("1 of 1")
	s.Press("enter")
	s.WaitSelected("heard: Apples")
	s.Press("/")
	s.Type("nowhere")
	s.WaitFor("No match")
	s.Press("esc") // back to where the first search began
	s.WaitGone("nowhere")
	s.WaitFor("esc back")
	s.WaitDraft("")
}

// opens opens and closes the output of a command with each key.
func opens(d *desk) {
	s := d.keyed(90, 50)
	s.Turn("work")
	s.Press("tab")
	s.WaitSelected("The work is done.")
	s.Press("k")
	s.WaitSelected(ran)
	for _, key := range []string{"space", "enter"} {
		s.Press(key)
		s.WaitFor("row 15 of the output", "row 29 of the output")
		s.Press(key)
		s.WaitGone("row 15 of the output")
		s.WaitSelected(ran)
	}
	s.WaitDraft("")
}

// copies copies every part of an entry that can be copied.
func copies(d *desk) {
	write(d, filepath.Join(d.dir, "notes.txt"), "one\n2\n")
	s := d.keyed(90, 50)
	s.Turn("work")
	s.Press("tab")
	s.WaitSelected("The work is done.")
	s.Press("y")
	s.WaitFor("╭ Copy", "y All of it")
	s.Press("y")
	s.WaitCopied("The work is done.")
	s.WaitFor("(OSC 52)")
	s.WaitGone("╭ Copy")

	s.Press("k")
	s.WaitSelected(ran)
	s.Press("y")
	s.WaitFor("m Command")
	s.Press("m")
	s.WaitCopied(ran)

	s.Press("k")
	s.WaitSelected("notes.txt")
	s.Press("y")
	s.WaitFor("d Patch")
	s.Press("d")
	s.WaitCopiedFunc("the patch", func(text string) bool {
		return text == "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
	})

	s.Press("k")
	s.WaitSelected("Some strong words.")
	s.Press("y")
	s.WaitFor("c Code block")
	s.Press("c")
	s.WaitCopied(code)
	s.Press("y")
	s.WaitFor("╭ Copy")
	s.Press("y") // the source, not its rendering
	s.WaitCopiedFunc("the message", func(text string) bool {
		return strings.HasPrefix(text, "Some **strong** words.\n\n```go\n"+code+"```")
	})
	s.Press("y")
	s.WaitFor("╭ Copy")
	s.Press("esc")
	s.WaitGone("╭ Copy")
	s.WaitFor("esc back")
}

func opensFile(d *desk) {
	write(d, filepath.Join(d.dir, "notes.txt"), "one\n2\n")
	d.env = []string{"VISUAL=" + d.script("vi", `echo "the editor has the screen"; echo "$@" >"$E2E_ROOT/opened"; while [ ! -e "$E2E_ROOT/go" ]; do sleep 0.01; done`)}
	s := d.keyed(90, 50)
	s.Turn("work")
	s.Press("tab")
	s.WaitSelected("The work is done.")
	s.Press("o")
	s.WaitFor("Nothing to open here")
	s.Press("k", "k")
	s.WaitSelected("notes.txt")
	s.Press("o")
	want := "+2 " + filepath.Join(d.dir, "notes.txt") + "\n"
	s.WaitFileText(d.path("opened"), want)
	s.WaitFor("the editor has the screen")
	write(d, d.path("go"), "")
	s.WaitSelected("notes.txt")
	s.WaitFor("esc back")
}

func readsMessages(d *desk) {
	s := d.keyed(90, 24)
	s.Turn("work")
	s.Press("tab")
	s.WaitSelected("The work is done.")
	s.Press("k", "k")
	s.WaitFor("┃") // of a call taller than the rest of the screen
	openMessages := func() []string {
		s.Press("i")
		return s.WaitFor("╭ Messages", "from the agent", `"jsonrpc": "2.0"`)
	}
	top := openMessages()
	if all := strings.Join(top, "\n"); !strings.Contains(all, `"method": "session/update"`) {
		d.Errorf("that is not the message:\n%s", numbered(top))
	}
	first := rowOf(top, "╭ Messages") + 1
	inside := func(what string, want func(rows []string) bool) {
		d.Helper()
		s.WaitFunc(what, want)
	}
	for _, keys := range [][2]string{{"down", "up"}, {"j", "k"}} {
		s.Press(keys[0])
		inside("a row on", func(rows []string) bool { return rows[first] == top[first+1] && rows[first+1] == top[first+2] })
		s.Press(keys[1])
		inside("a row back", func(rows []string) bool { return rows[first] == top[first] && rows[first+1] == top[first+1] })
	}
	s.Press("esc")
	s.WaitGone("╭ Messages")
	for _, key := range []string{"q", "enter"} {
		openMessages()
		s.Press(key)
		s.WaitGone("╭ Messages")
		s.WaitFor("esc back") // the transcript has the keys
	}
}

// stopsTool stops a command of the user. One that has ended cannot be stopped.
func stopsTool(d *desk) {
	s := d.keyed(90, 40)
	s.Turn("work")
	s.Press("tab")
	s.WaitSelected("The work is done.")
	s.Press("x")
	s.WaitFor("x stops a tool call")
	s.Press("k")
	s.WaitSelected(ran)
	s.Press("x")
	s.WaitFor("It has ended")
	s.Press("tab")
	s.Type("!echo begun; sleep 600\r")
	s.WaitFunc("the command", func(rows []string) bool { return slices.Contains(rows, "    begun") })
	s.Press("tab", "G")
	s.WaitSelected("sleep 600")
	s.Press("x")
	s.WaitFunc("the end of the command", func(rows []string) bool {
		return rowOf(rows, "esc stop the command") < 0 && rowOf(rows, "stopped") >= 0
	})
	s.WaitNone("sleep ")
}

func leaves(d *desk) {
	s := d.start(90, 30, scripted(d)...)
	s.Turn("hello")
	s.Press("tab")
	s.WaitSelected("heard: hello")
	s.Type("w") // no key here, and not a draft
	s.Press("esc")
	s.WaitFor("? help")
	rows := s.WaitDraft("")
	if row := selected(rows); row != "" {
		d.Errorf("%q is still selected", row)
	}
	s.Type("typed")
	s.WaitDraft("typed")
}

var osc52 = regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]*)(\x07|\x1b\\)`)

// copied returns the text that the terminal was last asked to put on the clipboard.
func (s *Screen) copied() string {
	raw, _ := s.Raw(0)
	all := osc52.FindAllSubmatch(raw, -1)
	if len(all) == 0 {
		return ""
	}
	text, err := base64.StdEncoding.DecodeString(string(all[len(all)-1][1]))
	if err != nil {
		s.t.Errorf("OSC 52 with %q: %v", all[len(all)-1][1], err)
	}
	return string(text)
}

// WaitCopied waits until the terminal was asked to copy this text. Spaces at the ends of lines do
// not count.
func (s *Screen) WaitCopied(want string) {
	s.t.Helper()
	s.WaitCopiedFunc("\""+want+"\"", func(text string) bool { return strings.TrimRight(text, "\n") == strings.TrimRight(want, "\n") })
}

// WaitCopiedFunc waits until the terminal was asked to copy a text that f accepts, and returns it.
func (s *Screen) WaitCopiedFunc(what string, f func(text string) bool) (text string) {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			s.t.Logf("copied was %q", s.copied())
		}
	}()
	s.WaitFunc("a copy of "+what, func([]string) bool {
		text = s.copied()
		return f(text)
	})
	return text
}
