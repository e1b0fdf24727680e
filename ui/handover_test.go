package ui

import (
	"strings"
	"testing"

	"parley/internal/workspace"
)

// withOther offers a second agent beside the one that runs.
func withOther(d *driver, o *Options) {
	o.Agents = append(o.Agents, workspace.Spec{Name: "other", Command: "other --acp"}, workspace.Spec{Name: "absent", Command: "absent", Missing: "npm i absent"})
	d.other("other")
}

// Another agent gets the conversation with its first prompt, as the user has read and changed it; what was said
// stays above.
func TestHandOver(t *testing.T) {
	drive(t, withOther, func(d *driver) {
		d.connected()
		d.types("fix the parser\n")
		d.rest()
		d.types("/agent other\n")
		d.sees("╭ Start other", "Take the conversation along", "1 prompt, ", "you can edit it first", "Start without it")
		d.press("enter")
		d.sees("What other is told with your next prompt", "**User:**", "fix the parser")
		d.types(" And be brief.")
		d.press("enter")
		d.rest()
		d.sees("fix the parser", "The conversation above was with fake. Your next prompt includes it.", "Attached: ")
		d.misses("started again")
		d.types("go on\n")
		d.rest()
		d.sees("▌ go on")
		got := d.agentCalled("other").Prompts()
		if len(got) != 1 || !strings.Contains(got[0], "This is our conversation so far") || !strings.Contains(got[0], "You said: fix the parser And be brief.") {
			t.Errorf("it was told %q", got)
		}
		d.agentCalled("other").Close()
		d.soon()
		d.press("enter")
		d.rest()
		d.sees("started again: the agent does not remember what is above")
	})
}

// The page of agents asks too, and neither a new conversation nor an agent that is not there does.
func TestHandOverOffered(t *testing.T) {
	drive(t, withOther, func(d *driver) {
		d.connected()
		d.types("/agent absent\n")
		d.sees("absent is not installed: npm i absent")
		d.types("/agent nobody\n")
		d.sees("No agent nobody: /agent lists them")
		d.types("hello\n")
		d.rest()
		d.types("/agent\n")
		d.types("other")
		d.sees("ctrl+f start with the conversation")
		d.press("ctrl+f")
		d.sees("What other is told with your next prompt", "**User:**")
		d.press("esc")
		d.sees("You said: hello")
		d.types("/agent other\n")
		d.press("down", "enter")
		d.rest()
		d.misses("You said: hello", "Attached")
		d.types("hi\n")
		d.rest()
		if got := d.agentCalled("other").Prompts(); len(got) != 1 || got[0] != "hi" {
			t.Errorf("it was told %q", got)
		}
	})
}

// A fork can be another agent's.
func TestForkToAnother(t *testing.T) {
	drive(t, withOther, func(d *driver) {
		d.connected()
		d.types("one\n")
		d.rest()
		d.types("two\n")
		d.rest()
		d.types("/turns\n")
		d.press("up", "ctrl+f")
		d.sees("Fork: continue with", "fake", "this agent", "other")
		d.press("down", "enter")
		d.sees("What other is told", "one")
		d.misses("**User:** two")
		d.press("enter")
		d.rest()
		d.sees("The conversation above was with fake")
		d.misses("You said: two")
	})
}
