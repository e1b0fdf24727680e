//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// tooled is an agent that speaks ACP v2, and MCP with the first server that it receives in
// session/new, which it starts before it answers. A prompt "TOOL JSON" calls a tool; the agent
// reports the result. It writes the server's parameters to a file in the session's directory.
type tooled struct {
	mu  sync.Mutex
	out io.Writer
	cwd string
	mcp *mcpServer // nil if it received none

	turns int
}

// handed is the file with the parameters of the MCP server.
const handed = "handed.json"

func runTooledAgent(in io.Reader, out io.Writer) {
	a := &tooled{out: out}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			a.mcp.close(filepath.Join(a.cwd, "mcp-exit"))
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Cwd        string
				MCPServers []mcpCommand
				Prompt     []struct{ Text string }
			}
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		answer := func(result string) { a.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
		switch m.Method {
		case "initialize":
			answer(`{"protocolVersion":2,"info":{"name":"tooled","version":"1"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}}}`)
		case "session/new":
			a.cwd = m.Params.Cwd
			if len(m.Params.MCPServers) > 0 {
				text, _ := json.Marshal(m.Params.MCPServers[0])
				os.WriteFile(filepath.Join(a.cwd, handed), text, 0o600)
				a.mcp = m.Params.MCPServers[0].start()
			}
			answer(`{"sessionId":"s1"}`)
		case "session/prompt":
			a.turns++
			answer(fmt.Sprintf(`{"messageId":"u%d"}`, a.turns))
			go a.turn(a.turns, m.Params.Prompt[0].Text)
		}
	}
}

func (a *tooled) line(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.out, format+"\n", args...)
}

func (a *tooled) turn(n int, prompt string) {
	update := func(u string, args ...any) {
		a.line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":`+u+`}}`, args...)
	}
	text, _ := json.Marshal(prompt)
	update(`{"sessionUpdate":"state_update","state":"running"}`)
	update(`{"sessionUpdate":"user_message","messageId":"u%d","content":[{"type":"text","text":%s}]}`, n, text)
	said := "I have no tools."
	if a.mcp != nil {
		tool, args, _ := strings.Cut(prompt, " ")
		said = a.mcp.call(tool, args)
	}
	text, _ = json.Marshal("The tool says: " + said)
	update(`{"sessionUpdate":"agent_message_chunk","messageId":"a%d","content":{"type":"text","text":%s}}`, n, text)
	update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
}

// mcpCommand is an MCP server in session/new.
type mcpCommand struct {
	Name, Type, Command string
	Args                []string
	Env                 []struct{ Name, Value string }
}

// mcpServer is a started MCP server.
type mcpServer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int
}

func (c mcpCommand) start() *mcpServer {
	s := &mcpServer{cmd: exec.Command(c.Command, c.Args...)}
	s.cmd.Env, s.cmd.Stderr = os.Environ(), os.Stderr
	for _, e := range c.Env {
		s.cmd.Env = append(s.cmd.Env, e.Name+"="+e.Value)
	}
	s.in, _ = s.cmd.StdinPipe()
	out, _ := s.cmd.StdoutPipe()
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		panic(err)
	}
	s.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"tooled","version":"1"}}`)
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.request("tools/list", `{}`)
	return s
}

// request returns the result, or the error as text.
func (s *mcpServer) request(method, params string) string {
	s.last++
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.last, method, params)
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return err.Error()
	}
	var m struct {
		ID            int
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal(line, &m); err != nil || m.ID != s.last {
		return fmt.Sprintf("an answer to something else: %s", line)
	}
	return string(m.Result) + string(m.Error)
}

func (s *mcpServer) call(tool, args string) string {
	got := s.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if json.Unmarshal([]byte(got), &r) != nil || len(r.Content) == 0 {
		return got
	}
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, strings.TrimSpace(c.Text))
	}
	if r.IsError {
		texts = append([]string{"failed"}, texts...)
	}
	return strings.Join(texts, ", ")
}

// close ends the server by closing its input, as agents do, and writes its exit code to a file.
func (s *mcpServer) close(file string) {
	if s == nil {
		return
	}
	s.in.Close()
	err := s.cmd.Wait()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	os.WriteFile(file, fmt.Append(nil, code), 0o600)
}
