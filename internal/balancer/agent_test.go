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

	"parley/internal/fakeagent"
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
	mu           sync.Mutex // guards everything below
	tell         *json.Encoder
	turns        map[string]chan struct{} // by session: closed when its turn may continue
}

func playAgent(in io.Reader, out io.Writer) error {
	conn, err := net.Dial("tcp", os.Getenv(stageVar))
	if err != nil {
		return err
	}
	defer conn.Close()
	a := &actor{name: os.Getenv(nameVar), stored: os.Getenv(sessionsVar), tell: json.NewEncoder(conn), turns: map[string]chan struct{}{}}
	go a.listen(conn)
	a.report("started", "")
	s := &fakeagent.Script{}
	s.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
	s.On("session/new", func(c *fakeagent.Call) (string, error) {
		id := fmt.Sprintf("%s-%d-%d", a.name, os.Getpid(), c.N)
		return fmt.Sprintf(`{"sessionId":%q}`, id), a.store(id, "", "")
	})
	s.On("session/load", func(c *fakeagent.Call) (string, error) {
		text, _ := os.ReadFile(filepath.Join(a.stored, filepath.Base(c.ID)))
		for line := range strings.Lines(string(text)) {
			role, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			c.Agent.Say(c.ID, role, said)
		}
		return `{}`, nil
	})
	s.Turn(a.turn)
	fakeagent.Serve(in, out, s)
	return nil
}

// listen lets turns continue.
func (a *actor) listen(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		a.mu.Lock()
		if t := a.turns[lines.Text()]; t != nil {
			close(t)
		}
		a.mu.Unlock()
	}
}

func (a *actor) report(what, session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell.Encode(heard{a.name, os.Getpid(), what, session})
}

// turn does what the first word of the prompt says.
func (a *actor) turn(t *fakeagent.Turn) string {
	proceed := make(chan struct{})
	a.mu.Lock()
	a.turns[t.Session] = proceed
	a.mu.Unlock()
	a.store(t.Session, "user", t.Text[:min(len(t.Text), 100)])
	a.report("prompt", t.Session)
	say := func(text string) {
		a.store(t.Session, "agent", text)
		t.Say(text)
	}
	switch word, _, _ := strings.Cut(t.Text, " "); word {
	case "step": // the test must see the first piece before the second is sent
		say("one ")
		select {
		case <-proceed:
			say("two")
		case <-t.Stopped():
			a.report("cancelled", t.Session)
			return "cancelled"
		}
	case "ask":
		say("chosen: " + t.Ask(`{"toolCallId":"t","title":"Do it","kind":"execute"}`, `[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]`))
	case "size":
		say(fmt.Sprint(len(t.Text)))
	case "where":
		say(fmt.Sprintf("%s %d", a.name, os.Getpid()))
	}
	return "end_turn"
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
