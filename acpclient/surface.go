package acpclient

import (
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// surface is what differs between the versions of the protocol. A connection
// has one from the answer to initialize on; there is no way from the messages of
// one version to those of another, only from each to the events.
//
// Methods marked (reader) are called on the reader goroutine and must not
// block.
type surface interface {
	version() int

	// server is an MCP server as the agent wants it; nil where it takes none of
	// that kind.
	server(MCPServer, event.AgentInfo) any
	// reopen is the request that opens a session which the agent keeps, with or
	// without a replay of the conversation.
	reopen(r wire.OpenSessionRequest, replay bool) (method string, params any)
	// offered posts what the result of a request that opens a session tells
	// (reader).
	offered(s *Session, method string, result []byte) error
	// login and logout are the names of the methods.
	login() string
	logout() string

	// prompt and cancel are those of Session.
	prompt(s *Session, blocks []event.Block) error
	cancel(s *Session)
	// option is the params of session/set_config_option.
	option(s *Session, id string, value any) any

	// request looks at a request of the agent; nil where it is not served
	// (reader).
	request(c *Client, r jsonrpc.Request) jsonrpc.Work
	// ended settles what a session has open when it is over.
	ended(s *Session, err error)
}

func surfaceOf(version int) surface {
	if version == 2 {
		return v2{}
	}
	return v1{}
}

// version is that of the protocol, as far as it is known. Reader goroutine.
func (c *Client) version() int { return c.surface.version() }
