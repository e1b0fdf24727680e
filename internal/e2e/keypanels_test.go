//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/intent"
)

func densities(d *desk) {
	s := d.keyed(90, 50)
	s.Turn("work")
	normal := s.WaitFor("row 0 of the output", "row 29 of the output", "The work is done.")
	if rowOf(normal, "row 15 of the output") >= 0 {
		d.Errorf("all of the output is shown:\n%s", numbered(normal))
	}
	s.Press("ctrl+o")
	s.WaitFor("Detail level: everything", "row 15 of the output", "row 29 of the output")
	s.Press("ctrl+o")
	quiet := s.WaitFor("Detail level: quiet")
	if rowOf(quiet, "of the output") >= 0 || rowOf(quiet, "notes.txt") < 0 || rowOf(quiet, "go test") < 0 {
		d.Errorf("quiet has to show what was done, and nothing of its content:\n%s", numbered(quiet))
	}
	s.Press("ctrl+o")
	rows := s.WaitFor("Detail level: normal", "row 29 of the output")
	if a, b := strings.Join(normal[:40], "\n"), strings.Join(rows[:40], "\n"); a != b {
		d.Errorf("it was\n%s\nand is\n%s", a, b)
	}
}

func showsPlan(d *desk) {
	s := d.start(90, 40, "demo")
	s.Prompt("plan and run ls")
	before := s.WaitFor(armed, "Plan 0/2 ▸ Run ls")
	s.Press("ctrl+t")
	rows := s.WaitFor("╭ Plan", "Sum up")
	if a, b := before[len(before)-4:len(before)-1], rows[len(rows)-4:len(rows)-1]; strings.Join(a, "\n") != strings.Join(b, "\n") {
		d.Errorf("what is below has moved:\n%s", numbered(rows))
	}
	s.Press("ctrl+t")
	s.WaitGone("╭ Plan")
}

// showsPalette checks that every action is listed with its key, and runs one.
func showsPalette(d *desk) {
	s := d.start(120, 60, scripted(d)...)
	s.Press("ctrl+p")
	rows := s.WaitFor("╭ Actions", "enter select")
	for _, a := range intent.Actions {
		listed := slices.ContainsFunc(intent.Groups, func(g intent.Group) bool { return slices.Contains(g.Intents, a.Intent) })
		if !listed || a.In != intent.Chat && a.In != intent.Always {
			continue
		}
		title, _ := a.Parts()
		i := rowOf(rows, title)
		if i < 0 || len(a.Keys) > 0 && !strings.Contains(rows[i], intent.DisplayKey(a.Keys[0])) {
			d.Errorf("%s is not there with its key %v:\n%s", a.Name, a.Keys, numbered(rows))
		}
	}
	s.Type("chdetail") // letters of an action, in order
	s.WaitGone("Show sessions")
	s.WaitFor("› chdetail", "› Change detail level")
	s.Press("enter")
	s.WaitFor("Detail level: everything")
	s.WaitGone("╭ Actions")
	s.Press("ctrl+p")
	s.WaitFor("╭ Actions")
	s.Press("esc")
	s.WaitGone("╭ Actions")
	s.WaitDraft("")
}

func showsSessions(d *desk) {
	d.env = keptIn(d.T, d.dir)
	s := d.start(100, 30, scripted(d)...)
	s.Turn("first things")
	s.Press("ctrl+s")
	s.WaitFor("╭ Sessions", "1 first things", "here", "Saved by the agent", "Fix the lexer")
	s.Type("lexer")
	s.WaitGone("Write the docs")
	s.Press("enter") // opens it
	history(s.Screen, "old-1")
	s.Press("ctrl+s")
	s.WaitFor("2 Fix the lexer", "here · idle", "1 first things") // one that is being opened is cancelled
	s.Type("lexer")
	s.WaitGone("1 first things")
	s.Press("ctrl+x") // closes it; the agent keeps it
	s.WaitGone("2 Fix the lexer")
	s.WaitFor("╭ Sessions", "› Fix the lexer")
	s.Press("ctrl+d") // deletes it, after asking
	s.WaitFor("ctrl+d again to confirm")
	s.Press("ctrl+d")
	s.WaitGone("Fix the lexer")
	s.Press("esc")
	s.WaitFor("Write the docs")
	s.Type("docs")
	s.WaitGone("1 first things")
	s.Press("alt+a")
	s.WaitGone("› Write the docs")
	s.Press("alt+v")
	s.WaitFor("› Write the docs")
	s.Press("alt+v")
	s.WaitGone("› Write the docs")
	s.Press("esc", "esc")
	s.WaitGone("╭ Sessions")
	s.WaitFor("heard: first things")
	s.Press("ctrl+s")
	s.WaitFor("╭ Sessions", "1 first things")
	s.Press("esc")
	s.WaitGone("╭ Sessions")
	s.quit()

	s = d.start(100, 30, "demo")
	s.Turn("first things")
	s.Press("ctrl+s")
	s.WaitFor("╭ Sessions", "1 first things")
	s.Press("ctrl+n") // a new one
	s.WaitGone("first things")
	s.WaitIdle()
	s.Press("ctrl+s")
	s.WaitFor("╭ Sessions")
	s.Press("alt+n")
	s.WaitFor("worktrees need git")
	s.Turn("second things")
	s.Press("ctrl+s")
	s.WaitFor("╭ Sessions", "1 first things", "2 second things")
	s.Type("first")
	s.WaitGone("2 second things")
	s.Press("enter")
	s.WaitFor("▌ first things")
	s.Press("ctrl+s")
	s.WaitFor("╭ Sessions")
	s.Press("ctrl+t") // another agent
	s.WaitFor("chat with a coding agent", "esc back")
	s.Press("esc")
	s.WaitFor("▌ first things")
}

// nextWaiting switches to the mode in which the demo agent does not ask but parley does.
func nextWaiting(d *desk) {
	s := d.start(90, 30, "demo")
	s.WaitFor(placeholder)
	s.Prompt("run ls")
	s.WaitFor("demo asks")
	s.Press("ctrl+s")
	s.WaitFor("╭ Sessions")
	s.Press("ctrl+n")
	s.WaitFor("1 waits · alt+w")
	s.WaitGone("demo asks")
	s.Press("alt+w")
	s.WaitFor("demo asks")
}

func nextMode(d *desk) {
	write(d, filepath.Join(d.dir, "notes.txt"), "one\n")
	s := d.start(90, 30, "demo")
	s.WaitFor("approval: ask · mode: Ask first")
	s.Press("shift+tab")
	s.WaitFor("mode: Auto", "Mode of the agent: Auto")
	s.Prompt("edit notes.txt")
	s.WaitFor("parley asks: demo did not ask first", "esc reject · h hunks")
	s.Press("y")
	s.WaitFor("notes.txt has one more line now.")
	s.WaitIdle()
	s.Press("shift+tab")
	s.WaitFor("mode: Ask first")
}

func approvalMode(d *desk) {
	s := d.start(90, 30, "demo")
	s.WaitFor("approval: ask")
	s.Press("alt+m")
	s.WaitFor("╭ Approval mode", "accept edits")
	s.Press("down", "enter")
	s.WaitFor("Approval: accept edits · Write files in", " approval: accept edits · demo")
}

func functionKeys(d *desk) {
	s := d.start(90, 30, "demo")
	s.Press("f4")
	s.WaitFor("╭ Options", "› Mode")
	s.Press("enter")
	s.WaitFor("Auto")
	s.Press("esc", "esc")
	s.WaitGone("╭ ")
	s.Type("!sleep 600\r")
	s.WaitFor("esc stop the command")
	s.Press("f3")
	s.WaitFor("╭ Running", "! sleep 600", "ctrl+x stop")
	s.Press("ctrl+x")
	s.WaitFor("⊘ Shell  sleep 600  stopped")
	s.Press("esc")
	s.WaitGone("╭ Running")
	s.Press("f2")
	s.WaitFor("╭ Log")
	s.Press("f2")
	s.WaitGone("╭ Log")
}

func tabs(d *desk) {
	s := d.start(90, 30, "demo")
	s.Type("/thi")
	s.WaitFor("tab complete", "Think aloud")
	s.Press("tab")
	s.WaitDraft("/think")
	s.WaitGone("tab complete")
	s.Type("and read notes.txt\r")
	s.WaitFor("▌ /think and read notes.txt", "That is all.")
	s.WaitIdle()
	s.Press("tab")
	s.WaitSelected("That is all.")
	s.WaitFor("esc back")
	s.Press("tab")
	rows := s.WaitFor("? help")
	if row := selected(rows); row != "" {
		d.Errorf("%q is still selected", row)
	}
	s.Type("typed")
	s.WaitDraft("typed")
}

func slashes(d *desk) {
	s := d.start(90, 40, "demo")
	s.Type("/")
	rows := s.WaitFor("tab complete", "› /sessions", "/new") // parley's come first
	if rowOf(rows, placeholder) >= 0 {
		d.Errorf("the slash is not in the draft:\n%s", numbered(rows))
	}
	s.PressUntil("up", "/about") // the last one; the list starts again when the commands of the agent arrive
	s.WaitFor("/about", "/edit")
	s.Type("sess")
	s.WaitFor("› /sessions", "parley") // parley's own
	s.Press("enter")                   // completes a partial command
	s.WaitDraft("/sessions")
	s.Press("enter")
	s.WaitFor("╭ Sessions")
	s.Press("esc")
	s.WaitGone("╭ Sessions")
	s.Type("and/or / what")
	s.WaitDraft("and/or / what")
	if rows := s.Rows(); rowOf(rows, "tab complete") >= 0 {
		d.Errorf("a slash that is not the first offers commands:\n%s", numbered(rows))
	}
	s.Press("ctrl+c")
	s.WaitDraft("")
	s.Prompt("/read notes.txt") // the agent's
	s.WaitFor("▌ /read notes.txt", "That is all.")
}

// mentions completes the name of a file that is not ignored.
func mentions(d *desk) {
	for name, text := range map[string]string{"main.go": "package main\n", "mainly.log": "", ".gitignore": "*.log\n", "other.txt": ""} {
		write(d, filepath.Join(d.dir, name), text)
	}
	s := d.keyed(90, 30)
	s.Type("look at @man")
	s.WaitDraft("look at @man")
	s.WaitOnly([]string{"main.go", "tab complete"}, "mainly.log", "other.txt", ".gitignore")
	s.Press("esc")
	s.WaitGone("tab complete")
	s.WaitDraft("look at @man")
	s.Press("backspace", "backspace", "backspace", "backspace")
	s.Type("@man")
	s.WaitOnly([]string{"@man", "main.go", "tab complete"}, ".gitignore")
	s.Press("tab")
	s.WaitDraft("look at @main.go")
	s.Press("enter")
	s.WaitFor("heard: look at @main.go")
	s.WaitIdle()
	got := read(d, d.path("heard"))
	if !strings.Contains(got, `"type":"resource"`) || !strings.Contains(got, `"package main\n"`) || !strings.Contains(got, "look at @main.go") {
		d.Errorf("the agent got %s", got)
	}
}

func bangs(d *desk) {
	s := d.start(90, 30, scripted(d)...)
	s.Type("!")
	s.WaitFor("shell · enter run in")
	s.Type("echo it is $((40+2))")
	s.Press("enter")
	s.WaitFunc("the output", func(rows []string) bool { return slices.Contains(rows, "    it is 42") })
	s.WaitIdle()
	s.Prompt("!sleep 600")
	s.WaitFor("esc stop the command")
	s.Press("esc")
	s.WaitIdle()
	s.Prompt(" !not a command")
	s.WaitFor("heard: ")
	s.WaitIdle()
	if got := read(d, d.path("heard")); !strings.Contains(got, "it is 42") || !strings.Contains(got, " !not a command") {
		d.Errorf("the agent got %q", got)
	}
}

func helps(d *desk) {
	s := d.start(100, 40, scripted(d)...)
	for _, key := range []string{"?", "f1"} {
		s.Press(key)
		s.WaitFor("╭ Keys", "Send the prompt; during a turn, queue it", "Show all actions")
		s.Press("esc")
		s.WaitGone("╭ Keys")
		s.WaitDraft("")
	}
	s.Type("what?")
	s.WaitDraft("what?")
	if rows := s.Rows(); rowOf(rows, "╭ Keys") >= 0 {
		d.Errorf("help in the middle of a draft:\n%s", numbered(rows))
	}
	s.Press("f1") // help lists every action that has a key
	s.WaitFor("╭ Keys")
	all := strings.Join(s.Rows(), "\n")
	for n := 0; n < 10 && !strings.Contains(all, "/quit"); n++ {
		before := strings.Join(s.Rows(), "\n")
		s.Press("pgdown")
		s.WaitFunc("another page", func(rows []string) bool { return strings.Join(rows, "\n") != before })
		all += "\n" + strings.Join(s.Rows(), "\n")
	}
	for _, a := range intent.Actions {
		if len(a.Keys) > 0 && !strings.Contains(all, intent.DisplayKey(a.Keys[0])) {
			d.Errorf("%s of %s is not in the help", a.Keys[0], fmt.Sprint(a.In, ".", a.Name))
		}
	}
}
