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

	"parley/internal/fakeagent"
)

// handed is the file with the parameters of the MCP server.
const handed = "handed.json"

// runTooledAgent is an agent that speaks ACP v2, and MCP with the first server that it receives in
// session/new, which it starts before it answers. A prompt "TOOL JSON" calls a tool; the agent
// reports the result. It writes the server's parameters to a file in the session's directory.
func runTooledAgent(in io.Reader, out io.Writer) {
	s := &fakeagent.Script{Protocol: "2"}
	s.Answer("initialize", `{"protocolVersion":2,"info":{"name":"tooled","version":"1"},"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}}}`)
	var mcp *mcpServer // nil if it received none
	var p struct {
		Cwd        string
		MCPServers []mcpCommand
	}
	s.On("session/new", func(c *fakeagent.Call) (string, error) {
		c.Decode(&p)
		if len(p.MCPServers) > 0 {
			text, _ := json.Marshal(p.MCPServers[0])
			os.WriteFile(filepath.Join(p.Cwd, handed), text, 0o600)
			mcp = p.MCPServers[0].start()
		}
		return c.Default()
	})
	s.Turn(func(t *fakeagent.Turn) string {
		said := "I have no tools."
		if mcp != nil {
			tool, args, _ := strings.Cut(t.Text, " ")
			said = mcp.call(tool, args)
		}
		t.Say("The tool says: " + said)
		return "end_turn"
	})
	fakeagent.Serve(in, out, s)
	mcp.close(filepath.Join(p.Cwd, "mcp-exit"))
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
