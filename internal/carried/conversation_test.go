package carried

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// told returns the items of a conversation of turns: a prompt and its answer.
func told(turns ...string) []*thread.Item {
	th := thread.New("s")
	in := event.For{Session: "s"}
	for i := 0; i+1 < len(turns); i += 2 {
		th.Apply(event.TurnStarted{For: in, Text: turns[i]})
		title, kind, status := "lex.go\nall of it", "read", "completed"
		th.Apply(event.ToolChanged{For: in, ID: fmt.Sprint(i), Title: &title, Kind: &kind, Status: &status})
		th.Apply(event.TextArrived{For: in, Role: event.Thought, Text: "a thought"})
		th.Apply(event.TextArrived{For: in, Role: event.Agent, Text: turns[i+1]})
		th.Apply(event.TurnEnded{For: in, StopReason: "end_turn"})
	}
	return th.Items
}

// A conversation is retold as Markdown that can be told from the prompt it goes with.
func TestConversation(t *testing.T) {
	const want = "This is our conversation so far, from another session:\n\n````markdown 2 prompts, 177 B\n" +
		"**User:**\n\nfix it\n\n- Tool call: Read lex.go all of it (completed)\n\n**Agent:**\n\n```go\nx\n```\n\n" +
		"**User:**\n\nand test\n\n- Tool call: Read lex.go all of it (completed)\n\n**Agent:**\n\ndone\n````\n\nContinue from there.\n\n"
	got := Conversation(told("fix it", "```go\nx\n```\n", "and test", "done"))
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	shell := Shell(Command{Line: "ls", Output: "a", Rows: 1, Ended: "It succeeded."})
	blocks, rest := Split(got + shell + "my words")
	if !slices.Equal(blocks, []string{got, shell}) || rest != "my words" {
		t.Errorf("split into %q and %q", blocks, rest)
	}
	if line := Line(got); line != "the conversation so far (2 prompts, 177 B)" {
		t.Errorf("described as %q", line)
	}
	if line := Line(got, shell); line != "output of ls (1 line), and 1 more" {
		t.Errorf("described as %q", line)
	}
	again := Conversation(told(got+"my words", "yes"))
	if blocks, rest := Split(again + "x"); len(blocks) != 1 || rest != "x" || !strings.Contains(again, "fix it") {
		t.Errorf("a fork of a fork: split into %d blocks and %q", len(blocks), rest)
	}
	if got := Conversation(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// A long conversation loses its oldest entries, and long messages their middle.
func TestLongConversation(t *testing.T) {
	var turns []string
	for i := range 40 {
		turns = append(turns, fmt.Sprintf("prompt %d.", i), "begins "+strings.Repeat("é", maxSaid)+" ends")
	}
	got := Conversation(told(turns...))
	if len(got) > maxConversation+1000 {
		t.Errorf("%d bytes", len(got))
	}
	for _, want := range []string{"earlier entries omitted …", "prompt 39.", "bytes omitted …", " ends"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if strings.Contains(got, "prompt 0.") {
		t.Error("it has the first prompt")
	}
	if blocks, rest := Split(got + "x"); len(blocks) != 1 || rest != "x" {
		t.Errorf("split into %d and %q", len(blocks), rest)
	}
}
