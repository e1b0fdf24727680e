package ui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// withSubagents begins a turn with two sub-agents, one of which has one of its own.
func withSubagents(t *testing.T, f func(d *driver, child func(id, update string))) {
	withSubagentsOf(t, v2, f)
}

func withSubagentsOf(t *testing.T, setup func(*driver, *Options), f func(d *driver, child func(id, update string))) {
	drive(t, setup, func(d *driver) {
		d.connected()
		child := func(id, update string) {
			d.Agent().Update(id, update)
			d.soon()
		}
		d.Agent().State("s1", `"running"`)
		child("s1", `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Find the parser","capabilities":{"cancel":{}},"state":{"state":"running"}}`)
		child("s1", `{"sessionUpdate":"subagent_update","sessionId":"other","title":"Read the docs","state":{"state":"running"}}`)
		child("kid", `{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"I look for it."}}`)
		child("other", `{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Nothing in README."}}`)
		child("kid", `{"sessionUpdate":"subagent_update","sessionId":"deep","title":"Deeper","state":{"state":"running"}}`)
		child("deep", `{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"It is in lex.go."}}`)
		child("kid", `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit lex.go","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/lex.go","oldText":"a\n","newText":"b\nc\n"}]}`)
		child("kid", `{"sessionUpdate":"tool_call_update","toolCallId":"r","title":"Read lex.go","kind":"read","status":"in_progress"}`)
		child("kid", `{"sessionUpdate":"usage_update","used":45000,"size":200000}`)
		f(d, child)
	})
}

// What a sub-agent does, has changed and has used is in its row. It opens to its own conversation, however deep,
// and esc goes back without stopping anything.
func TestSubagentOpens(t *testing.T) {
	withSubagents(t, func(d *driver, child func(id, update string)) {
		d.wait(2 * time.Second)
		d.sees("Sub-agent Find the parser · Read l", "+2 −1", "45k tokens", "2s", "Sub-agent Read the docs · Nothing in README.")
		d.misses("I look for it.")
		d.press("tab", "g", "j", "enter")
		d.sees("‹ fake › Find the parser · running", "esc back", "I look for it.", "Edit   /w/lex.go", "Sub-agent Deeper · It is in lex.go.")
		d.misses("Read the docs", "Nothing in README")
		child("kid", `{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"Found."}}`)
		d.sees("Found.")
		d.clickOn("Sub-agent Deeper")
		d.sees("‹ fake › Find the parser › Deeper", "It is in lex.go.")
		d.misses("I look for it.", "new · end")
		d.press("esc")
		d.sees("‹ fake › Find the parser · running", "I look for it.")
		d.press("esc")
		d.misses("‹ fake")
		d.sees("Sub-agent Read the docs")
		d.press("esc") // the keys are the composer's again
		d.called("session/cancel", 0)
		d.clickOn("Sub-agent Read the docs")
		d.sees("Nothing in README.", "‹ fake › Read the docs")
		d.types("hello")
		d.draft("hello")
		d.press("esc")
		d.misses("‹ fake")
		d.called("session/cancel", 0)
	})
}

// A search looks through the conversation that is shown.
func TestSubagentSearched(t *testing.T) {
	withSubagents(t, func(d *driver, _ func(id, update string)) {
		d.press("tab", "g", "j", "enter", "/")
		d.types("look for")
		d.press("enter")
		d.soon()
		d.sees("1 of 1")
		d.press("esc")
		d.sees("‹ fake › Find the parser")
		d.press("esc")
		d.misses("‹ fake")
	})
}

// What a sub-agent asks is asked on the page, wherever the reader is, and esc answers it first.
func TestSubagentAsksInside(t *testing.T) {
	withSubagents(t, func(d *driver, child func(id, update string)) {
		d.press("tab", "g", "j", "enter")
		go d.Agent().Ask(context.Background(), "other", `{"toolCallId":"w","title":"Write x","kind":"edit"}`, `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`)
		d.rest()
		d.sees("‹ fake › Find the parser", "sub-agent Read the docs asks", "esc back")
		d.press("alt+a")
		d.rest()
		d.sees("esc reject")
		d.misses("esc back")
		d.press("esc")
		d.soon()
		d.misses("sub-agent Read the docs asks")
		d.sees("‹ fake › Find the parser", "esc back")
	})
}

// The messages of an entry of a sub-agent, and of an answer to one, are looked up in its session.
func TestSubagentItemMessages(t *testing.T) {
	var asked []string
	setup := func(d *driver, o *Options) {
		v2(d, o)
		d.Change = func(c *workspace.Connection) {
			c.Machine = logged{c.Machine, func(_ context.Context, session string, _ []event.Span, _ int64) ([]workspace.Message, error) {
				asked = append(asked, session)
				return nil, nil
			}}
		}
	}
	withSubagentsOf(t, setup, func(d *driver, child func(id, update string)) {
		go d.Agent().Ask(context.Background(), "other", `{"toolCallId":"w","title":"Write x","kind":"edit"}`, `[{"optionId":"n","name":"No","kind":"reject_once"}]`)
		d.rest()
		d.press("n")
		d.soon()
		for _, keys := range [][]string{{"tab", "g", "j", "i"}, {"enter", "i"}, {"esc", "G", "i"}} {
			d.press(keys...)
			d.soon()
		}
		if want := []string{"s1", "kid", "other"}; !slices.Equal(asked, want) {
			t.Errorf("looked for the messages of %q, want %q", asked, want)
		}
	})
}

// The lists of what runs and of all sub-agents show them, stop those that allow it, and open them.
func TestSubagentLists(t *testing.T) {
	withSubagents(t, func(d *driver, child func(id, update string)) {
		d.press("f3")
		d.types("sub-agent Find")
		d.sees("ctrl+x stop")
		d.press("ctrl+x")
		d.soon()
		if got := d.called("session/cancel", 1); got[0] != `{"sessionId":"kid"}` {
			t.Error(got)
		}
		d.press("esc", "esc")
		child("s1", `{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle","stopReason":"cancelled"}}`)
		d.types("/subagents\n")
		d.sees("╭ Sub-agents", "Find the parser", "cancelled", "  Deeper", "Read the docs", "3/3")
		d.types("docs")
		d.press("ctrl+x")
		d.sees("This agent cannot stop it alone")
		d.press("enter")
		d.sees("‹ fake › Read the docs", "Nothing in README.")
		d.press("esc", "tab", "g", "j", "x")
		d.sees("It has ended")
		d.called("session/cancel", 1)
	})
}

// A prompt is sent to the session, whose conversation is shown again.
func TestSubagentLeftByPrompt(t *testing.T) {
	withSubagents(t, func(d *driver, child func(id, update string)) {
		child("s1", `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
		d.clickOn("Sub-agent Find the parser")
		d.sees("‹ fake")
		d.types("thanks\n")
		d.soon()
		d.misses("‹ fake")
		d.sees("▌ thanks")
	})
}

// Nothing of the agent's text reaches the terminal as more than text.
func TestSubagentHostile(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"\u001b]0;x\u0007`+strings.Repeat("wide ", 100)+`","state":{"state":"running\u001b[2J"}}`)
		d.soon()
		d.press("tab", "enter")
		d.clean()
		d.sees("‹ fake", "esc back")
	})
}
