package faults

import (
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

	"parley/internal/fakeagent"
)

// actor is the agent. It stores everything in the ledger before it sends it, so a crash loses
// nothing.
type actor struct {
	mu sync.Mutex // one note at a time
	in *json.Decoder
	to *json.Encoder
}

func playAgent(address string) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	a := &actor{in: json.NewDecoder(conn), to: json.NewEncoder(conn)}
	a.note(note{Do: "hello", PID: os.Getpid()})
	s := &fakeagent.Script{}
	s.Answer("initialize", fmt.Sprintf(`{"protocolVersion":1,"agentInfo":{"name":"actor","version":"%d"},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}`, os.Getpid()))
	s.On("session/new", func(*fakeagent.Call) (string, error) {
		return `{"sessionId":` + fakeagent.Quote(a.note(note{Do: "new"}).Session) + `}`, nil
	})
	for _, method := range []string{"session/load", "session/resume"} {
		replay := method == "session/load"
		s.On(method, func(c *fakeagent.Call) (string, error) {
			e := a.note(note{Do: "open", Session: c.ID, Replay: replay})
			if !e.OK {
				return "", fakeagent.Errorf(-32002, "no such session")
			}
			for _, u := range e.Updates {
				if replay {
					c.Agent.Update(c.ID, string(u))
				}
			}
			return `{}`, nil
		})
	}
	s.Turn(func(t *fakeagent.Turn) string {
		e := a.note(note{Do: "prompt", Session: t.Session, Text: t.Text})
		return (&turn{Turn: t, actor: a, lost: !e.OK}).play()
	})
	fakeagent.Serve(os.Stdin, os.Stdout, s)
	return 0
}

// note sends a note to the ledger and waits until it is stored.
func (a *actor) note(n note) entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	var e entry
	if a.to.Encode(n) != nil || a.in.Decode(&e) != nil {
		os.Exit(3) // the test is over
	}
	return e
}

// turn is one turn of the agent.
type turn struct {
	*fakeagent.Turn
	actor    *actor
	lost     bool // another agent now owns the session
	n, tools int  // how many so far
}

// play turns the text of a prompt into a turn, and returns its stop reason. The same text always gives
// the same turn.
func (t *turn) play() string {
	h := fnv.New64a()
	io.WriteString(h, t.Text)
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
	t.chunk("echo " + t.Text)
	if t.lost || !t.actor.note(note{Do: "finish", Session: t.Session, Text: t.Text}).OK {
		return "cancelled"
	}
	return "end_turn"
}

// add sends an update, unless another agent owns the session.
func (t *turn) add(update json.RawMessage) {
	if t.lost || !t.actor.note(note{Do: "add", Session: t.Session, Update: update}).OK {
		t.lost = true
		return
	}
	t.Update(string(update))
}

// chunk sends numbered text.
func (t *turn) chunk(text string) {
	t.n++
	t.add(said("agent_message_chunk", fmt.Sprintf("[%s %d %s]", t.Text[:strings.IndexByte(t.Text, ':')], t.n, text)))
}

func (t *turn) toolID() string { return fmt.Sprintf("%s-tool-%d", t.Text, t.tools) }

func (t *turn) tool() {
	t.tools++
	for _, rest := range []string{`"tool_call","title":"think","kind":"think","status":"pending"`, `"tool_call_update","status":"in_progress"`, `"tool_call_update","status":"completed"`} {
		t.add(json.RawMessage(`{"toolCallId":` + fakeagent.Quote(t.toolID()) + `,"sessionUpdate":` + rest + `}`))
	}
}

// read requests a file of the user.
func (t *turn) read() {
	var r struct{ Content string }
	if !t.lost {
		t.Agent.Call(t.Ctx, "fs/read_text_file", fmt.Sprintf(`{"sessionId":%q,"path":%s}`, t.Session, fakeagent.Quote(filepath.Join(t.Cwd, "shared.txt"))), &r)
	}
	t.chunk("read " + r.Content)
}

// permission asks a question.
func (t *turn) permission() {
	t.tool()
	outcome := ""
	if !t.lost {
		outcome = t.Ask(`{"toolCallId":`+fakeagent.Quote(t.toolID())+`}`, `[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]`)
	}
	t.chunk("permission " + outcome)
}
