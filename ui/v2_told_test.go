package ui

import (
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// A prompt that an agent refuses because a turn runs waits here, and is sent after it.
func TestRefusedInMidTurn(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		d.fake.OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if t.MidTurn() {
				return "", fakeagent.Errorf(-32600, "a turn is running")
			}
			return t.AcceptInOrder()
		})
	}, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.wait(time.Second)
		d.types("two\n")
		d.soon()
		d.sees("Not accepted during a turn; it is sent after this one", `queued 1  "two"`)
		d.draft("")
		d.types("three\n")
		d.soon()
		d.prompts("one|two")
		d.wait(3 * time.Second)
		d.prompts("one|two|two")
		d.sees("working on one, done", "▌ two", `queued 1  "three"`)
		d.wait(10 * time.Second)
		d.prompts("one|two|two|three")
		d.sees("working on three, done", "? help")
		d.misses("queued")
	})
}

// A plan that is a text is shown as one.
func TestMarkdownPlan(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.wait(time.Second)
		d.Agent().Update("s1", `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# Typed errors\n\n1. Read the **lexer**\n2. Wire them"}}`)
		d.soon()
		d.sees("Plan ▸ Typed errors")
		d.misses("does not know")
		d.press("ctrl+t")
		d.sees("╭ Plan", "Typed errors", "1. Read the lexer", "2. Wire them")
		d.misses("**", "# Typed")
		d.press("ctrl+t")
		d.Agent().Update("s1", `{"sessionUpdate":"plan_removed","planId":"p"}`)
		d.soon()
		d.misses("Plan ▸")
	})
}

// A sub-agent is one row, which says what it does.
func TestSubagent(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", `{"sessionUpdate":"subagent_update","sessionId":"child","title":"Find the parser","description":"Explore","state":{"state":"running"}}`)
		d.soon()
		d.sees("⠋ Sub-agent Find the parser (Explore)")
		d.Agent().Update("s1", `{"sessionUpdate":"subagent_update","sessionId":"child","state":{"state":"idle","stopReason":"end_turn"}}`)
		d.soon()
		d.sees("✓ Sub-agent Find the parser (Explore)")
		d.misses("does not know")
	})
}

// What the agent wants to be known is still there when the status line is free again.
func TestNoticeStays(t *testing.T) {
	drive(t, v2, func(d *driver) {
		d.connected()
		d.Agent().Update("s1", `{"sessionUpdate":"notice","severity":"error","title":"MCP server db is down","description":"connection refused"}`)
		d.wait(20 * time.Second)
		d.sees("✗ Error: MCP server db is down: connection refused")
	})
}
