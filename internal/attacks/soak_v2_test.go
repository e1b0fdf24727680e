//go:build unix

package attacks

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"

	"parley/acpclient/jsonrpc"
)

// tools are parley's tools as a v2 agent calls them: MCP over the socket.
type tools struct {
	conn net.Conn
	in   *bufio.Reader
	id   int
}

func (u *tools) close() {
	if u.conn != nil {
		u.conn.Close()
	}
}

// open connects with the token of the session.
func (u *tools) open(shown token) error {
	var err error
	if u.conn, err = net.Dial("unix", shown.socket); err != nil {
		return err
	}
	u.in = bufio.NewReader(u.conn)
	fmt.Fprintln(u.conn, shown.token)
	if line, err := u.in.ReadString('\n'); err != nil || line != "ok\n" {
		return fmt.Errorf("the socket answers %q, %w", line, err)
	}
	if _, err := u.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`); err != nil {
		return err
	}
	_, err = io.WriteString(u.conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

func (u *tools) request(method, params string) (result json.RawMessage, err error) {
	u.id++
	if _, err := fmt.Fprintf(u.conn, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", u.id, method, params); err != nil {
		return nil, err
	}
	for {
		line, err := u.in.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		if m.Method == "" && m.ID == u.id {
			if m.Error != nil {
				return nil, fmt.Errorf("%s: %s", method, m.Error)
			}
			return m.Result, nil
		}
	}
}

// call calls a tool and checks that the result contains a text.
func (u *tools) call(name, want, format string, args ...any) error {
	result, err := u.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, fmt.Sprintf(format, args...)))
	if err == nil && (!strings.Contains(string(result), want) || strings.Contains(string(result), `"isError":true`)) {
		err = fmt.Errorf("%s comes to %s", name, result)
	}
	return err
}

// requestV2 answers requests as an agent of v2.
func (w *worker) requestV2(r jsonrpc.Request) (any, error) {
	switch r.Method {
	case "initialize":
		return json.RawMessage(helloV2), nil
	case "session/new":
		var in struct{ MCPServers []mcpServer }
		json.Unmarshal(r.Params, &in)
		if err := w.v2.open(tokenOf(in.MCPServers)); err != nil {
			return nil, jsonrpc.Errorf(-32603, "%v", err)
		}
		return json.RawMessage(`{"sessionId":"s1"}`), nil
	case "session/prompt":
		w.turn++
		n := w.turn
		go func() {
			reason := "end_turn"
			if err := w.workV2(n); err != nil {
				reason = err.Error()
			}
			w.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":%q}`, reason)
		}()
		return json.RawMessage(fmt.Sprintf(`{"messageId":"u%d"}`, n)), nil
	}
	return nil, jsonrpc.Errorf(-32601, "Method not found")
}

// workV2 is one turn. It reports the agent's own commands as updates and runs parley's as tools.
func (w *worker) workV2(n int) error {
	file := filepath.Join(w.dir, fmt.Sprintf("f%d.txt", n%10))
	w.update(`{"sessionUpdate":"state_update","state":"running"}`)
	for i := range 5 {
		w.update(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"Words %d of turn %d. "}}`, n, i, n)
	}
	w.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t%d","title":"Write","kind":"edit","status":"in_progress"}`, n)
	if err := w.v2.call("write_text_file", "", `{"path":%q,"content":"turn %d\n"}`, file, n); err != nil {
		return err
	}
	if err := w.v2.call("read_text_file", fmt.Sprint("turn ", n), `{"path":%q}`, file); err != nil {
		return err
	}
	w.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t%d","status":"completed"}`, n)
	w.update(`{"sessionUpdate":"tool_call_update","toolCallId":"r%d","title":"Run","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"x%[1]d"}]}`, n)
	w.update(`{"sessionUpdate":"terminal_update","terminalId":"x%d","command":"make","cwd":%q}`, n, w.dir)
	for range 3 {
		w.update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"x%d","data":%q}`, n, base64.StdEncoding.EncodeToString([]byte("a line\r\n")))
	}
	w.update(`{"sessionUpdate":"terminal_update","terminalId":"x%d","exitStatus":{"exitCode":0}}`, n)
	w.update(`{"sessionUpdate":"tool_call_update","toolCallId":"r%d","status":"completed"}`, n)
	if n%w.every == 0 {
		return w.v2.call("run_command", fmt.Sprint("turn ", n), `{"command":"echo","args":["turn %d"]}`, n)
	}
	return nil
}
