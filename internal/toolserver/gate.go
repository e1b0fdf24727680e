package toolserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxRequests bounds the unanswered requests of a connection. Further ones are not read, so
// a client that does not read answers has to wait. It is far above maxCalls, so that
// waiting calls never keep a cancellation from being read.
const maxRequests = 4 * maxCalls

// gated is a transport with this limit.
type gated struct{ mcp.IOTransport }

// Connect implements mcp.Transport.
func (g *gated) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := g.IOTransport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &gatedConn{Connection: conn, open: make(chan struct{}, maxRequests), closed: make(chan struct{})}, nil
}

type gatedConn struct {
	mcp.Connection
	open   chan struct{} // holds one for each unanswered request
	closed chan struct{}
	once   sync.Once
}

func (g *gatedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := g.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); err == nil && ok && r.IsCall() {
		select {
		case g.open <- struct{}{}:
		case <-g.closed:
		case <-ctx.Done():
		}
	}
	return m, err
}

func (g *gatedConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := g.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		select {
		case <-g.open:
		default: // answers to something other than a call
		}
	}
	return err
}

func (g *gatedConn) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Connection.Close()
}
