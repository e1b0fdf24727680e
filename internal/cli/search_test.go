package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/record"
)

// opened are the messages that open session s.
var opened = []string{`> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}`, `< {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`}

// prompted is a prompt as it is sent.
func prompted(text string) string {
	return `> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"` + text + `"}]}}`
}

// chunked is a chunk of a message.
func chunked(kind, text string) string {
	return updated(`{"sessionUpdate":"` + kind + `_chunk","content":{"type":"text","text":"` + text + `"}}`)
}

// updated is an update of the session.
func updated(update string) string {
	return `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

// Prompts and answers are searched, however they arrived; thoughts, tool calls and files are not.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	old := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	logOf(t, dir, old, record.Options{}, append(opened, prompted("Make the PARSER faster, old"), chunked("agent_message", "an ancient answer"))...)
	logOf(t, dir, old.Add(time.Hour), record.Options{}, append(opened, prompted("What of the Parser now?"),
		chunked("agent_message", "I say \\\"sessionUpdate\\\":\\\"tool_call\\\" un"), chunked("agent_message", "split\\u001b[2J"), chunked("agent_thought", "a secret thought"),
		updated(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"a tool's title","content":[{"type":"content","content":{"type":"text","text":"tool output"}}]}`),
		chunked("agent_message", " words"), `< {"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/w/f","content":"written text"}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`)...)
	logged, err := Logs(dir)
	if err != nil || len(logged) != 1 {
		t.Fatalf("%v, %v", logged, err)
	}
	for word, want := range map[string]string{"parser": "What of the Parser now?", "unsplit": "…unsplit words", "ancient": "an ancient answer",
		"tool_call": `I say "sessionUpdate":"tool_call" unsplit words`, "thought": "", "title": "", "output": "", "written": "", "what of": "What of the Parser now?"} {
		found, read := logged[0].Search(t.Context(), []string{word}, 1<<20)
		if got := found[word]; (want == "") != (got == "") || !strings.HasPrefix(got, want) || strings.ContainsRune(got, 0x1b) || read == 0 {
			t.Errorf("%s: found %q, want %q; %d bytes read", word, got, want, read)
		}
	}
	if found, _ := logged[0].Search(t.Context(), []string{"parser", "ancient", "absent"}, 1<<20); len(found) != 2 || found["parser"] != "What of the Parser now?" {
		t.Errorf("several words: %q", found)
	}
	if found, read := logged[0].Search(t.Context(), []string{"ancient"}, 300); len(found) != 0 || read > 1000 {
		t.Errorf("%q was found in %d bytes", found, read)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if found, read := logged[0].Search(ended, []string{"parser"}, 1<<20); len(found) != 0 || read != 0 {
		t.Errorf("a cancelled search found %q in %d bytes", found, read)
	}
}

// Messages of version 2 arrive whole or in chunks.
func TestSearchVersion2(t *testing.T) {
	dir := t.TempDir()
	introduced := []string{`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}`, `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}`}
	logOf(t, dir, time.Time{}, record.Options{}, append(append(introduced, opened...), prompted("a held prompt"),
		updated(`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"my own words"}]}`),
		updated(`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"Its answer"}]}`))...)
	logged, err := Logs(dir)
	if err != nil || len(logged) != 1 {
		t.Fatalf("%v, %v", logged, err)
	}
	for word, want := range map[string]string{"held": "a held prompt", "own": "my own words", "answer": "Its answer"} {
		if found, _ := logged[0].Search(t.Context(), []string{word}, 1<<20); found[word] != want {
			t.Errorf("%s: found %q", word, found)
		}
	}
}

// A word is found wherever a long message is cut, and keeping the message costs no more memory.
func TestSearchLongMessages(t *testing.T) {
	text := &searchedText{words: []string{"needle"}, found: map[string]string{}}
	for i := range 3 * searchedAtOnce / 10 {
		piece := "0123456789"
		if i == searchedAtOnce/10 {
			piece = "a need"
		} else if i == searchedAtOnce/10+1 {
			piece = "le here"
		}
		text.Post(event.TextArrived{Role: event.Agent, Text: piece})
		if len(text.text) > 2*searchedAtOnce {
			t.Fatalf("%d bytes are kept", len(text.text))
		}
	}
	if text.end(); !strings.Contains(text.found["needle"], "needle here") {
		t.Errorf("found %q", text.found)
	}
}

func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	lines := append(opened, prompted("go"))
	for i := range 20_000 {
		lines = append(lines, chunked("agent_message", fmt.Sprint("some words of an answer ", i, " ")))
		if i%20 == 0 {
			lines = append(lines, updated(`{"sessionUpdate":"tool_call_update","toolCallId":"t`+fmt.Sprint(i)+`","content":[{"type":"content","content":{"type":"text","text":"`+strings.Repeat("output ", 3000)+`"}}]}`))
		}
	}
	logOf(b, dir, time.Time{}, record.Options{QueueBytes: 1 << 30}, lines...)
	logged, err := Logs(dir)
	if err != nil || len(logged) != 1 {
		b.Fatalf("%v, %v", logged, err)
	}
	for b.Loop() {
		_, read := logged[0].Search(b.Context(), []string{"absent", "words"}, 1<<40)
		b.SetBytes(read)
	}
}
