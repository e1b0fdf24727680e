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
	"parley/internal/must"
)

// agent controls the agent's process. It is not the fakeagent, because what it sends need not be JSON.
type agent struct {
	listener net.Listener
	command  acpclient.AgentCommand

	hello, session string // answers, as JSON
	v2             bool   // speaks v2; set before launch

	mu       sync.Mutex
	conn     net.Conn
	received []byte                       // all bytes that parley sent
	answers  map[string][]json.RawMessage // by the id of the request
	prompts  []json.RawMessage            // ids of unanswered prompts
	inserted int                          // number of v2 prompts inserted into the conversation
	tokens   []token                      // tokens of parley's tools, by session
	sessions int
	changed  chan struct{} // closed and replaced with every line
	closed   bool          // parley has closed the connection
}

func newAgent(t *testing.T, dir string) *agent {
	t.Helper()
	self := must.Get(os.Executable())(t)
	a := &agent{answers: map[string][]json.RawMessage{}, changed: make(chan struct{}), hello: `{"protocolVersion":1,"agentInfo":{"name":"hostile","version":"1"}}`}
	// The name of a socket must be short, so it gets its own directory.
	home := must.Get(os.MkdirTemp("", "att"))(t)
	name := filepath.Join(home, "s")
	a.listener = must.Get(net.Listen("unix", name))(t)
	t.Cleanup(func() {
		a.listener.Close()
		os.RemoveAll(home)
	})
	a.command = acpclient.AgentCommand{Path: self, Env: append(os.Environ(), socketVar+"="+name, "GORACE=atexit_sleep_ms=0"), Dir: dir}
	go a.serve()
	return a
}

// serve receives what parley sends. It answers the setup of the session and records the rest.
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
		a.receive(line)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.wake()
	conn.Close() // ends the process
}

func (a *agent) wake() {
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *agent) receive(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ MCPServers []mcpServer }
	}
	json.Unmarshal(line, &m)
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.wake()
	a.received = append(a.received, line...)
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
	a.sendLocked(toStdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result))
}

// sendLocked sends the process a command. The caller must hold mu, except before the agent runs.
func (a *agent) sendLocked(what byte, data []byte) error {
	head := make([]byte, 5, 5+len(data))
	head[0] = what
	binary.BigEndian.PutUint32(head[1:], uint32(len(data)))
	_, err := a.conn.Write(append(head, data...))
	return err
}

// send is sendLocked for the goroutine of the script. It may block until parley reads, which serve
// must not.
func (a *agent) send(what byte, data []byte) error {
	a.mu.Lock()
	conn := a.conn
	a.mu.Unlock()
	head := make([]byte, 5)
	head[0] = what
	binary.BigEndian.PutUint32(head[1:], uint32(len(data)))
	_, err := conn.Write(append(head, data...))
	return err
}

// waitUntil waits until f, called with the lock held, returns true. It returns false after
// patience, or when parley has closed the connection.
func (a *agent) waitUntil(f func() bool) bool {
	timeout := time.After(patience)
	for {
		a.mu.Lock()
		ok, over, changed := f(), a.closed, a.changed
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

// endTurn ends the turn. In v1, and for an error, member answers the oldest prompt. Otherwise, in
// v2, endTurn inserts the waiting prompts and reports that the agent is idle.
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
	if !a.waitUntil(func() bool { return len(a.prompts) > 0 }) {
		return fmt.Errorf("there is no prompt to answer")
	}
	a.mu.Lock()
	id := a.prompts[0]
	a.prompts = a.prompts[1:]
	a.mu.Unlock()
	return a.send(toStdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, member))
}
