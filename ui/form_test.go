package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// Case 135: fields of every kind, in the agent's order and with its defaults. The values sent
// are those on the screen.
func TestForm(t *testing.T) {
	withForm(t, release, func(d *driver) {
		d.send(tea.WindowSizeMsg{Width: 80, Height: 30})
		d.rest()
		d.sees("╭ fake asks", "How shall the release be made?", "▸ Name  required", "of the tag", "› 3", "[x] Run the tests", "(•) North", "( ) South", "waiting for you",
			"Parts  required  1 of 2 selected", "[x] parser", "Send · Decline · Cancel", "ctrl+s send · esc cancel · tab next")
		s, last := d.screen(), -1
		for _, label := range []string{"Name", "Count", "Run the tests", "Where", "Parts"} {
			at := strings.Index(s, label)
			if at < last {
				t.Fatalf("%s is not in its place:\n%s", label, s)
			}
			last = at
		}
		d.types("v1.2")
		d.draft("") // not typed into the composer
		d.press("ctrl+s")
		d.soon()
		d.answered(`{"action":"accept","content":{"name":"v1.2","count":3,"tests":true,"where":"n","parts":["parser"]}}`)
		d.misses("fake asks")
		d.sees("that was all")
	})
	withForm(t, release, func(d *driver) {
		d.send(tea.WindowSizeMsg{Width: 80, Height: 30})
		d.rest()
		d.types("ab")
		d.press("enter") // moves to the next field although this one is invalid
		d.sees("✗ at least 3 characters, now 2", "▸ Count")
		d.press("backspace", "shift+tab")
		d.types("c\n")
		d.misses("✗")
		d.types("1.5")
		d.press("ctrl+s")
		d.sees("✗ must be a whole number", "▸ Count")
		d.answered("")
		d.press("backspace", "backspace", "backspace", "tab", "space", "tab", "right", "tab", "space", "down", "space", "ctrl+s")
		d.soon()
		d.answered(`{"action":"accept","content":{"name":"abc","tests":false,"where":"s","parts":["lexer"]}}`)
	})
	withForm(t, release, func(d *driver) { // required fields must be filled in
		d.send(tea.WindowSizeMsg{Width: 80, Height: 30})
		d.rest()
		d.press("ctrl+s")
		d.sees("▸ Name", "✗ enter a value")
		d.types("abc")
		d.press("shift+tab", "up", "space", "ctrl+s")
		d.soon()
		d.answered("")
		d.sees("▸ Parts", "✗ enter a value")
	})
}

// Case 136: the ways to leave a form.
func TestFormLeaving(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"esc"}, `{"action":"cancel"}`},
		{[]string{"a", "ctrl+c"}, `{"action":"cancel"}`},
		{[]string{"shift+tab", "right", "enter"}, `{"action":"decline"}`},
		{[]string{"shift+tab", "right", "right", "enter"}, `{"action":"cancel"}`},
		{[]string{"tab", "tab", "tab", "s", "esc"}, ``}, // closes the list of choices
		{[]string{"tab", "tab", "tab", "s", "esc", "esc"}, `{"action":"cancel"}`},
	} {
		withForm(t, release, func(d *driver) {
			d.rest()
			d.press(c.keys...)
			d.soon()
			d.answered(c.want)
			if _, _, n := seen(d.Agent()); n != 0 {
				t.Errorf("%v has stopped the turn", c.keys)
			}
		})
	}
}

// Keys typed before the form was ready neither fill it in nor send it, and stay in the draft.
func TestFormNotArmed(t *testing.T) {
	withForm(t, oneField, func(d *driver) {
		d.press("y", "tab", "ctrl+s") // too early: they go to the composer and to the list of sessions
		d.sees("╭ Sessions")
		d.press("esc")
		d.draft("y")
		d.rest()
		d.sees("You are typing · alt+a to answer")
		d.types("es")
		d.send(tea.PasteMsg{Content: ", do"})
		d.draft("yes, do")
		d.answered("")
		d.press("alt+a", "x") // too soon after the last key
		d.wait(100 * time.Millisecond)
		d.sees("ctrl+s send")
		d.types("main")
		d.send(tea.PasteMsg{Content: "-2\n"})
		d.press("ctrl+s")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"main-2"}}`)
		d.draft("yes, do")
	})
	withForm(t, oneField, func(d *driver) { // tab without a draft
		d.press("tab", "x", "x")
		d.draft("")
		d.wait(100 * time.Millisecond)
		d.types("dev\n")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"dev"}}`)
	})
	withForm(t, oneField, func(d *driver) { // after a wait the first key counts
		d.wait(620 * time.Millisecond)
		d.send(tea.PasteMsg{Content: "pasted"})
		d.types("!\n")
		d.draft("")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"pasted!"}}`)
	})
	withForm(t, oneField, func(d *driver) { // esc works at once
		d.types("dra")
		d.press("esc")
		d.soon()
		d.answered(`{"action":"cancel"}`)
		d.draft("dra")
		if _, _, n := seen(d.Agent()); n != 0 {
			t.Error("the turn was stopped")
		}
	})
}

// A form that opens while the user types accepts no key until the user has paused.
func TestFormWhileTyping(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Second); return eliciting(oneField)(t) })
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		for range 40 { // a key every 100 ms
			d.press("a")
			d.wait(100 * time.Millisecond)
		}
		d.sees("fake asks")
		d.draft(strings.Repeat("a", 40))
		d.press("ctrl+u")
		for range 20 {
			d.press("b", "backspace")
			d.wait(100 * time.Millisecond)
		}
		d.answered("")
		if v := d.m.Front.Elicits.First().Values()[0]; v.Text != "" {
			t.Fatalf("%q was typed into the form", v.Text)
		}
		d.sees("alt+a to answer · esc cancel")
		d.wait(600 * time.Millisecond)
		d.sees("ctrl+s send")
		d.types("c\n")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"c"}}`)
	})
}

// A form accepts keys only after it has been on the screen for a while.
func TestFormWantsToBeSeen(t *testing.T) {
	for _, asked := range []string{oneField, loginPage} {
		drive(t, func(d *driver, _ *Options) {
			d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(5 * time.Second); return eliciting(asked)(t) })
		}, func(d *driver) {
			d.connected()
			d.types("go\n")
			for d.m.Front.Elicits.Len() == 0 {
				d.wait(10 * time.Millisecond)
			}
			d.wait(200 * time.Millisecond) // no key for seconds, but the form is new
			d.press("o", "enter")
			d.wait(300 * time.Millisecond)
			d.press("y")
			d.draft("y")
			d.press("backspace")
			d.answered("")
			d.wait(620 * time.Millisecond)
			d.press("n", "ctrl+s")
			d.soon()
			if strings.Join(d.Agent().Answers(), "|") == "" {
				t.Errorf("%s was not answered", asked)
			}
		})
	}
}

// A form that cannot be shown is declined, and the user is told.
func TestFormThatCannotBeShown(t *testing.T) {
	for _, schema := range []string{`{"type":"object","properties":[]}`, `{"properties":{"b":{"type":"string","enum":["` + strings.Repeat(`x","`, 6000) + `"]}}}`} {
		withForm(t, `{"sessionId":"s1","mode":"form","message":"m","requestedSchema":`+schema+`}`, func(d *driver) {
			d.answered(`{"action":"decline"}`)
			d.sees("Declined a form that parley cannot show", "that was all")
			d.misses("fake asks")
		})
	}
}

// A long message is shown above the form.
func TestFormWithALongMessage(t *testing.T) {
	withForm(t, strings.Replace(oneField, "Which branch?", strings.Repeat("word ", 300)+"the end of it", 1), func(d *driver) {
		d.rest()
		d.sees("▸ Branch", "more rows ↓")
		d.misses("the end of it")
		for range 30 {
			d.press("shift+down")
		}
		d.sees("the end of it", "▸ Branch")
		d.misses("more rows")
		d.press("shift+up")
		d.misses("the end of it")
		d.types("x\n")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"x"}}`)
	})
}

// Hostile text in a form, at every size. The cursor stays on the screen.
func TestHostileForm(t *testing.T) {
	t.Parallel()
	for _, h := range []string{`\u001b]52;c;aGk=\u0007`, `\u001b[2J\u001b[31m`, `\u202egnp.exe\u2066`, `a\nb\rc\td`, strings.Repeat("w", 5000), strings.Repeat("日本 ", 500)} {
		key := h
		if len(h) > 1000 { // too long for a key
			key = "k"
		}
		withForm(t, strings.ReplaceAll(`{"sessionId":"s1","mode":"form","message":"H","requestedSchema":{"title":"H","description":"H","type":"object","properties":{"`+key+`":{"type":"string","title":"H","description":"H","default":"H"},"b":{"type":"string","oneOf":[{"const":"H","title":"H"}]},"c":{"type":"array","title":"H","items":{"enum":["H"]}},"d":{"type":"H","title":"H"}}}}`, "H", h), func(d *driver) {
			d.rest()
			d.answered("")
			for _, size := range [][2]int{{20, 6}, {40, 12}, {80, 24}, {160, 50}} {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]}) // look checks every row
				d.sees("fake asks")
				for range 5 {
					d.press("tab")
				}
			}
			d.press("esc")
			d.soon()
			d.answered(`{"action":"cancel"}`)
		})
	}
}

func TestGoldenForm(t *testing.T) {
	t.Parallel()
	drive(t, func(d *driver, o *Options) { d.fake.Turn(eliciting(release)); o.Theme = "dark" }, func(d *driver) {
		d.connected()
		d.types("make a release\n")
		d.rest()
		d.types("v1\n")
		d.golden("form")
	})
}

// The time in which the user fills in a form does not count for the call that asked.
func TestFormHoldsItsCallUp(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Ask the user","kind":"other","status":"in_progress"}`)
			t.Elicit(strings.Replace(oneField, `"mode"`, `"toolCallId":"c","mode"`, 1))
			t.Wait(2 * time.Second)
			t.Agent.Update(t.Session, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(30 * time.Second)
		d.press("ctrl+s")
		d.wait(5 * time.Second)
		d.sees("✓ Tool   Ask the user  2s")
	})
}
