//go:build unix

package balancer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// The first argument that starts the agent, and its environment.
const (
	agentWord   = "play-agent"
	stageVar    = "BALANCER_STAGE"    // address of the test, which receives reports and prompts
	nameVar     = "BALANCER_NAME"     // of the server that started it
	sessionsVar = "BALANCER_SESSIONS" // where sessions are stored for the agents of all servers
)

// heard is an agent's report to the test. The test answers with the id of a session, whose turn
// then continues.
type heard struct {
	Server  string
	Pid     int
	What    string // started, prompt or cancelled; the test adds ended
	Session string
}

// actor is one agent.
type actor struct {
	name, stored string
	tell         *json.Encoder
	mu           sync.Mutex // guards everything below, and reports
	out          *bufio.Writer
	turns        map[string]*turn
	answers      map[string]chan json.RawMessage
}

// turn is a running turn.
type turn struct{ proceed, cancel chan struct{} }

type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

type params struct {
	SessionID string
	Prompt    []struct{ Text string }
}

func playAgent(in io.Reader, out io.Writer) error {
	conn, err := net.Dial("tcp", os.Getenv(stageVar))
	if err != nil {
		return err
	}
	defer conn.Close()
	a := &actor{name: os.Getenv(nameVar), stored: os.Getenv(sessionsVar), tell: json.NewEncoder(conn), out: bufio.NewWriter(out),
		turns: map[string]*turn{}, answers: map[string]chan json.RawMessage{}}
	go a.listen(conn)
	a.report("started", "")
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var m message
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		if err != nil {
			return err
		}
		a.handle(m)
	}
}

// listen lets turns continue.
func (a *actor) listen(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		a.mu.Lock()
		if t := a.turns[lines.Text()]; t != nil {
			close(t.proceed)
		}
		a.mu.Unlock()
	}
}

func (a *actor) report(what, session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell.Encode(heard{a.name, os.Getpid(), what, session})
}

func (a *actor) send(m message) {
	m.JSONRPC = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out.Write(append(line, '\n'))
	a.out.Flush()
}

func (a *actor) reply(id json.RawMessage, format string, args ...any) {
	a.send(message{ID: id, Result: json.RawMessage(fmt.Sprintf(format, args...))})
}

func (a *actor) handle(m message) {
	var p params
	json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "initialize":
		a.reply(m.ID, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
	case "session/new":
		id := fmt.Sprintf("%s-%d-%s", a.name, os.Getpid(), m.ID)
		if a.store(id, "", "") == nil {
			a.reply(m.ID, `{"sessionId":%q}`, id)
		}
	case "session/load":
		a.replay(p.SessionID)
		a.reply(m.ID, `{}`)
	case "session/prompt":
		t := &turn{make(chan struct{}), make(chan struct{})}
		a.mu.Lock()
		a.turns[p.SessionID] = t
		a.mu.Unlock()
		a.report("prompt", p.SessionID)
		go a.turn(m.ID, p.SessionID, p.Prompt[0].Text, t)
	case "session/cancel":
		a.mu.Lock()
		close(a.turns[p.SessionID].cancel)
		a.mu.Unlock()
		a.report("cancelled", p.SessionID)
	case "":
		a.mu.Lock()
		a.answers[string(m.ID)] <- m.Result
		a.mu.Unlock()
	}
}

// turn does what the first word of the prompt says.
func (a *actor) turn(id json.RawMessage, session, text string, t *turn) {
	stop := "end_turn"
	word, _, _ := strings.Cut(text, " ")
	a.store(session, "user", text[:min(len(text), 100)])
	switch word {
	case "step": // the test must see the first piece before the second is sent
		a.say(session, "one ")
		select {
		case <-t.proceed:
			a.say(session, "two")
		case <-t.cancel:
			stop = "cancelled"
		}
	case "ask":
		var answer struct{ Outcome struct{ OptionID string } }
		json.Unmarshal(a.ask(session), &answer)
		a.say(session, "chosen: "+answer.Outcome.OptionID)
	case "size":
		a.say(session, fmt.Sprint(len(text)))
	case "where":
		a.say(session, fmt.Sprintf("%s %d", a.name, os.Getpid()))
	}
	a.reply(id, `{"stopReason":%q}`, stop)
}

func (a *actor) ask(session string) json.RawMessage {
	id, answer := fmt.Sprintf("%q", "ask-"+session), make(chan json.RawMessage, 1)
	a.mu.Lock()
	a.answers[id] = answer
	a.mu.Unlock()
	a.send(message{ID: json.RawMessage(id), Method: "session/request_permission", Params: json.RawMessage(fmt.Sprintf(`{"sessionId":%q,
		"toolCall":{"toolCallId":"t","title":"Do it","kind":"execute"},
		"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`, session))})
	return <-answer
}

func (a *actor) say(session, text string) {
	a.store(session, "agent", text)
	a.update(session, "agent", text)
}

func (a *actor) update(session, role, text string) {
	a.send(message{Method: "session/update", Params: json.RawMessage(fmt.Sprintf(
		`{"sessionId":%q,"update":{"sessionUpdate":"%s_message_chunk","content":{"type":"text","text":%q}}}`, session, role, text))})
}

// store stores what was said, for the agents of the other server.
func (a *actor) store(session, role, text string) error {
	f, err := os.OpenFile(filepath.Join(a.stored, session), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if role != "" {
		_, err = fmt.Fprintf(f, "%s %s\n", role, text)
	}
	return err
}

func (a *actor) replay(session string) {
	text, _ := os.ReadFile(filepath.Join(a.stored, filepath.Base(session)))
	for line := range strings.Lines(string(text)) {
		role, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		a.update(session, role, said)
	}
}
