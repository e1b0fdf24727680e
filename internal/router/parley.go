package router

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/hello"
	"parley/internal/jsonscan"
)

// parley is a live one that was joined, or is being joined.
type parley struct {
	router *router
	name   string
	peer   *jsonrpc.Peer // nil if err is not
	ready  chan struct{} // closed when peer or err are set
	err    error
}

// joinPatience bounds the time for what a parley answers at once.
const joinPatience = 10 * time.Second

// join returns the connection to a parley.
func (r *router) join(ctx context.Context, l Parley) (*parley, error) {
	if l.Socket == "" {
		return nil, errors.New("it cannot be joined")
	}
	r.mu.Lock()
	if r.parleys == nil {
		r.mu.Unlock()
		return nil, errors.New("the client has left")
	}
	p := r.parleys[l.Name]
	if p == nil {
		p = &parley{router: r, name: l.Name, ready: make(chan struct{})}
		r.parleys[l.Name] = p
		go p.connect(l.Socket)
	}
	r.mu.Unlock()
	select {
	case <-p.ready:
		return p, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// connect connects and initializes, and then waits for the end.
func (p *parley) connect(socket string) {
	peer, err := p.dial(socket)
	p.peer, p.err = peer, err
	close(p.ready)
	if err == nil {
		select {
		case <-peer.Done():
		case <-p.router.ctx.Done():
		}
		peer.Close(nil)
	}
	p.ended()
}

func (p *parley) dial(socket string) (*jsonrpc.Peer, error) {
	r := p.router
	ctx, stop := context.WithTimeout(r.ctx, joinPatience)
	defer stop()
	conn, err := r.opts.Dial(ctx, socket)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	name, params, version := r.name, r.initialize, r.version
	r.mu.Unlock()
	if err := hello.Send(conn, name, r.opts.Role); err != nil {
		conn.Close()
		return nil, err
	}
	peer := jsonrpc.NewPeer(transport.Streams(conn, conn), p, jsonrpc.Options{MaxQueued: maxUnread, Closed: fmt.Errorf("the parley %s has ended", p.name)})
	peer.Start()
	var answer struct{ ProtocolVersion int }
	if err = peer.Call(ctx, "initialize", params, &answer); err == nil && answer.ProtocolVersion != version {
		err = fmt.Errorf("the parley %s speaks version %d of ACP", p.name, answer.ProtocolVersion)
	}
	if err != nil {
		peer.Close(nil)
		return nil, err
	}
	return peer, nil
}

// ended forgets the parley.
func (p *parley) ended() {
	r := p.router
	r.mu.Lock()
	if r.parleys[p.name] == p {
		delete(r.parleys, p.name)
	}
	for id, o := range r.owners {
		if o == p {
			delete(r.owners, id)
		}
	}
	r.mu.Unlock()
	if r.opts.Start == nil {
		r.stop(cmp.Or(p.err, fmt.Errorf("the parley %s has ended", p.name)))
	}
}

// sessions lists the sessions of the parley.
func (p *parley) sessions(ctx context.Context) ([]entry, error) {
	ctx, stop := context.WithTimeout(ctx, joinPatience)
	defer stop()
	var answer struct{ Sessions []json.RawMessage }
	if err := p.peer.Call(ctx, "session/list", struct{}{}, &answer); err != nil {
		return nil, err
	}
	var all []entry
	for _, raw := range answer.Sessions {
		var s struct{ SessionID, Cwd string }
		if json.Unmarshal(raw, &s) == nil && s.SessionID != "" {
			all = append(all, entry{s.SessionID, s.Cwd, raw})
		}
	}
	return all, nil
}

// Notification implements jsonrpc.Handler.
func (p *parley) Notification(method string, params []byte) {
	if method != update || !jsonscan.Valid(params) {
		p.router.client.Notify(method, json.RawMessage(params))
		return
	}
	data := make([]byte, 0, len(updateStart)+len(params)+1) // of a flood, encoding it again would be half of the cost
	p.router.client.Send(append(append(append(data, updateStart...), params...), '}'))
}

const (
	update      = "session/update"
	updateStart = `{"jsonrpc":"2.0","method":"` + update + `","params":`
)

// Request implements jsonrpc.Handler.
func (p *parley) Request(req jsonrpc.Request) jsonrpc.Work {
	ctx, answer := req.Later()
	p.router.forward(ctx, p.router.client, req.Method, req.Params, answer, nil)
	return jsonrpc.Deferred
}
