package acpclient

import (
	"context"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// v1 is the surface of ACP v1, together with the turns in session.go.
type v1 struct{}

func (v1) version() int                { return 1 }
func (v1) login() string               { return "authenticate" }
func (v1) logout() string              { return "logout" }
func (v1) ended(s *Session, err error) {}

// server implements surface.
func (v1) server(m MCPServer, agent event.AgentInfo) any {
	switch {
	case m.Type == "http" && agent.MCPHTTP, m.Type == "sse" && agent.MCPSSE:
		return wire.MCPRemote{Type: m.Type, Name: m.Name, URL: m.URL, Headers: orEmpty(m.Headers)}
	case m.Type == "http", m.Type == "sse":
		return nil
	}
	return wire.MCPStdio{Name: m.Name, Command: m.Command, Args: orEmpty(m.Args), Env: orEmpty(m.Env)}
}

func (v1) reopen(r wire.OpenSessionRequest, replay bool) (string, any) {
	if replay {
		return "session/load", r
	}
	return "session/resume", r
}

func (v1) offered(s *Session, method string, result []byte) error {
	r := wire.Offered{Version: 1}
	if err := jsonrpc.Decode(method, result, &r); err != nil {
		return err
	}
	s.offered(r.Modes, r.Config, r.Models)
	return nil
}

func (v1) option(s *Session, id string, value any) any {
	req := map[string]any{"sessionId": s.id, "configId": id, "value": value}
	if _, ok := value.(bool); ok {
		req["type"] = "boolean"
	}
	return req
}

// initializeRequestV1 describes this client and what it serves.
func (o *Options) initializeRequestV1() wire.InitializeRequest {
	s := o.Services
	req := wire.InitializeRequest{
		ProtocolVersion: 1,
		ClientCapabilities: wire.ClientCapabilities{
			FS:        wire.FSCapabilities{ReadTextFile: s.FS != nil, WriteTextFile: s.FS != nil},
			Terminal:  s.Terminals != nil,
			Subagents: &struct{}{},
			Session:   &wire.SessionCapabilities{Notices: &struct{}{}, Compaction: &struct{}{}, ConfigOptions: &wire.ConfigCapabilities{}},
			Meta:      map[string]any{"terminal_output": true},
		},
		ClientInfo: wire.Implementation{Name: o.Name, Title: o.Name, Version: o.Version},
	}
	if o.TerminalLogin {
		req.ClientCapabilities.Auth = &wire.AuthCapabilities{Terminal: true}
		req.ClientCapabilities.Meta["terminal-auth"] = true // AuthMethod.Command
	}
	if o.Elicit {
		req.ClientCapabilities.Elicitation = elicitModes()
	}
	return req
}

func (v1) request(c *Client, r jsonrpc.Request) jsonrpc.Work {
	switch r.Method {
	case "session/request_permission":
		return c.permissionRequested(r.Params)
	case "fs/read_text_file", "fs/write_text_file":
		if c.opts.Services.FS != nil {
			return c.placed(c.fileRequested(r.Method, r.Params))
		}
	case "terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		if c.opts.Services.Terminals != nil {
			return c.placed(c.terminalRequested(r.Method, r.Params))
		}
	}
	return nil
}

func (c *Client) fileRequested(method string, params []byte) jsonrpc.Work {
	fs := c.opts.Services.FS
	if method == "fs/write_text_file" {
		r, err := wire.DecodeWriteTextFile(params)
		if err != nil {
			return badParams(err)
		}
		var no jsonrpc.Work
		if r.SessionID, no = c.sessions.servedFor(r.SessionID); no != nil {
			return no
		}
		work := fs.WriteTextFile(r)
		return func(ctx context.Context) (any, error) { return nil, c.quirk.fileError(work(ctx)) }
	}
	r, err := wire.DecodeReadTextFile(params)
	if err != nil {
		return badParams(err)
	}
	var no jsonrpc.Work
	if r.SessionID, no = c.sessions.servedFor(r.SessionID); no != nil {
		return no
	}
	work := fs.ReadTextFile(r)
	return func(ctx context.Context) (any, error) {
		text, err := work(ctx)
		if err = c.quirk.readError(err); err != nil {
			return nil, notFoundData(err, r.Path)
		}
		return wire.ReadTextFileResponse{Content: text}, nil
	}
}

func (c *Client) terminalRequested(method string, params []byte) jsonrpc.Work {
	terminals := c.opts.Services.Terminals
	if method == "terminal/create" {
		r, err := wire.DecodeCreateTerminal(params)
		if err != nil {
			return badParams(err)
		}
		s, no := c.sessions.known(r.SessionID)
		if no != nil {
			return no
		}
		if r.SessionID = s.root().id; r.Cwd == "" && s.parent != nil {
			r.Cwd = s.cwd // "": that of the root
		}
		work := terminals.Create(r)
		return func(ctx context.Context) (any, error) {
			id, err := work(ctx)
			return wire.CreateTerminalResponse{TerminalID: id}, err
		}
	}
	r, err := wire.DecodeTerminalRef(params)
	if err != nil {
		return badParams(err)
	}
	if s := c.sessions.session(r.SessionID); s != nil {
		r.SessionID = s.root().id
	}
	return func(ctx context.Context) (any, error) {
		switch method {
		case "terminal/output":
			return terminals.Output(r)
		case "terminal/wait_for_exit":
			return terminals.WaitForExit(ctx, r)
		case "terminal/kill":
			return nil, terminals.Kill(r)
		}
		return nil, terminals.Release(r)
	}
}
