//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// altA answers with keys although there is a draft.
func altA(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Prompt("ask")
	s.WaitFor("I shall ask")
	s.Type("a draft")
	s.WaitDraft("a draft")
	open(d, d.dir)
	s.WaitFor("scripted asks", "You are typing")
	s.Press("alt+a")
	s.WaitFor(armed)
	s.PressUntil("y", "the answer was go")
	s.WaitFor("› a draft") // possibly followed by a y that was typed before the answer was seen
}

func questionKeys(d *desk) {
	s := d.keyed(90, 30)
	s.Prompt("questions")
	s.WaitFor("keyed asks", "1 of 2 waiting", "read on to allow")
	s.Type("y") // not accepted as an answer yet
	s.WaitFor("Read to the end first")
	top := s.Rows()
	first := rowOf(top, "keyed asks") + 1
	at := func(what string, shift int) {
		d.Helper()
		s.WaitFunc(what, func(rows []string) bool {
			return rows[first] == top[first+shift] && rows[first+1] == top[first+shift+1]
		})
	}
	for _, keys := range [][2]string{{"down", "up"}, {"j", "k"}} {
		s.Press(keys[0])
		at("a row on", 1)
		s.Press(keys[1])
		at("a row back", 0)
	}
	for _, key := range []string{"pgdown", "space"} {
		s.Press(key)
		s.WaitFunc("a page on", func(rows []string) bool { return rows[first] != top[first] && rowOf(rows[first:], "echo line 2 ") < 0 })
		s.Press("pgup")
		at("a page back", 0)
	}
	for _, key := range []string{"G", "end"} {
		s.Press(key)
		s.WaitFor("echo line 59")
		s.PressUntil("pgup", "echo line 0 ")
	}
	s.Press("f")
	s.WaitFunc("the full screen", func(rows []string) bool { return strings.HasPrefix(rows[0], "╭ keyed asks") })
	s.Press("f")
	s.WaitFunc("the question above the composer", func(rows []string) bool { return rowOf(rows, placeholder) >= 0 })

	s.Press("ctrl+n")
	s.WaitFor("echo short", "2 of 2 waiting", armed)
	s.PressUntil("d", "\"command\": ")
	s.Press("d")
	s.WaitGone("\"command\": ")
	s.Press("ctrl+p")
	s.WaitFor("echo line 0", "1 of 2 waiting")
	s.PressUntil("ctrl+n", "2 of 2 waiting")
	s.PressUntil("d", "\"command\": ") // keys are dropped at first
	s.Press("r")
	s.WaitFor("allow command echo short")
	s.Press("esc")
	s.WaitGone("allow command echo short")
	s.Press("d")
	s.WaitGone("\"command\": ")

	for _, key := range []string{"tab", "alt+a"} { // back to the composer
		s.PressUntil(key, "alt+a to answer")
		s.Type("draft")
		s.WaitDraft("draft")
		s.Press("ctrl+u")
		s.WaitDraft("")
		s.Press("alt+a")
		s.WaitFor(armed)
		s.PressUntil("d", "\"command\": ") // keys are dropped at first
		s.Press("d")
		s.WaitGone("\"command\": ")
	}
	s.Press("n")
	s.WaitFor("echo line 0", "esc reject")
	s.WaitGone("of 2 waiting")
	s.PressUntil("esc", "q1: no.")
	s.WaitFor("q2: no.")
	s.WaitIdle()
}

// hunkKeys allows a part of a write, after an edit in the editor.
func hunkKeys(d *desk) {
	path := filepath.Join(d.dir, "three.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		d.Fatal(err)
	}
	d.env = []string{"EDITOR=" + d.script("edit", `printf "one\ntwo\ndrei\n" >"$1"`)}
	s := d.keyed(90, 34)
	s.Prompt("write")
	s.WaitFor("parley asks", "+ ONE", "alt+a to answer")
	s.Press("alt+a")
	s.WaitFor("h hunks")
	s.PressUntil("h", "▸ ✓ hunk 1 of 2")
	for _, keys := range [][2]string{{"right", "left"}, {"]", "["}} {
		s.Press(keys[0])
		s.WaitFor("▸ ✓ hunk 2 of 2")
		s.Press(keys[1])
		s.WaitFor("▸ ✓ hunk 1 of 2")
	}
	s.Press("space")
	s.WaitFor("▸ ✗ hunk 1 of 2: rejected", "Allow once: 1 of 2 hunks")
	s.Press("esc") // no answer
	s.WaitFor("  ✗ hunk 1 of 2: rejected", "h hunks")
	s.Press("h")
	s.WaitFor("▸ ✗ hunk 1 of 2: rejected")
	s.Press("u")
	s.WaitFor("▸ ✓ hunk 1 of 2")
	s.Press("space")
	s.WaitFor("▸ ✗ hunk 1 of 2: rejected")
	s.Press("e")
	s.WaitFor("Edited by you", "+ drei", "▸ ✓ hunk 1 of 1")
	s.PressUntil("enter", "(Allow once, with changes)") // a key that comes too soon is dropped
	s.WaitFileText(path, "one\ntwo\ndrei\n")
	s.WaitFor("the write is answered")
	s.WaitIdle()
}

// edits presses readline's keys in the draft.
func edits(d *desk) {
	s := d.start(90, 30, scripted(d)...)
	const text = "alpha beta-gamma delta"
	for i, test := range []struct{ keys, then, want string }{
		{"left", "X", "alpha beta-gamma deltXa"},
		{"left left right", "X", "alpha beta-gamma deltXa"},
		{"ctrl+a", "X", "Xalpha beta-gamma delta"},
		{"home", "X", "Xalpha beta-gamma delta"},
		{"home ctrl+e", "X", "alpha beta-gamma deltaX"},
		{"home end", "X", "alpha beta-gamma deltaX"},
		{"alt+b", "X", "alpha beta-gamma Xdelta"},
		{"ctrl+left", "X", "alpha beta-gamma Xdelta"},
		{"alt+left", "X", "alpha beta-gamma Xdelta"},
		{"home alt+f", "X", "alphaX beta-gamma delta"},
		{"home ctrl+right", "X", "alphaX beta-gamma delta"},
		{"home alt+right", "X", "alphaX beta-gamma delta"},
		{"ctrl+home", "X", "Xalpha beta-gamma delta"},
		{"ctrl+home ctrl+end", "X", "alpha beta-gamma deltaX"},
		{"backspace", "", "alpha beta-gamma delt"},
		{"shift+backspace", "", "alpha beta-gamma delt"},
		{"ctrl+h", "", "alpha beta-gamma delt"},
		{"home delete", "", "lpha beta-gamma delta"},
		{"home ctrl+d", "", "lpha beta-gamma delta"},
		{"alt+b ctrl+w", "", "alpha delta"},
		{"alt+backspace", "X", "alpha beta-gamma X"},
		{"ctrl+backspace", "X", "alpha beta-gamma X"},
		{"home alt+d", "X", "X beta-gamma delta"},
		{"home ctrl+delete", "X", "X beta-gamma delta"},
		{"home alt+delete", "X", "X beta-gamma delta"},
		{"alt+b ctrl+u", "X", "Xdelta"},
		{"alt+b ctrl+k", "X", "alpha beta-gamma X"},
		{"alt+b ctrl+k home ctrl+y", "X", "deltaXalpha beta-gamma"},
		{"alt+b ctrl+k ctrl+_", "", text},
		{"ctrl+j up", "X", "Xalpha beta-gamma delta"},
		{"ctrl+j home up down", "X", "alpha beta-gamma deltaX"},
	} {
		s.Type(text)
		s.WaitDraft(text)
		s.Press(strings.Fields(test.keys)...)
		s.Type(test.then)
		s.WaitFunc(fmt.Sprintf("%q of %d %s", test.want, i, test.keys), func(rows []string) bool { return draft(rows) == test.want })
		s.Press("ctrl+c")
		s.WaitDraft("")
	}
}

// WaitFileText waits until a file contains exactly this.
func (s *Screen) WaitFileText(path, want string) {
	s.t.Helper()
	s.poll(path+" with "+want, func() bool {
		text, _ := os.ReadFile(path)
		return string(text) == want
	})
}

// WaitNone waits until no process of the test has a command line that begins like this.
func (s *Screen) WaitNone(words string) {
	s.t.Helper()
	s.poll("the end of "+words, func() bool {
		for _, line := range processesOf(s.root) {
			if strings.HasPrefix(line, words) {
				return false
			}
		}
		return true
	})
}
