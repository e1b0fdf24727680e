//go:build unix

package e2e

import "strings"

func enterSends(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Type("hold")
	s.WaitDraft("hold")
	s.Press("enter")
	s.WaitFor("▌ hold", "holding", "esc stop")
	s.WaitDraft("")
	s.Type("the next one")
	s.Press("enter")
	s.WaitFor(`queued 1  "the next one"`, "1 queued")
	s.WaitDraft("")
	d.got("hold\n")
	open(d, d.dir)
	s.WaitFor("and let go", "heard: the next one")
	s.WaitIdle()
	d.got("hold\nthe next one\n")
}

func enterIsHeld(d *desk) {
	s := d.plays("holding", 90, 24, "--protocol", "2")
	s.Type("one thing")
	s.Press("enter")
	s.WaitFor("▌ one thing", "heard: one thing")
	s.Type("another thing")
	s.Press("enter")
	rows := s.WaitFor("1 held", `held by the agent  "another thing"`)
	if rowOf(rows, "▌ another thing") >= 0 || rowOf(rows, "heard: another thing") >= 0 {
		d.Errorf("shown as taken up:\n%s", numbered(rows))
	}
	s.WaitFunc("the agent has it", func([]string) bool { return strings.Contains(read(d, d.path("heard")), "another thing") })
	open(d, d.dir)
	s.WaitFor("▌ another thing", "heard: another thing")
	s.WaitGone("1 held")
	s.WaitIdle()
}

// newlines types a line before each of them.
func newlines(d *desk) {
	s := d.start(90, 30, scripted(d)...)
	want := ""
	line := func(name string, enter func()) {
		s.Type(name)
		want += name + "\n"
		enter()
		s.WaitFunc("a line below "+name, func(rows []string) bool {
			i := rowOf(rows, name)
			return i >= 0 && strings.HasPrefix(rows[i], "│") && strings.HasPrefix(rows[i+1], "│   ")
		})
	}
	for _, key := range []string{"shift+enter", "alt+enter", "ctrl+j"} {
		line("line before "+key, func() { s.Press(key) })
	}
	for name, bytes := range map[string]string{
		"shift+enter of modifyOtherKeys": "\x1b[27;2;13~", "alt+enter of kitty": "\x1b[13;3u", "ctrl+j of kitty": "\x1b[106;5u", "ctrl+j of modifyOtherKeys": "\x1b[27;5;106~",
	} {
		line(name, func() { s.Type(bytes) })
	}
	line("a backslash", func() { s.Type("\\"); s.Press("enter") })
	s.Type("the end")
	s.Press("enter")
	s.WaitFor("heard: line before shift+enter")
	s.WaitIdle()
	d.got(want + "the end\n")
}

func escStops(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Prompt("trickle")
	s.WaitParagraph(3)
	s.Prompt("later")
	s.WaitFor(`queued 1  "later"`)
	s.Type("/pl")
	s.WaitFor("tab complete")
	s.Press("esc")
	rows := s.WaitGone("tab complete")
	if rowOf(rows, "esc stop") < 0 || rowOf(rows, "  Stopped") >= 0 {
		d.Errorf("closing the popup has stopped the turn:\n%s", numbered(rows))
	}
	s.WaitDraft("/pl")
	s.Press("esc") // once
	s.WaitFor("  Stopped", `queued 1  "later"`)
	s.WaitDraft("/pl")
	d.got("trickle\n")
}

func steers(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Prompt("trickle")
	s.WaitParagraph(3)
	for n, key := range []string{"alt+s", "ctrl+enter"} {
		prompt := []string{"trickle again", "that is all"}[n]
		s.Type(prompt)
		s.WaitDraft(prompt)
		s.Press(key)
		s.WaitFor("takes no prompt in a turn")
		s.WaitDraft(prompt)
		s.Press(key)
		s.WaitFor("▌ " + prompt)
	}
	s.WaitFor("heard: that is all")
	d.got("trickle\ntrickle again\nthat is all\n")
}

func asksBeside(d *desk) {
	s := d.keyed(90, 30)
	s.Press("f7")
	s.WaitFor("╭ Side question", "enter ask")
	s.Type("why?")
	s.Press("enter")
	s.WaitFor("▌ why?", "heard: why?")
	s.Press("a")
	s.WaitFor("enter ask")
	s.Type("and how?")
	s.Press("enter")
	s.WaitFor("heard: and how?")
	s.Press("c")
	s.WaitGone("╭ Side question")
	s.WaitFor("> heard: and how?")
}

func escTwice(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	for _, prompt := range []string{"first words", "second words", "third words"} {
		s.Turn(prompt)
	}
	shown := func() {
		s.WaitFor("╭ Prompts", "ctrl+e edit, files stay", "ctrl+o restore files", "ctrl+f fork")
	}
	s.Press("esc", "esc")
	shown()
	s.Press("esc")
	s.WaitGone("╭ Prompts")
	s.Type("\x1b[27u\x1b[27u") // esc twice in kitty's encoding
	shown()
	s.Press("up", "up", "enter") // goes to that turn
	s.WaitGone("╭ Prompts")
	s.WaitSelected("first words")
	s.Press("esc")
	s.WaitFor("? help")

	s.Press("esc", "esc")
	shown()
	s.Press("up")
	s.Press("ctrl+y")
	s.WaitCopied("second words")
	s.Press("ctrl+e")
	s.WaitGone("╭ Prompts")
	s.WaitDraft("second words")
	s.Type(" again")
	s.Press("enter")
	s.WaitFor("heard: second words again")
}

func ctrlC(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Prompt("trickle")
	s.WaitParagraph(3)
	s.Type("a draft")
	s.WaitDraft("a draft")
	s.Press("ctrl+c") // stops
	s.WaitFor("  Stopped")
	s.WaitIdle()
	s.WaitDraft("a draft")
	s.Press("ctrl+c") // clears
	s.WaitDraft("")
	s.Press("up") // it is in the history
	s.WaitDraft("a draft")
	s.Press("ctrl+c")
	s.WaitDraft("")
	s.WaitFor("ctrl+c again to quit")
	s.WaitGone("ctrl+c again to quit") // after a while the first ctrl+c no longer counts
	s.Press("ctrl+c")
	s.WaitFor("ctrl+c again to quit")
	s.Press("ctrl+c")
	if code := s.ExitCode(); code != 0 {
		d.Errorf("exit code %d", code)
	}
}

func ctrlD(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Type("draft")
	s.WaitDraft("draft")
	s.Press("home", "ctrl+d")
	s.WaitDraft("raft")
	s.Press("ctrl+u", "end", "ctrl+u")
	s.WaitDraft("")
	s.quit()
}

// ctrlZ returns the terminal to the shell and takes it back.
func ctrlZ(d *desk) {
	s := &hand{startByShell(d.T, d.dir, scripted(d)), d}
	s.WaitFor(placeholder)
	s.Turn("said before")
	s.Type("a draft")
	s.WaitDraft("a draft")
	s.Press("ctrl+z")
	rows := s.WaitFor("stopped, enter goes on")
	if s.full() || rowOf(rows, "said before") >= 0 {
		d.Errorf("the shell has not got its screen back:\n%s", numbered(rows))
	}
	raw, _ := s.Raw(0)
	for _, what := range unrestored(string(raw)) {
		d.Errorf("while it is suspended the terminal is not restored: %s", what)
	}
	s.Press("enter")
	s.WaitFor("heard: said before")
	s.WaitDraft("a draft")
	s.Press("ctrl+c")
	s.WaitDraft("")
	s.Press("ctrl+d")
	s.WaitFor("ended with 0")
	s.ExitCode()
}

// ctrlL redraws a screen that another program has written on.
func ctrlL(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	before := s.Turn("hello")
	s.mu.Lock()
	s.emu.Write([]byte("\x1b7\x1b[3;1Hsomething else\x1b8"))
	s.mu.Unlock()
	if rowOf(s.Rows(), "something else") < 0 {
		d.Fatal("nothing was written on the screen")
	}
	s.Press("ctrl+l")
	rows := s.WaitGone("something else")
	if a, b := strings.Join(before, "\n"), strings.Join(rows, "\n"); a != b {
		d.Errorf("the screen was\n%s\nand is\n%s", numbered(before), numbered(rows))
	}
}
