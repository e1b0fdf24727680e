package acpclient

import (
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// surface is the difference between the protocol versions. A connection has one
// after the answer to initialize. Messages of one version are never converted to
// those of another, only to events.
//
// Methods marked (reader) are called on the reader goroutine and must not
// block.
type surface interface {
	version() int

	// server returns an MCP server in the form of the version, nil if the agent does not
	// support its type.
	server(MCPServer, event.AgentInfo) any
	// reopen returns the method and params that open a stored session, with or without a
	// replay of the conversation.
	reopen(r wire.OpenSessionRequest, replay bool) (method string, params any)
	// offered posts the settings in the result of a request that opens a session
	// (reader).
	offered(s *Session, method string, result []byte) error
	// login and logout are the names of the methods.
	login() string
	logout() string

	// prompt and cancel implement those of Session.
	prompt(s *Session, blocks []event.Block) error
	cancel(s *Session)
	// option returns the params of session/set_config_option.
	option(s *Session, id string, value any) any

	// request returns the work for a request of the agent, nil if it is not served
	// (reader).
	request(c *Client, r jsonrpc.Request) jsonrpc.Work
	// ended closes what a session has open when it is over.
	ended(s *Session, err error)
}

func surfaceOf(version int) surface {
	if version == 2 {
		return v2{}
	}
	return v1{}
}

// version returns the protocol version as far as it is known. Reader goroutine only.
func (c *Client) version() int { return c.surface.version() }
