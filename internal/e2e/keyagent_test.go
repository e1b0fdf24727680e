//go:build unix

package e2e

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"parley/internal/fakeagent"
)

// runKeyedAgent is an agent whose turns give every key something to act on. It appends each content
// block of a prompt to the file of heardVar, one line of JSON each.
func runKeyedAgent(in io.Reader, out io.Writer) {
	s := &fakeagent.Script{}
	s.Answer("initialize", `{"protocolVersion":1,"agentInfo":{"name":"keyed","version":"1"},"agentCapabilities":{"promptCapabilities":{"image":true,"embeddedContext":true},"sessionCapabilities":{"fork":{}}}}`)
	s.Answer("session/fork", `{"sessionId":"copy"}`)
	s.Turn(func(t *fakeagent.Turn) string {
		blocks, text := blocksOf(t)
		for _, b := range blocks {
			heard(string(b))
		}
		switch word, _, _ := strings.Cut(text, " "); word {
		case "work":
			work(t)
		case "change":
			change(t, strings.Fields(text)[1:])
		case "questions":
			askTwo(t)
		case "write":
			t.Agent.Call(t.Ctx, "fs/write_text_file", fmt.Sprintf(`{"sessionId":"s1","path":%q,"content":"ONE\ntwo\nTHREE\n"}`, t.Cwd+"/three.txt"), nil)
			t.Say("the write is answered")
		default:
			t.Say("heard: " + text)
		}
		return "end_turn"
	})
	fakeagent.Serve(in, out, s)
}

// runHoldingAgent is an agent of ACP v2 that holds prompts during its first turn, which ends when the
// gate opens.
func runHoldingAgent(in io.Reader, out io.Writer) {
	s := &fakeagent.Script{Protocol: "2"}
	s.OnPrompt(func(t *fakeagent.Turn) (string, error) {
		heard(t.Text)
		return t.AcceptInOrder()
	})
	s.Turn(func(t *fakeagent.Turn) string {
		t.Say("heard: " + t.Text)
		if t.N == 1 {
			gate(t.Cwd, t.Stopped())
		}
		return "end_turn"
	})
	fakeagent.Serve(in, out, s)
}

// code is a block in the agent's message; ran is the command that it reports.
const (
	code = "fmt.Println(\"a *code* block\")\n"
	ran  = "go test ./... | tail"
)

// work sends a message with code, a file change, and a command with output.
func work(t *fakeagent.Turn) {
	t.Say("Some **strong** words.\n\n```go\n" + code + "```\n")
	t.Update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Edit notes.txt","kind":"edit","status":"completed","locations":[{"path":%q,"line":2}],`+
		`"content":[{"type":"diff","path":%[1]q,"oldText":"one\ntwo\n","newText":"one\n2\n"}]}`, t.Cwd+"/notes.txt"))
	output := ""
	for n := range 30 {
		output += fmt.Sprintf("row %d of the output\n", n)
	}
	t.Update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c2","title":"Run tests","kind":"execute","status":"completed","rawInput":{"command":%q},`+
		`"content":[{"type":"content","content":{"type":"text","text":%s}}]}`, ran, fakeagent.Quote(output)))
	t.Say("The work is done.")
}

// change waits for the gate and writes files without asking: each name is followed by the lines that are new.
func change(t *fakeagent.Turn, words []string) {
	changed := map[string][]int{}
	name := ""
	for _, w := range words {
		if n, err := strconv.Atoi(w); err == nil {
			changed[name] = append(changed[name], n)
		} else {
			name = w
		}
	}
	gate(t.Cwd, nil)
	for name, numbers := range changed {
		if err := os.WriteFile(filepath.Join(t.Cwd, name), []byte(lines(numbers...)), 0o644); err != nil {
			t.Say(err.Error())
		}
	}
}

// askTwo asks two questions at once. The first is longer than a screen; the second is not.
func askTwo(t *fakeagent.Turn) {
	long := ""
	for n := range 60 {
		long += fmt.Sprintf("echo line %d\n", n)
	}
	answered := make(chan string)
	for i, cmd := range []string{long, "echo short"} {
		id := fmt.Sprintf("q%d", i+1)
		outcome := t.Agent.Asking(t.Session, fmt.Sprintf(`{"toolCallId":%q,"title":"Run %[1]s","kind":"execute","status":"pending","rawInput":{"command":%s}}`, id, fakeagent.Quote(cmd)),
			`[{"optionId":"go","name":"Go","kind":"allow_once"},{"optionId":"always","name":"Go on","kind":"allow_always"},{"optionId":"no","name":"Hold","kind":"reject_once"},{"optionId":"never","name":"Never","kind":"reject_always"}]`)
		go func() { answered <- id + ": " + outcome(t.Ctx) + ". " }()
	}
	for range 2 {
		t.Say(<-answered)
	}
}
