package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// A side question is answered by a copy of the session while the turn runs, and the next by the same copy. It is
// not part of the conversation, and the copy is deleted with the session.
func TestSideQuestion(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Capabilities(`,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"fork":{},"delete":{},"list":{}}}`)
		d.fake.On("session/fork", func(*fakeagent.Call) (string, error) { return `{"sessionId":"copy"}`, nil })
		d.fake.On("session/delete", func(*fakeagent.Call) (string, error) { return `{}`, nil })
		d.fake.Turn(func(t *fakeagent.Turn) string {
			if t.Session == "copy" {
				t.Say("It is a **lexer**.")
				if t.Text == "write" {
					t.Say(t.Ask(`{"toolCallId":"w","title":"Write x","kind":"edit"}`, `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`))
				}
				return "end_turn"
			}
			return slow(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("/btw what is lex.go?\n")
		d.soon()
		d.sees("╭ Side question", "▌ what is lex.go?", "It is a lexer.", "a ask another", "c quote in the prompt")
		d.press("a")
		d.types("write")
		d.press("enter")
		d.soon()
		d.sees("▌ write", "rejected by mode: side question")
		d.misses("asks ─")
		d.called("session/fork", 1)
		d.press("c")
		d.draft("> It is a **lexer**.\n> \n> n\n\n")
		d.wait(4 * time.Second)
		d.sees("working on hello, done")
		d.misses("what is lex.go?")
		if got := strings.Join(d.Agent().Prompts(), "|"); got != "hello|what is lex.go?|write" {
			t.Errorf("prompts %s", got)
		}
		d.press("ctrl+c")
		d.press("f7")
		d.sees("╭ Side question", "▌ write")
		d.press("f7")
		d.misses("╭ Side question")
		d.press("ctrl+s")
		d.misses("copy")
		d.press("esc")
		d.press("ctrl+c", "ctrl+c")
		d.wait(2 * time.Second)
		if got := d.called("session/delete", 1); got[0] != `{"sessionId":"copy"}` {
			t.Error(got)
		}
	})
}

// An agent that cannot copy sessions gets the conversation with the first question.
func TestSideQuestionWithoutCopies(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.rest()
		d.press("f7")
		d.sees("╭ Side question", "Answered beside the turn")
		d.types("why?\n")
		d.rest()
		d.sees("▌ why?")
		all := d.Agent().Prompts()
		if got := all[len(all)-1]; len(all) != 2 || !strings.HasPrefix(got, "This is our conversation so far") || !strings.Contains(got, "hello") {
			t.Errorf("it was told %q", all)
		}
		d.called("session/new", 2)
	})
}

// Where nobody can answer a side question it is not to be written first, and one that was is not lost.
func TestSideQuestionNotAsked(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(time.Minute)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.press("f7")
		d.types("what is lex.go?\n")
		d.soon()
		d.press("a")
		d.types("and why?\n")
		d.soon()
		d.sees("waits: and why?")
		d.press("a")
		d.types("who wrote it?")
		d.Agent().Close()
		d.soon()
		d.press("enter")
		d.sees("Not asked: The agent has ended")
		d.sees("╭ Side question", "Not asked: and why? (")
		d.press("a")
		d.misses("Answered beside the turn")
		d.press("esc", "up")
		d.draft("who wrote it?")
	})
}

// The copy of a session that is closed before the copy is there is deleted, too.
func TestSideQuestionOfAClosedSession(t *testing.T) {
	var held chan struct{}
	forks := 0
	drive(t, func(d *driver, _ *Options) {
		held = make(chan struct{})
		d.fake.Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"fork":{},"delete":{},"close":{}}}`)
		d.fake.On("session/fork", func(*fakeagent.Call) (string, error) {
			if forks++; forks == 1 {
				return `{"sessionId":"first"}`, nil
			}
			<-held
			return `{"sessionId":"copy"}`, nil
		})
		d.fake.On("session/close", func(*fakeagent.Call) (string, error) { return `{}`, nil })
		d.fake.On("session/delete", func(*fakeagent.Call) (string, error) { return `{}`, nil })
	}, func(d *driver) {
		d.connected()
		d.types("/btw why?\n")
		d.soon()
		d.press("esc")
		d.types("/new\n")
		d.rest()
		d.types("/btw what is lex.go?\n")
		d.soon()
		d.press("esc")
		d.press("ctrl+s", "end", "ctrl+x")
		d.soon()
		if got := d.called("session/close", 1); got[0] != `{"sessionId":"s2"}` {
			t.Error(got)
		}
		close(held)
		d.wait(time.Second)
		if got := d.called("session/delete", 1); got[0] != `{"sessionId":"copy"}` {
			t.Error(got)
		}
	})
}
