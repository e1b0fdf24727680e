package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// actor is the agent. It stores everything in the ledger before it sends it, so a crash loses
// nothing.
type actor struct {
	pid int

	noteMu sync.Mutex // one note at a time
	in     *json.Decoder
	to     *json.Encoder

	mu      sync.Mutex // guards writing
	out     *bufio.Writer
	asked   int64
	answers map[int64]chan json.RawMessage // results of its requests by id; null for an error

	cwd map[string]string // by session; used only by the reader
}

type heard struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string                  `json:"sessionId"`
		Cwd       string                  `json:"cwd"`
		Prompt    []struct{ Text string } `json:"prompt"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
}

func playAgent(address string) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	a := &actor{pid: os.Getpid(), in: json.NewDecoder(conn), to: json.NewEncoder(conn), out: bufio.NewWriter(os.Stdout),
		answers: map[int64]chan json.RawMessage{}, cwd: map[string]string{}}
	a.note(note{Do: "hello", PID: a.pid})
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return 0
		}
		var m heard
		if err != nil || json.Unmarshal([]byte(line), &m) != nil {
			fmt.Fprintf(os.Stderr, "cannot read %.200q: %v\n", line, err)
			return 2
		}
		a.hear(m)
	}
}

// note sends a note to the ledger and waits until it is stored.
func (a *actor) note(n note) entry {
	a.noteMu.Lock()
	defer a.noteMu.Unlock()
	var e entry
	if a.to.Encode(n) != nil || a.in.Decode(&e) != nil {
		os.Exit(3) // the test is over
	}
	return e
}

func (a *actor) say(message any) {
	line, _ := json.Marshal(message)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out.Write(append(line, '\n'))
	a.out.Flush()
}

type object = map[string]any

func (a *actor) answer(id json.RawMessage, result any) {
	a.say(object{"jsonrpc": "2.0", "id": id, "result": result})
}

func (a *actor) update(session string, update json.RawMessage) {
	a.say(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": session, "update": update}})
}

func (a *actor) hear(m heard) {
	p := m.Params
	switch m.Method {
	case "initialize":
		a.answer(m.ID, object{"protocolVersion": 1, "agentInfo": object{"name": "actor", "version": fmt.Sprint(a.pid)},
			"agentCapabilities": object{"loadSession": true, "sessionCapabilities": object{"resume": object{}}}})
	case "session/new":
		e := a.note(note{Do: "new"})
		a.cwd[e.Session] = p.Cwd
		a.answer(m.ID, object{"sessionId": e.Session})
	case "session/load", "session/resume":
		replay := m.Method == "session/load"
		e := a.note(note{Do: "open", Session: p.SessionID, Replay: replay})
		if !e.OK {
			a.say(object{"jsonrpc": "2.0", "id": m.ID, "error": object{"code": -32002, "message": "no such session"}})
			return
		}
		a.cwd[p.SessionID] = p.Cwd
		for _, u := range e.Updates {
			if replay {
				a.update(p.SessionID, u)
			}
		}
		a.answer(m.ID, object{})
	case "session/prompt":
		text := p.Prompt[0].Text
		e := a.note(note{Do: "prompt", Session: p.SessionID, Text: text})
		t := &turn{actor: a, session: p.SessionID, text: text, cwd: a.cwd[p.SessionID], lost: !e.OK}
		go t.play(m.ID)
	case "":
		a.mu.Lock()
		var id int64
		json.Unmarshal(m.ID, &id)
		waiting := a.answers[id]
		delete(a.answers, id)
		a.mu.Unlock()
		if waiting != nil {
			waiting <- m.Result
		}
	default:
		if m.ID != nil {
			a.say(object{"jsonrpc": "2.0", "id": m.ID, "error": object{"code": -32601, "message": "what is " + m.Method + "?"}})
		}
	}
}

// ask sends a request and waits for its result.
func (a *actor) ask(method string, params object) json.RawMessage {
	a.mu.Lock()
	a.asked++
	id, answer := a.asked, make(chan json.RawMessage, 1)
	a.answers[id] = answer
	a.mu.Unlock()
	a.say(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return <-answer
}

// turn is one turn of the agent.
type turn struct {
	*actor
	session, text, cwd string
	lost               bool // another agent now owns the session
	n, tools           int
}

// play turns the text of a prompt into a turn. The same text always gives the same turn.
func (t *turn) play(id json.RawMessage) {
	h := fnv.New64a()
	io.WriteString(h, t.text)
	chance := rand.New(rand.NewPCG(h.Sum64(), 0))
	for range 3 + chance.IntN(20) {
		switch d := chance.IntN(40); {
		case d < 28:
			t.chunk(strings.Repeat("so, ", chance.IntN(30)))
		case d < 30:
			t.chunk(strings.Repeat("at length ", chance.IntN(3000)))
		case d < 37:
			t.tool()
		case d < 38:
			t.read()
		default:
			t.permission()
		}
	}
	t.chunk("echo " + t.text)
	if t.lost || !t.note(note{Do: "finish", Session: t.session, Text: t.text}).OK {
		t.answer(id, object{"stopReason": "cancelled"})
		return
	}
	t.answer(id, object{"stopReason": "end_turn"})
}

// add sends an update, unless another agent owns the session.
func (t *turn) add(update json.RawMessage) {
	if t.lost || !t.note(note{Do: "add", Session: t.session, Update: update}).OK {
		t.lost = true
		return
	}
	t.update(t.session, update)
}

// chunk sends numbered text.
func (t *turn) chunk(text string) {
	t.n++
	t.add(said("agent_message_chunk", fmt.Sprintf("[%s %d %s]", t.text[:strings.IndexByte(t.text, ':')], t.n, text)))
}

func (t *turn) toolID() string { return fmt.Sprintf("%s-tool-%d", t.text, t.tools) }

func (t *turn) tool() {
	t.tools++
	for _, u := range []object{
		{"sessionUpdate": "tool_call", "toolCallId": t.toolID(), "title": "think", "kind": "think", "status": "pending"},
		{"sessionUpdate": "tool_call_update", "toolCallId": t.toolID(), "status": "in_progress"},
		{"sessionUpdate": "tool_call_update", "toolCallId": t.toolID(), "status": "completed"},
	} {
		raw, _ := json.Marshal(u)
		t.add(raw)
	}
}

// read requests a file of the user.
func (t *turn) read() {
	var r struct{ Content string }
	if !t.lost {
		json.Unmarshal(t.ask("fs/read_text_file", object{"sessionId": t.session, "path": filepath.Join(t.cwd, "shared.txt")}), &r)
	}
	t.chunk("read " + r.Content)
}

// permission asks a question.
func (t *turn) permission() {
	t.tool()
	var r struct {
		Outcome struct{ Outcome, OptionID string }
	}
	if !t.lost {
		json.Unmarshal(t.ask("session/request_permission", object{
			"sessionId": t.session, "toolCall": object{"toolCallId": t.toolID()},
			"options": []object{{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, {"optionId": "no", "name": "No", "kind": "reject_once"}},
		}), &r)
	}
	t.chunk("permission " + r.Outcome.Outcome + " " + r.Outcome.OptionID)
}
