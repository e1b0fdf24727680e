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
	"sync"
	"time"
)

// floodSize is the number of updates sent for the prompt "flood".
const floodSize = 50_000

// message is any JSON-RPC message, in either direction.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
		Cwd       string `json:"cwd"`
		Prompt    []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
		TerminalID string `json:"terminalId"`
	} `json:"result"`
}

// agent is a scripted ACP v1 agent, written by hand so that it shares no code with what it tests.
// The first word of a prompt selects what it does.
type agent struct {
	mu  sync.Mutex
	out *bufio.Writer

	cwd     string
	session string        // of the last prompt
	cancel  chan struct{} // closed by session/cancel; one per turn
	answers chan message  // answers to the open question
	deleted []string      // deleted sessions

	measured bool // parley's status is written to a file when it leaves
}

func runAgent(in io.Reader, out io.Writer) {
	a := &agent{out: bufio.NewWriterSize(out, 1<<16), answers: make(chan message, 1)}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			a.mu.Lock()
			if a.measured {
				status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", os.Getppid()))
				os.WriteFile(filepath.Join(a.cwd, "status"), status, 0o644)
			}
			a.mu.Unlock()
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			a.answer(m.ID, `{"protocolVersion":1,"agentInfo":{"name":"scripted","version":"1"},"agentCapabilities":`+capabilities()+`}`)
		case "session/new":
			a.cwd, a.session = m.Params.Cwd, "s1"
			a.answer(m.ID, `{"sessionId":"s1"}`)
		case "session/list":
			a.answer(m.ID, `{"sessions":`+a.kept()+`}`)
		case "session/fork":
			a.answer(m.ID, fmt.Sprintf(`{"sessionId":%q}`, m.Params.SessionID+"-fork"))
		case "session/close":
			a.answer(m.ID, `{}`)
		case "session/delete":
			a.deleted = append(a.deleted, m.Params.SessionID)
			a.answer(m.ID, `{}`)
		case "session/load":
			if os.Getenv(lostVar) != "" {
				a.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such session"}}`, m.ID)
				continue
			}
			a.cwd, a.session = m.Params.Cwd, m.Params.SessionID
			a.replay()
			a.answer(m.ID, `null`)
		case "session/cancel":
			close(a.cancel)
		case "session/prompt":
			a.cancel, a.session = make(chan struct{}), m.Params.SessionID
			go a.turn(m, a.cancel)
		case "":
			a.answers <- m
		}
	}
}

func (a *agent) line(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.out, format+"\n", args...)
	a.out.Flush()
}

func (a *agent) answer(id json.RawMessage, result string) {
	a.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

const chunk = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`

func (a *agent) say(text string) {
	quoted, _ := json.Marshal(text)
	a.line(strings.Replace(chunk, "s1", a.session, 1), quoted)
}

func (a *agent) turn(m message, cancel chan struct{}) {
	prompt := ""
	for _, b := range m.Params.Prompt {
		prompt += b.Text
	}
	heard(prompt)
	word, _, _ := strings.Cut(prompt, " ")
	reason := "end_turn"
	switch word {
	case "die":
		a.say("before the end ")
		fmt.Fprint(os.Stderr, "first line of the complaint\nthe disk is full of bees\n")
		os.Exit(3)
	case "stderr":
		fmt.Fprintln(os.Stderr, "a word for the log")
		a.say("said it on stderr")
	case "silent":
		fmt.Fprintln(os.Stderr, "401 from the model")
	case "plan":
		a.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan","entries":[{"content":"think","priority":"high","status":"pending"}]}}}`, a.session)
	case "cells":
		a.cells()
	case "flood":
		a.flood()
	case "hostile":
		a.hostile()
	case "trickle":
		reason = a.trickle(cancel)
	case "steps":
		a.steps(cancel)
	case "paced":
		for n := range 200 {
			a.say(fmt.Sprintf("word%d ", n))
			time.Sleep(5 * time.Millisecond)
		}
	case "hold":
		a.say("holding")
		a.gate(cancel)
		a.say(" and let go")
	case "later":
		a.say("holding")
		a.gate(cancel)
		a.flood()
		os.WriteFile(filepath.Join(a.cwd, "through"), nil, 0o644)
	case "ask":
		a.say("I shall ask")
		a.gate(cancel)
		a.ask()
	case "which":
		a.say("this is " + a.session)
	case "burst":
		a.burst()
	case "overwrite":
		a.overwrite()
	case "commands":
		a.commands(strings.Split(prompt, "\n")[1:])
	case "save":
		a.line(`{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":%q,"path":%q,"content":"two\n"}}`, a.session, filepath.Join(a.cwd, "notes.txt"))
		<-a.answers
		a.say("saved it")
	case "child":
		exec.Command("sh", "-c", "trap '' TERM HUP; sleep 600 & sleep 601").Start()
		a.say("started a child")
		<-cancel
	case "huge":
		a.huge()
	case "null":
		a.say("There is no reason.")
		a.answer(m.ID, "null")
		return
	default:
		a.say("heard: " + prompt)
	}
	a.answer(m.ID, fmt.Sprintf(`{"stopReason":%q}`, reason))
	if word == "leave" {
		a.gate(cancel)
		fmt.Fprintln(os.Stderr, "gone to lunch")
		os.Exit(7)
	}
}

// gate waits for the file of that name in the session's directory and removes it. It returns false
// if the turn was cancelled first.
func (a *agent) gate(cancel chan struct{}) bool {
	for {
		select {
		case <-cancel:
			return false
		case <-time.After(2 * time.Millisecond):
		}
		if os.Remove(filepath.Join(a.cwd, "gate")) == nil {
			return true
		}
	}
}

// trickle streams paragraphs until it is cancelled or the gate opens.
func (a *agent) trickle(cancel chan struct{}) string {
	done := make(chan bool, 1)
	go func() { done <- a.gate(cancel) }()
	for n := 1; ; n++ {
		a.say(fmt.Sprintf("Paragraph **%d** runs on", n))
		select {
		case opened := <-done:
			if !opened {
				return "cancelled"
			}
			a.say("\n\nThe end of the trickle.")
			return "end_turn"
		case <-time.After(15 * time.Millisecond):
		}
		a.say(" with `code` and 漢字 and a tail that is long enough to wrap on a narrow screen.\n\n")
	}
}

// steps streams the same, and after each ten paragraphs waits for the gate.
func (a *agent) steps(cancel chan struct{}) {
	for n := 1; n <= 80; n++ {
		a.say(fmt.Sprintf("Paragraph **%d** runs on with `code` and 漢字 and a tail that is long enough to wrap on a narrow screen.\n\n", n))
		if n%10 == 0 && !a.gate(cancel) {
			return
		}
	}
	a.say("The end of the trickle.")
}

// commands has parley run lines, one after the other.
func (a *agent) commands(lines []string) {
	for _, line := range lines {
		a.line(`{"jsonrpc":"2.0","id":"c","method":"terminal/create","params":{"sessionId":%q,"command":"sh","args":["-c",%q]}}`, a.session, line)
		id := (<-a.answers).Result.TerminalID
		a.line(`{"jsonrpc":"2.0","id":"e","method":"terminal/wait_for_exit","params":{"sessionId":%q,"terminalId":%q}}`, a.session, id)
		<-a.answers
	}
	a.say("ran them")
}

// flood sends numbered updates as fast as they are read.
func (a *agent) flood() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := range floodSize {
		end := " "
		switch {
		case n == floodSize-1:
			end = " flood-is-over"
		case n%200 == 199:
			end = `\n\n`
		}
		fmt.Fprintf(a.out, chunk+"\n", fmt.Sprintf(`"w%d%s"`, n, end))
	}
	a.out.Flush()
}

// hugeSize is how long the line is that the prompt "huge" yields.
const hugeSize = 200_000_000

// huge sends one line, and has parley measured.
func (a *agent) huge() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.measured = true
	before, after, _ := strings.Cut(chunk, "%s")
	const words = `some words of text\n`
	fmt.Fprintf(a.out, `%s"`, before)
	for range hugeSize / len(words) {
		a.out.WriteString(words)
	}
	fmt.Fprintf(a.out, "\"%s\n", after)
	a.out.Flush()
}

// attack holds control sequences that must not reach the terminal: set the title, clear the screen,
// leave the alternate screen, write the clipboard; in 7-bit and 8-bit form.
const attack = "\x1b]2;pwned\x07\x1b[2J\x1b[?1049l\x1b]52;c;cHduZWQ=\x1b\\\u009b31mpwned\u009d2;pwned\u009c\r\b\x00"

// hostile sends attack in every field that takes text.
func (a *agent) hostile() {
	evil, _ := json.Marshal("<" + attack + ">")
	fmt.Fprintln(os.Stderr, attack)
	a.say("plain text " + attack + " and ```" + attack + "```")
	for _, u := range []string{
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":%s}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"h","title":%[1]s,"kind":"execute","status":"failed","rawInput":{"command":%[1]s},` +
			`"content":[{"type":"content","content":{"type":"text","text":%[1]s}},{"type":"diff","path":%[1]s,"newText":%[1]s}],"locations":[{"path":%[1]s}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":%s,"priority":"high","status":"in_progress"}]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":%[1]s,"description":%[1]s}]}`,
		`{"sessionUpdate":"session_info_update","title":%s}`,
		`{"sessionUpdate":%s}`,
	} {
		a.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":`+u+`}}`, evil)
	}
	a.line(`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"h2","title":%[1]s,`+
		`"kind":%[1]s,"rawInput":{%[1]s:%[1]s}},"options":[{"optionId":"go","name":%[1]s,"kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`, evil)
	<-a.answers
	a.say("\n\nthat was all of it")
}

func (a *agent) ask() {
	a.line(`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s1",` +
		`"toolCall":{"toolCallId":"t1","title":"Launch the rockets","kind":"other","status":"pending"},"options":[` +
		`{"optionId":"go","name":"Launch","kind":"allow_once"},{"optionId":"no","name":"Hold","kind":"reject_once"}]}}`)
	m := <-a.answers
	a.say("\n\nthe answer was " + m.Result.Outcome.Outcome + " " + m.Result.Outcome.OptionID)
}

// burst writes many files as soon as it has the prompt.
func (a *agent) burst() {
	for n := range burstFiles {
		os.WriteFile(filepath.Join(a.cwd, fmt.Sprintf("burst%d", n)), []byte("now\n"), 0o644)
	}
	a.say("wrote them")
}
