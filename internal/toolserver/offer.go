package toolserver

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Reasons why a call was ended early.
var (
	errStopped   = errors.New("the user stopped it")
	errWithdrawn = errors.New("the session is over")
	errBusy      = errors.New("too many calls are under way at once")
)

// maxCalls bounds the running calls of one session.
const maxCalls = 64

// offer implements acpclient.Offer.
type offer struct {
	server   *Server
	cwd      string
	key      tokenKey
	redeemed bool // guarded by Server.mu

	mu      sync.Mutex
	session string        // set before bound is closed
	bound   chan struct{} // closed once the session is known
	isBound bool
	ended   bool
	calls   map[*call]bool
}

// call is one call of a tool.
type call struct{ cancel context.CancelCauseFunc }

func newOffer(s *Server, cwd string, key tokenKey) *offer {
	return &offer{server: s, cwd: cwd, key: key, bound: make(chan struct{}), calls: map[*call]bool{}}
}

// Bind implements acpclient.Offer.
func (o *offer) Bind(session string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.isBound {
		o.session, o.isBound = session, true
		close(o.bound)
	}
}

// Cancel implements acpclient.Offer.
func (o *offer) Cancel() { o.cancelCalls(errStopped, false) }

// Withdraw implements acpclient.Offer. The connection stays until the agent ends it; calls
// on it fail.
func (o *offer) Withdraw() {
	o.cancelCalls(errWithdrawn, true)
	o.server.forget(o)
}

func (o *offer) cancelCalls(why error, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = o.ended || over
	for c := range o.calls {
		c.cancel(why)
	}
}

// begin starts a call. Its context ends with the request, or with the reason why it was
// ended here. done must be called.
func (o *offer) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ended:
		return nil, nil, errWithdrawn
	case len(o.calls) == maxCalls:
		return nil, nil, errBusy
	}
	ctx, end := context.WithCancelCause(ctx)
	c := &call{end}
	o.calls[c] = true
	return ctx, func() {
		end(nil)
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.calls, c)
	}, nil
}

// wait returns the session once it is known.
func (o *offer) wait(ctx context.Context) (session string, err error) {
	select {
	case <-o.bound:
		return o.session, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// serve speaks MCP until the connection ends. r reads from conn.
func (o *offer) serve(conn net.Conn, r io.Reader) error {
	transport := &gated{mcp.IOTransport{Reader: struct {
		io.Reader
		io.Closer
	}{r, conn}, Writer: conn}}
	session, err := o.tools().Connect(context.Background(), transport, nil)
	if err != nil {
		return err
	}
	err = session.Wait()
	if errors.Is(err, net.ErrClosed) { // by Close
		return nil
	}
	return err
}
