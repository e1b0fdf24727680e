//go:build unix

package e2e

import "strings"

// notes writes notes with every key that does, and makes one prompt of them.
func notes(d *desk) {
	s := d.start(100, 40, "demo")
	s.Prompt("edit notes.txt")
	s.WaitFor("demo asks", armed)
	s.PressUntil("c", "Reject with a reason")
	s.Prompt("somewhere else")
	s.WaitFor("I rejected this", "│ somewhere else", "That is all.")
	s.Prompt("edit notes.txt")
	s.WaitFor("demo asks", armed)
	s.PressUntil("y", "f5 reviews")
	s.Press("ctrl+u")  // it may have been pressed once too often
	s.Type("\x1b[15~") // f5
	s.WaitFor("▌ hunk 1 of 1")
	for _, key := range []string{"shift+down", "J", "shift+up", "K"} {
		s.Press(key, "c")
		s.WaitFor("Note on notes.txt:", "edited by the demo agent", placeholderOfNote)
		s.Press("esc")
		s.WaitGone("Note on notes.txt:")
	}
	s.Press("c")
	s.WaitFor("Note on notes.txt:")
	s.Prompt("shorter")
	s.WaitFor("1 note · C lists")
	s.Press("C")
	s.WaitFor("╭ Notes", "shorter")
	s.Press("esc")
	s.WaitGone("╭ Notes")
	s.Press("esc", "esc") // the first is for the selection
	s.WaitGone("Review:")
	for _, key := range []string{"c", "."} {
		s.Press("tab")
		s.WaitSelected("That is all.")
		s.Press(key)
		s.WaitFor("Note on the agent's message")
		s.Prompt("noted with " + key)
		s.WaitFor("2 notes · /notes lists")
		s.Press("esc")
		s.WaitGone("esc back")
	}
	s.Prompt("/notes")
	s.WaitFor("Put 2 notes into the prompt", "noted with c noted with .")
	s.Press("enter")
	s.WaitFor("Notes added to the prompt")
	s.Press("enter")
	s.WaitFunc("the answer to the prompt", func(rows []string) bool {
		return strings.Contains(strings.Join(rows, "\n"), "│ noted with .")
	})
}

const placeholderOfNote = "What should the agent know or do here?"
