//go:build unix

package attacks

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/acpclient"
)

// agent is the other end of the agent's process.
type agent struct {
	listener net.Listener
	command  acpclient.AgentCommand

	hello, session string // answers, as JSON
	v2             bool   // it speaks v2, set before it is launched

	mu       sync.Mutex
	conn     net.Conn
	heard    []byte                       // everything that parley sent
	answers  map[string][]json.RawMessage // by the id of the call
	prompts  []json.RawMessage            // ids that wait for their answer
	taken    int                          // prompts of v2 that were inserted
	tokens   []token                      // of the tools that it was handed, by session
	sessions int
	changed  chan struct{} // closed and made anew with every line
	over     bool          // parley has closed its end
}

func newAgent(t *testing.T, dir string) *agent {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{answers: map[string][]json.RawMessage{}, changed: make(chan struct{}), hello: `{"protocolVersion":1,"agentInfo":{"name":"hostile","version":"1"}}`}
	// The name of a socket may not be long, so it stands in a directory of its own.
	home, err := os.MkdirTemp("", "att")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(home, "s")
	if a.listener, err = net.Listen("unix", name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.listener.Close()
		os.RemoveAll(home)
	})
	a.command = acpclient.AgentCommand{Path: self, Env: append(os.Environ(), socketVar+"="+name, "GORACE=atexit_sleep_ms=0"), Dir: dir}
	go a.serve()
	return a
}

// serve takes what parley sends: what belongs to every conversation is answered
// here, the rest is kept.
func (a *agent) serve() {
	conn, err := a.listener.Accept()
	if err != nil {
		return
	}
	a.mu.Lock()
	a.conn = conn
	a.mu.Unlock()
	lines := bufio.NewReaderSize(conn, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		a.took(line)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	a.wake()
	conn.Close() // the process ends
}

func (a *agent) wake() {
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *agent) took(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ MCPServers []handed }
	}
	json.Unmarshal(line, &m)
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.wake()
	a.heard = append(a.heard, line...)
	switch m.Method {
	case "":
		a.answers[string(m.ID)] = append(a.answers[string(m.ID)], bytes.Clone(line))
	case "initialize":
		a.reply(m.ID, a.hello)
	case "session/new":
		a.sessions++
		a.tokens = append(a.tokens, tokenOf(m.Params.MCPServers))
		result := fmt.Sprintf(`{"sessionId":"s%d"}`, a.sessions)
		if a.session != "" && a.sessions == 1 {
			result = a.session
		}
		a.reply(m.ID, result)
	case "session/prompt":
		a.prompts = append(a.prompts, bytes.Clone(m.ID))
	}
}

func (a *agent) reply(id json.RawMessage, result string) {
	a.tell(toStdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result))
}

// tell has the process do something. With mu, or before anything else.
func (a *agent) tell(what byte, data []byte) error {
	head := make([]byte, 5, 5+len(data))
	head[0] = what
	binary.BigEndian.PutUint32(head[1:], uint32(len(data)))
	_, err := a.conn.Write(append(head, data...))
	return err
}

// say is tell for the script's goroutine. It may wait for parley to read, which
// must not keep serve from taking what parley sends.
func (a *agent) say(what byte, data []byte) error {
	a.mu.Lock()
	conn := a.conn
	a.mu.Unlock()
	head := make([]byte, 5)
	head[0] = what
	binary.BigEndian.PutUint32(head[1:], uint32(len(data)))
	_, err := conn.Write(append(head, data...))
	return err
}

// until waits until f, called with the lock, is content; false when patience is
// at its end or parley has gone.
func (a *agent) until(f func() bool) bool {
	timeout := time.After(patience)
	for {
		a.mu.Lock()
		ok, over, changed := f(), a.over, a.changed
		a.mu.Unlock()
		if ok || over {
			return ok
		}
		select {
		case <-changed:
		case <-timeout:
			return false
		}
	}
}

// endTurn answers the oldest prompt. Of v2 member counts for a prompt that is
// held; else the agent says that it is idle.
func (a *agent) endTurn(member string) error {
	if a.v2 && !strings.HasPrefix(member, `"error"`) {
		a.mu.Lock()
		held := len(a.prompts)
		a.mu.Unlock()
		for range held {
			if err := a.insert(); err != nil {
				return err
			}
		}
		return a.state(`"idle","stopReason":"end_turn"`)
	}
	if !a.until(func() bool { return len(a.prompts) > 0 }) {
		return fmt.Errorf("there is no prompt to answer")
	}
	a.mu.Lock()
	id := a.prompts[0]
	a.prompts = a.prompts[1:]
	a.mu.Unlock()
	return a.say(toStdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, member))
}
