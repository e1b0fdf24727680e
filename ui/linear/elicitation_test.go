package linear

import (
	"testing"

	"parley/internal/fakeagent"
)

const form = `{"sessionId":"s1","mode":"form","message":"Where to?","requestedSchema":{"type":"object","properties":{
"path":{"type":"string","title":"Path","default":"/tmp"},
"size":{"type":"integer","title":"Size","minimum":2},
"kind":{"type":"string","title":"Kind","oneOf":[{"const":"s","title":"Small"},{"const":"b","title":"Big"}]},
"tags":{"type":"array","title":"Tags","items":{"type":"string","enum":["x","y","z"]}},
"sure":{"type":"boolean","title":"Sure","default":true}},"required":["path","size"]}}`

func elicits(params string) func(r *rig) {
	return func(r *rig) {
		r.fake.Turn(func(tn *fakeagent.Turn) string {
			if tn.N == 1 {
				tn.Elicit(params)
			}
			return "end_turn"
		})
	}
}

func TestForm(t *testing.T) {
	talkTo(t, elicits(form), func(r *rig) {
		r.fresh()
		r.types("go", "1")
		r.wants("You: go", "Question 1 of 1: fake asks for a form with 5 fields.", "The agent's description: Where to?", "1. Fill it in", "2. Decline", "3. Cancel", "Answer 1 to 3:",
			"This line came before you could read the question and does not answer it. Type it again to answer this question: 1", "Answer 1 to 3:")
		r.pause()
		r.fresh()
		r.types("1")
		r.wants("Field 1 of 5: Path, required.", "Type your answer; enter for /tmp:")
		r.types("/home/ada", "1", "2", "", "1 3", "no")
		r.wants("Field 2 of 5: Size, required.", "Type a whole number; /cancel cancels:",
			"Not accepted: must be 2 or more.", "Type a whole number; /cancel cancels:",
			"Field 3 of 5: Kind.", "1. Small", "2. Big", "Type 1 to 2; enter leaves it empty:",
			"Field 4 of 5: Tags.", "1. x", "2. y", "3. z", "Type numbers from 1 to 3, separated by spaces; enter leaves it empty:",
			"Field 5 of 5: Sure.", "Type yes or no; enter for yes:",
			"The form, filled in:", "  Path: /home/ada", "  Size: 2", "  Kind: empty", "  Tags: x, z", "  Sure: no",
			"1. Send it", "2. Start again", "3. Decline", "4. Cancel", "Answer 1 to 4:")
		r.types("1")
		r.wants("Sent.", "Turn ended.")
		if _, _, answers := r.seen(); answers != `{"action":"accept","content":{"path":"/home/ada","size":2,"tags":["x","z"],"sure":false}}` {
			t.Errorf("answered: %s", answers)
		}
	})
}

func TestFormIsDeclined(t *testing.T) {
	talkTo(t, elicits(form), func(r *rig) {
		r.types("go")
		r.pause()
		r.types("1", "/decline")
		if _, _, answers := r.seen(); answers != `{"action":"decline"}` {
			t.Errorf("answered: %s", answers)
		}
		r.sees("Declined.", "Turn ended.")
	})
}

// A line typed for a field of a form that has gone meanwhile is not sent as a prompt.
func TestFieldOfAFormThatIsGone(t *testing.T) {
	talkTo(t, elicits(form), func(r *rig) {
		r.types("go")
		r.pause()
		r.types("1")
		r.fresh()
		r.types("/stop")
		r.wants("Stopping.", "Type your answer; enter for /tmp:", "This question no longer needs an answer.", "Turn ended.")
		r.types("/home/ada/my path")
		r.sees(`"/home/ada/my path" looks like an answer to the question that is gone.`, "2. Drop it")
		r.types("2")
		if prompts, _, answers := r.seen(); prompts != "go" || answers != `{"action":"cancel"}` {
			t.Errorf("sent %q, answered %s", prompts, answers)
		}
	})
}

func TestPage(t *testing.T) {
	opened := ""
	talkTo(t, func(r *rig) {
		elicits(`{"sessionId":"s1","mode":"url","elicitationId":"e","message":"Log in there","url":"http://Example.org/x"}`)(r)
		r.opts.OpenURL = func(url string) error { opened = url; return nil }
	}, func(r *rig) {
		r.fresh()
		r.types("go")
		r.wants("You: go", "Question 1 of 1: fake wants you to open a page.", "The agent's description: Log in there", "Address: http://example.org/x", "Host: example.org",
			"Warning: not encrypted: the address is not https.", "Type open, decline or cancel:")
		r.pause()
		r.types("y")
		if opened != "" {
			t.Fatal("opened by another word")
		}
		r.pause()
		r.types("open")
		if _, _, answers := r.seen(); answers != `{"action":"accept"}` || opened != "http://example.org/x" {
			t.Errorf("answered %s, opened %q", answers, opened)
		}
		r.Agent().Notify("elicitation/complete", `{"elicitationId":"e"}`)
		r.sees("Opening example.org. The agent says when it is done.", "Turn ended.", "Page done: example.org.")
	})
}

func TestPageThatIsNotOpened(t *testing.T) {
	talkTo(t, func(r *rig) {
		elicits(`{"sessionId":"s1","mode":"url","elicitationId":"e","message":"m","url":"file:///etc/passwd"}`)(r)
		r.opts.OpenURL = func(url string) error { t.Errorf("opened %q", url); return nil }
	}, func(r *rig) {
		r.types("go")
		r.pause()
		r.types("open")
		r.pause()
		r.types("decline")
		r.sees("parley does not open this page.", "Type decline or cancel:", "Declined.")
	})
}

// A command typed after a page was cancelled is a command, not an answer.
func TestCommandAfterAPageThatWasGivenUp(t *testing.T) {
	talkTo(t, elicits(`{"sessionId":"s1","mode":"url","elicitationId":"e","message":"m","url":"https://example.org"}`), func(r *rig) {
		r.types("go")
		r.pause()
		r.interrupt()
		r.fresh()
		r.types("/status")
		r.wants("fake: idle.")
		r.types("next")
		r.sees("You: next")
	})
}
