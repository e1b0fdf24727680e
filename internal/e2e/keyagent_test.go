//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// keyed is an agent whose turns give every key something to act on. It speaks ACP v1, or v2 if that
// is offered, as plain lines. It appends each content block of a prompt to the file of heardVar,
// one line of JSON each.
type keyed struct {
	agent
	v2    bool
	turns int
	asked map[string]string // the open questions, and the prompt that each belongs to
	held  []func()          // v2: what to run after the current turn

	writing string // the prompt that a write belongs to
}

func runKeyedAgent(in io.Reader, out io.Writer) {
	k := &keyed{agent: agent{out: bufio.NewWriter(out)}, asked: map[string]string{}}
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		var blocks struct {
			Params struct {
				ProtocolVersion int
				Prompt          []json.RawMessage
			}
		}
		if json.Unmarshal(line, &m) != nil || json.Unmarshal(line, &blocks) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			if k.v2 = blocks.Params.ProtocolVersion == 2; k.v2 {
				k.answer(m.ID, `{"protocolVersion":2,"info":{"name":"keyed","version":"1"},"capabilities":{"session":{"prompt":{}}}}`)
				continue
			}
			k.answer(m.ID, `{"protocolVersion":1,"agentInfo":{"name":"keyed","version":"1"},"agentCapabilities":{"promptCapabilities":{"image":true,"embeddedContext":true},"sessionCapabilities":{"fork":{}}}}`)
		case "session/new":
			k.cwd, k.session = m.Params.Cwd, "s1"
			k.answer(m.ID, `{"sessionId":"s1"}`)
		case "session/fork":
			k.answer(m.ID, `{"sessionId":"copy"}`)
		case "session/prompt":
			if k.v2 { // it does not block, and is held before it is heard
				k.turn(m)
			}
			for _, b := range blocks.Params.Prompt {
				heard(string(b))
			}
			if !k.v2 {
				k.turn(m)
			}
		case "session/cancel":
		case "":
			k.answered(m)
		}
	}
}

func (k *keyed) turn(m message) {
	text := ""
	for _, b := range m.Params.Prompt {
		text += b.Text
	}
	if k.v2 {
		k.prompted(m.ID, text)
		return
	}
	switch word, _, _ := strings.Cut(text, " "); word {
	case "work":
		k.work()
	case "change":
		k.change(strings.Fields(text)[1:])
	case "questions":
		k.questions(m.ID)
		return // the last answer ends the turn
	case "write":
		k.writing = string(m.ID)
		k.line(`{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":"s1","path":%q,"content":"ONE\ntwo\nTHREE\n"}}`, k.cwd+"/three.txt")
		return // the answer ends the turn
	default:
		k.say("heard: " + text)
	}
	k.answer(m.ID, `{"stopReason":"end_turn"}`)
}

// update sends a session update, given as JSON.
func (k *keyed) update(format string, args ...any) {
	k.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":`+format+`}}`, args...)
}

// code is a block in the agent's message; ran is the command that it reports.
const (
	code = "fmt.Println(\"a *code* block\")\n"
	ran  = "go test ./... | tail"
)

// work sends a message with code, a file change, and a command with output.
func (k *keyed) work() {
	k.say("Some **strong** words.\n\n```go\n" + code + "```\n")
	k.update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Edit notes.txt","kind":"edit","status":"completed","locations":[{"path":%q,"line":2}],`+
		`"content":[{"type":"diff","path":%[1]q,"oldText":"one\ntwo\n","newText":"one\n2\n"}]}`, k.cwd+"/notes.txt")
	output := ""
	for n := range 30 {
		output += fmt.Sprintf("row %d of the output\n", n)
	}
	quoted, _ := json.Marshal(output)
	k.update(`{"sessionUpdate":"tool_call","toolCallId":"c2","title":"Run tests","kind":"execute","status":"completed","rawInput":{"command":%q},`+
		`"content":[{"type":"content","content":{"type":"text","text":%s}}]}`, ran, quoted)
	k.say("The work is done.")
}

// change waits for the gate and writes files without asking: each name is followed by the lines that are new.
func (k *keyed) change(words []string) {
	changed := map[string][]int{}
	name := ""
	for _, w := range words {
		if n, err := strconv.Atoi(w); err == nil {
			changed[name] = append(changed[name], n)
		} else {
			name = w
		}
	}
	k.gate(nil)
	for name, numbers := range changed {
		if err := os.WriteFile(filepath.Join(k.cwd, name), []byte(lines(numbers...)), 0o644); err != nil {
			k.say(err.Error())
		}
	}
}

// questions asks two questions at once. The first is longer than a screen; the second is not.
func (k *keyed) questions(prompt json.RawMessage) {
	long := ""
	for n := range 60 {
		long += fmt.Sprintf("echo line %d\n", n)
	}
	k.asked = map[string]string{"prompt": string(prompt), "q1": "", "q2": ""}
	for i, cmd := range []string{long, "echo short"} {
		quoted, _ := json.Marshal(cmd)
		k.line(`{"jsonrpc":"2.0","id":%q,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":%[1]q,"title":"Run %[1]s",`+
			`"kind":"execute","status":"pending","rawInput":{"command":%s}},"options":[{"optionId":"go","name":"Go","kind":"allow_once"},`+
			`{"optionId":"always","name":"Go on","kind":"allow_always"},{"optionId":"no","name":"Hold","kind":"reject_once"},{"optionId":"never","name":"Never","kind":"reject_always"}]}}`, fmt.Sprintf("q%d", i+1), quoted)
	}
}

func (k *keyed) answered(m message) {
	var id string
	json.Unmarshal(m.ID, &id)
	if id == "w" {
		k.say("the write is answered")
		k.answer(json.RawMessage(k.writing), `{"stopReason":"end_turn"}`)
		return
	}
	k.say(fmt.Sprintf("%s: %s %s. ", id, m.Result.Outcome.Outcome, m.Result.Outcome.OptionID))
	delete(k.asked, id)
	if prompt := k.asked["prompt"]; len(k.asked) == 1 && prompt != "" {
		delete(k.asked, "prompt")
		k.answer(json.RawMessage(prompt), `{"stopReason":"end_turn"}`)
	}
}

// prompted handles a v2 prompt. One that arrives during a turn is held until the gate opens.
func (k *keyed) prompted(id json.RawMessage, text string) {
	k.turns++
	n := k.turns
	quoted, _ := json.Marshal(text)
	said, _ := json.Marshal("heard: " + text)
	begin := func() {
		k.answer(id, fmt.Sprintf(`{"messageId":"u%d"}`, n))
		k.update(`{"sessionUpdate":"state_update","state":"running"}`)
		k.update(`{"sessionUpdate":"user_message","messageId":"u%d","content":[{"type":"text","text":%s}]}`, n, quoted)
		k.update(`{"sessionUpdate":"agent_message_chunk","messageId":"a%d","content":{"type":"text","text":%s}}`, n, said)
	}
	if k.mu.Lock(); n > 1 && k.held != nil {
		k.held = append(k.held, begin)
		k.mu.Unlock()
		return
	}
	k.held = []func(){}
	k.mu.Unlock()
	begin()
	go func() {
		k.gate(nil)
		k.mu.Lock()
		held := k.held
		k.held = nil
		k.mu.Unlock()
		for _, next := range held {
			next()
		}
		k.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
	}()
}
