//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/fakeagent"
)

// floodSize is the number of updates sent for the prompt "flood".
const floodSize = 50_000

// yesOrNo are the options of a question.
const yesOrNo = `[{"optionId":"go","name":"Launch","kind":"allow_once"},{"optionId":"no","name":"Hold","kind":"reject_once"}]`

func runAgent(in io.Reader, out io.Writer) {
	s := &fakeagent.Script{}
	s.Answer("initialize", `{"protocolVersion":1,"agentInfo":{"name":"scripted","version":"1"},"agentCapabilities":`+capabilities()+`}`)
	s.On("session/list", func(c *fakeagent.Call) (string, error) { return `{"sessions":` + kept(c) + `}`, nil })
	s.On("session/fork", func(c *fakeagent.Call) (string, error) { return fmt.Sprintf(`{"sessionId":%q}`, c.ID+"-fork"), nil })
	s.Answer("session/close", `{}`)
	s.Answer("session/delete", `{}`)
	s.Answer("session/archive", `{}`)
	s.On("session/load", replay)
	measured := ""
	s.Turn(func(t *fakeagent.Turn) string {
		if t.Text == "huge" {
			measured = t.Cwd
			huge(t, out)
			return "end_turn"
		}
		return turn(t)
	})
	fakeagent.Serve(in, out, s)
	if measured != "" {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", os.Getppid()))
		os.WriteFile(filepath.Join(measured, "status"), status, 0o644)
	}
}

// blocksOf returns the content of a prompt, one line of JSON for each block, and its text.
func blocksOf(t *fakeagent.Turn) (blocks []json.RawMessage, text string) {
	var texts []struct{ Text string }
	json.Unmarshal([]byte(t.Blocks), &blocks)
	json.Unmarshal([]byte(t.Blocks), &texts)
	for _, b := range texts {
		text += b.Text
	}
	return blocks, text
}

// turn does what the first word of the prompt says.
func turn(t *fakeagent.Turn) string {
	_, prompt := blocksOf(t)
	heard(prompt)
	switch word, _, _ := strings.Cut(prompt, " "); word {
	case "die":
		t.Say("before the end ")
		fmt.Fprint(os.Stderr, "first line of the complaint\nthe disk is full of bees\n")
		t.Agent.Exit(3)
	case "silent":
		fmt.Fprintln(os.Stderr, "401 from the model")
	case "plan":
		t.Update(`{"sessionUpdate":"plan","entries":[{"content":"think","priority":"high","status":"pending"}]}`)
	case "cells":
		cells(t)
	case "flood":
		flood(t)
	case "hostile":
		sendHostile(t)
	case "trickle":
		return trickle(t)
	case "steps":
		steps(t)
	case "paced":
		for n := range 200 {
			t.Say(fmt.Sprintf("word%d ", n))
			time.Sleep(5 * time.Millisecond)
		}
	case "hold":
		t.Say("holding")
		gate(t.Cwd, t.Stopped())
		t.Say(" and let go")
	case "later":
		t.Say("holding")
		gate(t.Cwd, t.Stopped())
		flood(t)
		os.WriteFile(filepath.Join(t.Cwd, "through"), nil, 0o644)
	case "ask":
		t.Say("I shall ask")
		gate(t.Cwd, t.Stopped())
		ask(t)
	case "which":
		t.Say("this is " + t.Session)
	case "burst":
		burst(t)
	case "overwrite":
		overwrite(t)
	case "commands":
		commands(t, strings.Split(prompt, "\n")[1:])
	case "save":
		t.Agent.Call(t.Ctx, "fs/write_text_file", fmt.Sprintf(`{"sessionId":%q,"path":%q,"content":"two\n"}`, t.Session, filepath.Join(t.Cwd, "notes.txt")), nil)
		t.Say("saved it")
	case "child":
		exec.Command("sh", "-c", "trap '' TERM HUP; sleep 600 & sleep 601").Start()
		t.Say("started a child")
		<-t.Stopped()
	case "null":
		t.Say("There is no reason.")
		return "null"
	case "leave":
		t.Say("heard: " + prompt)
		go func() {
			gate(t.Cwd, t.Stopped())
			fmt.Fprintln(os.Stderr, "gone to lunch")
			os.Exit(7)
		}()
	default:
		t.Say("heard: " + prompt)
	}
	return "end_turn"
}

// gate waits for the file of that name in a directory and removes it. It returns false if the turn was
// stopped first.
func gate(dir string, stopped <-chan struct{}) bool {
	for {
		select {
		case <-stopped:
			return false
		case <-time.After(2 * time.Millisecond):
		}
		if os.Remove(filepath.Join(dir, "gate")) == nil {
			return true
		}
	}
}

// trickle streams paragraphs until it is cancelled or the gate opens.
func trickle(t *fakeagent.Turn) string {
	done := make(chan bool, 1)
	go func() { done <- gate(t.Cwd, t.Stopped()) }()
	for n := 1; ; n++ {
		t.Say(fmt.Sprintf("Paragraph **%d** runs on", n))
		select {
		case opened := <-done:
			if !opened {
				return "cancelled"
			}
			t.Say("\n\nThe end of the trickle.")
			return "end_turn"
		case <-time.After(15 * time.Millisecond):
		}
		t.Say(" with `code` and 漢字 and a tail that is long enough to wrap on a narrow screen.\n\n")
	}
}

// steps streams the same, and after each ten paragraphs waits for the gate.
func steps(t *fakeagent.Turn) {
	for n := 1; n <= 80; n++ {
		t.Say(fmt.Sprintf("Paragraph **%d** runs on with `code` and 漢字 and a tail that is long enough to wrap on a narrow screen.\n\n", n))
		if n%10 == 0 && !gate(t.Cwd, t.Stopped()) {
			return
		}
	}
	t.Say("The end of the trickle.")
}

// commands has parley run lines, one after the other.
func commands(t *fakeagent.Turn, lines []string) {
	for _, line := range lines {
		var created struct{ TerminalID string }
		t.Agent.Call(t.Ctx, "terminal/create", fmt.Sprintf(`{"sessionId":%q,"command":"sh","args":["-c",%q]}`, t.Session, line), &created)
		t.Agent.Call(t.Ctx, "terminal/wait_for_exit", fmt.Sprintf(`{"sessionId":%q,"terminalId":%q}`, t.Session, created.TerminalID), nil)
	}
	t.Say("ran them")
}

// flood sends numbered updates as fast as they are read.
func flood(t *fakeagent.Turn) {
	for n := range floodSize {
		end := " "
		switch {
		case n == floodSize-1:
			end = " flood-is-over"
		case n%200 == 199:
			end = "\n\n"
		}
		t.Say(fmt.Sprintf("w%d%s", n, end))
	}
}

// hugeSize is how long the line is that the prompt "huge" yields.
const hugeSize = 200_000_000

// huge sends one line.
func huge(t *fakeagent.Turn, out io.Writer) {
	w := bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`, t.Session)
	const words = `some words of text\n`
	for range hugeSize / len(words) {
		w.WriteString(words)
	}
	fmt.Fprintln(w, `"}}}}`)
	w.Flush()
}

// attack holds control sequences that must not reach the terminal: set the title, clear the screen,
// leave the alternate screen, write the clipboard; in 7-bit and 8-bit form.
const attack = "\x1b]2;pwned\x07\x1b[2J\x1b[?1049l\x1b]52;c;cHduZWQ=\x1b\\\u009b31mpwned\u009d2;pwned\u009c\r\b\x00"

// sendHostile sends attack in every field that takes text.
func sendHostile(t *fakeagent.Turn) {
	evil := fakeagent.Quote("<" + attack + ">")
	fmt.Fprintln(os.Stderr, attack)
	t.Say("plain text " + attack + " and ```" + attack + "```")
	for _, u := range []string{
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":EVIL}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"h","title":EVIL,"kind":"execute","status":"failed","rawInput":{"command":EVIL},` +
			`"content":[{"type":"content","content":{"type":"text","text":EVIL}},{"type":"diff","path":EVIL,"newText":EVIL}],"locations":[{"path":EVIL}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":EVIL,"priority":"high","status":"in_progress"}]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":EVIL,"description":EVIL}]}`,
		`{"sessionUpdate":"session_info_update","title":EVIL}`,
		`{"sessionUpdate":EVIL}`,
	} {
		t.Update(strings.ReplaceAll(u, "EVIL", evil))
	}
	t.Ask(strings.ReplaceAll(`{"toolCallId":"h2","title":EVIL,"kind":EVIL,"rawInput":{EVIL:EVIL}}`, "EVIL", evil),
		`[{"optionId":"go","name":`+evil+`,"kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]`)
	t.Say("\n\nthat was all of it")
}

func ask(t *fakeagent.Turn) {
	t.Say("\n\nthe answer was " + t.Ask(`{"toolCallId":"t1","title":"Launch the rockets","kind":"other","status":"pending"}`, yesOrNo))
}

// burst writes many files as soon as it has the prompt.
func burst(t *fakeagent.Turn) {
	for n := range burstFiles {
		os.WriteFile(filepath.Join(t.Cwd, fmt.Sprintf("burst%d", n)), []byte("now\n"), 0o644)
	}
	t.Say("wrote them")
}
