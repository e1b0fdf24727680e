package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
)

// release is a form with a field of each kind.
const release = `{"sessionId":"s1","mode":"form","message":"How shall the release be made?","requestedSchema":{"type":"object","properties":{
	"name":{"type":"string","title":"Name","description":"of the tag","minLength":3},
	"count":{"type":"integer","title":"Count","minimum":1,"maximum":9,"default":3},
	"tests":{"type":"boolean","title":"Run the tests","default":true},
	"where":{"type":"string","title":"Where","oneOf":[{"const":"n","title":"North"},{"const":"s","title":"South"}],"default":"n"},
	"parts":{"type":"array","title":"Parts","items":{"type":"string","enum":["lexer","parser"]},"minItems":1,"default":["parser"]}},
	"required":["name","parts"]}}`

// oneField is a form with one optional field.
const oneField = `{"sessionId":"s1","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","title":"Branch"}}}}`

// eliciting is a turn that asks for forms and pages, one after another.
func eliciting(asked ...string) func(*fakeagent.Turn) string {
	return func(t *fakeagent.Turn) string {
		for _, a := range asked {
			t.Elicit(a)
		}
		t.Say("that was all")
		return "end_turn"
	}
}

// withForm opens the chat, sends a prompt and waits for the form.
func withForm(t *testing.T, asked string, f func(d *driver)) {
	t.Helper()
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(eliciting(asked)) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		f(d)
	})
}

// answered checks the answers to forms and pages.
func (d *driver) answered(want string) {
	d.t.Helper()
	if got := strings.Join(d.Agent().Answers(), "|"); got != want {
		d.t.Fatalf("the agent was answered %q, want %q\n%s", got, want, d.screen())
	}
}

// Layers above a form get the keys: help, completion, the transcript.
func TestFormUnderSomethingElse(t *testing.T) {
	withForm(t, oneField, func(d *driver) {
		d.press("f1")
		d.sees("╭ Keys")
		d.misses("fake asks")
		d.rest()
		d.press("esc")
		d.answered("")
		d.sees("fake asks")
		d.types("/")
		d.sees("tab complete")
		d.rest()
		d.press("esc")
		d.misses("tab complete")
		d.answered("")
		d.press("ctrl+u", "f3")
		d.sees("╭ Running")
		d.rest()
		d.press("esc")
		d.sees("fake asks")
		d.answered("")
		d.press("esc")
		d.soon()
		d.answered(`{"action":"cancel"}`)
	})
}

// A question comes before a form, and its answer does not reach the form.
func TestQuestionBeforeForm(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			done := make(chan struct{})
			go func() { t.Elicit(oneField); close(done) }()
			t.Wait(2 * time.Second)
			t.Ask(push, usual)
			<-done
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.types("ma")
		d.wait(1200 * time.Millisecond)
		d.sees("Run outside the project")
		d.misses("Which branch?")
		d.types("y") // too soon after typing: for neither
		d.draft("")
		d.rest()
		d.press("y", "y", "enter")
		d.soon()
		d.outcomes("ok")
		d.sees("Which branch?", "› ma")
		d.answered("")
		d.draft("")
		d.rest()
		d.types("in\n")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"main"}}`)
	})
}

// The second of two forms also waits until the user stops typing.
func TestTwoForms(t *testing.T) {
	second := strings.Replace(oneField, "Which branch?", "Which remote?", 1)
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(eliciting(oneField, second)) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.types("main\n")
		d.soon()
		d.sees("Which remote?", "alt+a to answer")
		d.types("on")
		d.draft("on")
		d.press("ctrl+u")
		d.rest()
		d.sees("tab next")
		d.types("origin\n")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"main"}}|{"action":"accept","content":{"branch":"origin"}}`)
	})
	both := func(t *fakeagent.Turn) string { // both at once: shown in the order in which they arrive
		go t.Elicit(oneField)
		t.Wait(10 * time.Millisecond)
		t.Elicit(second)
		return "end_turn"
	}
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(both) }, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.rest()
		d.sees("Which branch?")
		d.press("esc")
		d.soon()
		d.sees("Which remote?", "alt+a to answer")
		d.types("x")
		d.draft("x")
		d.press("backspace")
		d.rest()
		d.sees("tab next") // drawn without a key press
		d.types("x\n")
		d.soon()
		d.answered(`{"action":"cancel"}|{"action":"accept","content":{"branch":"x"}}`)
	})
}

// A form that ends elsewhere leaves the screen: the turn is stopped, the agent withdraws it,
// or the agent ends.
func TestFormSettledElsewhere(t *testing.T) {
	for name, end := range map[string]func(*driver){
		"stopped":   func(d *driver) { d.press("ctrl+c") },
		"withdrawn": func(d *driver) { d.wait(3 * time.Second) },
		"gone":      func(d *driver) { d.Agent().Close() },
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, _ *Options) {
				d.fake.Turn(func(t *fakeagent.Turn) string {
					ctx, over := context.WithTimeout(context.Background(), 2*time.Second)
					defer over()
					t.Agent.Elicit(ctx, oneField)
					t.Wait(time.Second)
					return "end_turn"
				})
			}, func(d *driver) {
				d.connected()
				d.types("go\n")
				d.soon()
				d.sees("Which branch?")
				end(d)
				d.soon()
				d.misses("Which branch?", "fake asks")
				d.types("draft")
				d.draft("draft")
			})
		})
	}
	withForm(t, loginPage, func(d *driver) { // a form that waits for its page
		d.rest()
		d.press("o")
		d.soon()
		d.Agent().Close()
		d.soon()
		d.misses("fake asks")
		d.sees("The agent has ended")
	})
}

// A form of a session that is not in front waits there.
func TestFormOfAnotherSession(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Second); return eliciting(oneField)(t) })
	}, func(d *driver) {
		d.connected()
		d.types("go\n/new\n")
		d.wait(2 * time.Second)
		d.sees("1 waits · alt+w")
		d.misses("fake asks")
		d.types("x\n")
		d.press("ctrl+s")
		d.sees("1 ● go", "waiting for you")
		d.press("home", "enter", "x")
		d.sees("Which branch?")
		d.draft("x")
		d.press("backspace")
		d.rest()
		d.types("main\n")
		d.soon()
		d.answered(`{"action":"accept","content":{"branch":"main"}}`)
	})
}

// aboutLogin is a form that belongs to a request: the third one, authenticate.
const aboutLogin = `{"requestId":3,"mode":"form","message":"The code, please","requestedSchema":{"type":"object","properties":{"code":{"type":"string","title":"Code"}}}}`

// Case 139: a form that belongs to a login is shown before a session is open.
func TestFormDuringLogin(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		g.auth = func(c *fakeagent.Call) (string, error) {
			c.Agent.Elicit(context.Background(), aboutLogin)
			if !strings.Contains(strings.Join(c.Agent.Answers(), "|"), `"AB-12"`) {
				return "", fakeagent.Errorf(-32603, "no such code")
			}
			g.in.Store(true)
			return `{}`, nil
		}
	}, func(d *driver) {
		d.rest()
		d.press("enter")
		d.wait(1100 * time.Millisecond)
		d.sees("Logging in: In the browser", "╭ fake asks", "The code, please", "▸ Code", "alt+a to answer")
		d.types("no") // the form does not accept keys yet
		d.send(tea.PasteMsg{Content: "no"})
		d.sees("› nono", "You are typing")
		d.golden("form-login")
		d.rest()
		d.press("alt+a")
		d.wait(100 * time.Millisecond)
		d.sees("ctrl+s send")
		d.send(tea.PasteMsg{Content: "AB-1"})
		d.types("2\n")
		d.soon()
		d.connected()
		if got := strings.Join(d.Agent().Answers(), "|"); got != `{"action":"accept","content":{"code":"AB-12"}}` {
			t.Fatal(got)
		}
		d.misses("fake asks")
		d.draft("nono")
	})
	g = &guarded{}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		g.auth = func(c *fakeagent.Call) (string, error) {
			c.Agent.Elicit(context.Background(), aboutLogin)
			return "", fakeagent.Errorf(-32603, "never mind")
		}
	}, func(d *driver) {
		d.rest()
		d.press("enter")
		d.wait(1100 * time.Millisecond)
		d.press("tab", "x")
		d.wait(100 * time.Millisecond)
		d.types("y")
		d.sees("› y")
		d.press("esc") // closes the form; the login continues
		d.soon()
		d.answered(`{"action":"cancel"}`)
		d.sees("log in: the agent answered: never mind", "╭ Log in to fake")
	})
}

// A form for the login of a running chat stays on the page on which it opened, and closes when
// the login is over.
func TestFormOfARequest(t *testing.T) {
	g := &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		g.auth = func(c *fakeagent.Call) (string, error) {
			ctx, over := context.WithTimeout(c.Ctx, 10*time.Second)
			defer over()
			c.Agent.Elicit(ctx, aboutLogin)
			return `{}`, nil
		}
	}, func(d *driver) {
		d.connected()
		d.types("/login\n\n")
		d.wait(1100 * time.Millisecond)
		d.sees("The code, please")
		d.press("tab")
		d.wait(100 * time.Millisecond)
		d.press("ctrl+c")
		d.soon()
		d.answered(`{"action":"cancel"}`)
		d.misses("fake asks")
		d.types("/login\n\n")
		d.wait(1100 * time.Millisecond)
		d.sees("The code, please")
		d.types("/new\n") // typed into the composer
		d.soon()
		d.misses("The code, please")
		d.press("ctrl+s")
		d.sees("waiting for you")
		d.press("esc")
		d.wait(15 * time.Second) // the agent withdraws it in the meantime
		d.press("ctrl+s", "home", "enter")
		d.misses("The code, please")
	})
}

// Continuous typing never fills in a form, sends it or opens a page unless the user pauses or
// moves the focus to it.
func TestTypingNeverAccepts(t *testing.T) {
	t.Parallel()
	keys := []string{"y", "o", "n", "c", "enter", "space", "backspace", "up", "down", "left", "right", "esc", "pgup", "pgdown", "shift+tab", "shift+up", "shift+down",
		"ctrl+s", "esc", "esc", "/", "ctrl+o", "ctrl+u", "ctrl+w", "ctrl+y", "shift+enter", "f1", "home", "end", "delete", "é"}
	drive(t, func(d *driver, o *Options) {
		o.OpenURL = func(string) error { t.Error("a page was opened"); return nil }
		d.fake.Turn(func(t *fakeagent.Turn) string {
			for range 3 {
				go t.Elicit(oneField)
				go t.Elicit(loginPage)
				if t.Wait(700 * time.Millisecond) {
					return "cancelled"
				}
			}
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		asked := 0
		d.pressAtRandom(7, 15_000, keys, func() {
			asked = max(asked, d.m.Front.Elicits.Len())
			if first := d.m.Front.Elicits.First(); first != nil {
				for _, v := range first.Values() {
					if v.Text != "" {
						t.Fatalf("%q was typed into the form", v.Text)
					}
				}
			}
		})
		got := strings.Join(d.Agent().Answers(), "|")
		if strings.Contains(got, "accept") || strings.Contains(got, "decline") {
			t.Fatalf("typing has answered: %s", got)
		}
		if asked < 2 || !strings.Contains(got, "cancel") {
			t.Fatalf("nothing was ever there: %d, %q", asked, got)
		}
	})
}
