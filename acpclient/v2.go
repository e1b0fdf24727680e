package acpclient

import (
	"context"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// v2 is the surface of ACP v2, a draft: this file and v2_*.go. In v2 the agent has its
// own files and commands and only shows them; nothing of this machine is served.
type v2 struct{}

func (v2) version() int   { return 2 }
func (v2) login() string  { return "auth/login" }
func (v2) logout() string { return "auth/logout" }

// server implements surface.
func (v2) server(m MCPServer, agent event.AgentInfo) any {
	switch {
	case m.Type == "http" && agent.MCPHTTP:
		return wire.MCPRemote{Type: m.Type, Name: m.Name, URL: m.URL, Headers: orEmpty(m.Headers)}
	case (m.Type == "" || m.Type == "stdio") && !agent.NoMCPStdio:
		return wire.MCPServerStdioV2{Type: "stdio", MCPStdio: wire.MCPStdio{Name: m.Name, Command: m.Command, Args: orEmpty(m.Args), Env: orEmpty(m.Env)}}
	}
	return nil
}

func (v2) reopen(r wire.OpenSessionRequest, replay bool) (string, any) {
	req := wire.ResumeSessionRequestV2{OpenSessionRequest: r}
	if replay {
		req.ReplayFrom = &wire.ReplayFrom{Type: "start"}
	}
	return "session/resume", req
}

func (v2) offered(s *Session, method string, result []byte) error {
	r := wire.Offered{Version: 2}
	if err := jsonrpc.Decode(method, result, &r); err != nil {
		return err
	}
	if r.Config != nil {
		s.post(event.ConfigChanged{For: s.wireContext(), Options: configOptions(r.Config)})
	}
	if r.Commands != nil {
		s.post(event.CommandsChanged{For: s.wireContext(), Commands: commands(r.Commands)})
	}
	return nil
}

func (v2) option(s *Session, id string, value any) any {
	req := wire.SetOptionRequestV2{SessionID: s.id, ConfigID: id, Type: "id", Value: value}
	if _, ok := value.(bool); ok {
		req.Type = "boolean"
	}
	return req
}

// request implements surface. Requests for files and commands are unknown in v2.
func (v2) request(c *Client, r jsonrpc.Request) jsonrpc.Work {
	if r.Method == "session/request_permission" {
		return c.permissionRequestedV2(r.Params)
	}
	return nil
}

// initializeRequestV2 describes this client.
func (o *Options) initializeRequestV2() wire.InitializeRequestV2 {
	req := wire.InitializeRequestV2{
		ProtocolVersion: 2,
		Info:            wire.Implementation{Name: o.Name, Title: o.Name, Version: o.Version},
	}
	if o.TerminalLogin {
		req.Capabilities.Auth = &wire.ClientAuthV2{Terminal: &struct{}{}}
	}
	if o.Elicit {
		req.Capabilities.Elicitation = elicitModes()
	}
	return req
}

// CancelTool asks the agent to stop one tool call (tool_call/cancel of v2), which is
// possible while event.ToolChanged.Cancelable was last true. Its status says when it has
// stopped.
func (s *Session) CancelTool(ctx context.Context, id string) error {
	return s.client.offers(ctx, s.cancelable.has(toolWork, id), "tool_call/cancel", "stop the tool call", wire.ToolCallRef{SessionID: s.id, ToolCallID: id}, nil)
}

// CancelTerminal asks the agent to stop the command of one of its terminals
// (terminal/cancel of v2), which is possible while TerminalChanged.Cancelable was last
// true. TerminalExited says when it has stopped.
func (s *Session) CancelTerminal(ctx context.Context, id string) error {
	return s.client.offers(ctx, s.cancelable.has(terminalWork, id), "terminal/cancel", "stop the command", wire.TerminalRefV2{SessionID: s.id, TerminalID: id}, nil)
}
