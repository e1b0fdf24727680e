//go:build unix

package attacks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/toolserver"
)

// With an agent of v2, prompts are inserted, turns end with a state update, and the agent gets tools.

// helloV2 is the answer of a v2 agent to initialize.
const helloV2 = `{"protocolVersion":2,"info":{"name":"hostile","version":"2"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}}}`

// insert makes the oldest prompt part of the conversation.
func (a *agent) insert() error {
	if !a.waitUntil(func() bool { return len(a.prompts) > 0 }) {
		return fmt.Errorf("there is no prompt to insert")
	}
	a.mu.Lock()
	id := a.prompts[0]
	a.prompts = a.prompts[1:]
	a.inserted++
	n := a.inserted
	a.mu.Unlock()
	if err := a.send(toStdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"messageId":"u%d"}}`+"\n", id, n)); err != nil {
		return err
	}
	return a.state(`"running"`)
}

func (a *agent) state(state string) error {
	return a.send(toStdout, []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":`+state+"}}}\n"))
}

// mcpServer is an MCP server in session/new.
type mcpServer struct {
	Env []struct{ Name, Value string }
}

// token gives access to the tools of a session.
type token struct{ socket, token string }

func tokenOf(servers []mcpServer) (t token) {
	for _, s := range servers {
		for _, e := range s.Env {
			switch e.Name {
			case toolserver.SocketVar:
				t.socket = e.Value
			case toolserver.TokenVar:
				t.token = e.Value
			}
		}
	}
	return t
}

// addTools offers the host's files and commands to v2 agents.
func (s *stage) addTools(services acpclient.Services) acpclient.Services {
	server := toolserver.New(toolserver.Options{FS: services.FS, Terminals: services.Terminals, Command: []string{"/bin/parley", "mcp"}, Version: "1",
		Log: func(line string) { s.log.Add(event.LogClient, line) }})
	s.t.Cleanup(server.Close)
	services.Tools = server.Offer
	return services
}

// connectTools connects with the token of the session with that number, or with a literal token, and then
// speaks MCP.
func (s *stage) connectTools(rest string) error {
	which, want, _ := strings.Cut(rest, " ")
	s.agent.mu.Lock()
	var shown token
	if len(s.agent.tokens) > 0 {
		shown = s.agent.tokens[0]
	}
	if n, err := strconv.Atoi(which); err != nil || n == 0 {
		shown.token = which
	} else if n <= len(s.agent.tokens) {
		shown = s.agent.tokens[n-1]
	}
	s.agent.mu.Unlock()
	conn, err := net.Dial("unix", shown.socket)
	if err != nil {
		return err
	}
	s.t.Cleanup(func() { conn.Close() })
	conn.SetReadDeadline(time.Now().Add(patience))
	fmt.Fprintln(conn, shown.token)
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n')
	if err != nil && line == "" {
		return err
	}
	if !strings.HasPrefix(line, want) {
		return fmt.Errorf("the socket answers %q", line)
	}
	if line != "ok\n" {
		return nil
	}
	conn.SetReadDeadline(time.Time{})
	s.tools = conn
	go s.agent.toolAnswers(in)
	s.calls[`"hello"`]++
	_, err = io.WriteString(conn, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+
		"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// toolAnswers records the answers of tools by their ids.
func (a *agent) toolAnswers(in *bufio.Reader) {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &m) != nil || m.Method != "" {
			continue
		}
		a.mu.Lock()
		a.received = append(a.received, line...)
		a.answers[string(m.ID)] = append(a.answers[string(m.ID)], bytes.Clone(line))
		a.wake()
		a.mu.Unlock()
	}
}

// callsTool calls a tool. Its result counts as the answer to the ID.
func (s *stage) callsTool(rest string) error {
	id, more, _ := strings.Cut(s.expand(rest), " ")
	name, args, _ := strings.Cut(more, " ")
	if s.tools == nil {
		return fmt.Errorf("the tools are not connected")
	}
	s.calls[id]++
	_, err := fmt.Fprintf(s.tools, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, name, args)
	return err
}
