// Package router is `parley acp`: an ACP agent that is made of the live parleys of this user. It answers
// initialize itself, merges their lists of sessions, and passes everything about a session on to the parley
// that has it, in the order in which it came. Each side has ids of its own, so several parleys can ask the
// client at the same time. What a client may do is decided by the parleys; they learn its role from Options,
// never from the client.
package router

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/envelope"
	"parley/internal/hello"
	"parley/internal/safetext"
)

// Parley is a live one.
type Parley struct {
	Name   string
	Socket string // "" as long as it cannot be joined
}

// Options configure Serve.
type Options struct {
	Version string // of this parley
	Client  string // the name of the client; "" is what it calls itself
	Role    hello.Role

	// List returns the live parleys, the one to prefer first, if several have the same session.
	List func() ([]Parley, error)
	// Start starts a parley in a directory, for session/new, and returns its name. If it is nil, List returns
	// one parley, which opens new sessions itself, and when it has ended, so has Serve.
	Start func(ctx context.Context, cwd string) (name string, err error)
	Dial  func(ctx context.Context, socket string) (net.Conn, error)
}

// maxUnread bounds what waits for a client, or a parley, that does not read. It is dropped if there is more.
const maxUnread = 16 << 20

// maxWaiting bounds what waits while parleys are asked for a session. More is refused, but for cancels, which are small.
const (
	maxWaiting = 48 << 20
	maxCancel  = 1 << 10
)

// Serve serves one client until it leaves or ctx ends. It closes the connection.
func Serve(ctx context.Context, client transport.Conn, opts Options) error {
	r := &router{opts: opts, parleys: map[string]*parley{}, owners: map[string]*parley{}, waiting: map[string][]message{}}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	r.client = jsonrpc.NewPeer(client, fromClient{r}, jsonrpc.Options{MaxQueued: maxUnread})
	r.client.Start()
	var err error
	select {
	case <-r.client.Done():
	case <-r.ctx.Done():
		err = context.Cause(r.ctx)
	}
	r.client.Close(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parleys = nil // their connections end with r.ctx
	return err
}

type router struct {
	opts   Options
	client *jsonrpc.Peer
	ctx    context.Context // ends with the client
	stop   context.CancelCauseFunc

	mu         sync.Mutex
	initialize json.RawMessage      // params of the client's request; nil before it
	version    int                  // of the protocol
	name       string               // of the client
	parleys    map[string]*parley   // by name; nil when the client has left
	owners     map[string]*parley   // by the id of a session
	waiting    map[string][]message // of sessions whose parley is being looked for
	held       int                  // bytes of waiting
}

// message is a request or a cancel about a session.
type message struct {
	cancel bool
	size   int
	send   func(*parley)               // nil if none has the session
	answer func(result any, err error) // nil for a cancel
}

// forward passes a request on, and its answer back, and withdraws it if its sender does, or is a parley that has ended. seen may be nil.
func (r *router) forward(ctx context.Context, to *jsonrpc.Peer, method string, params json.RawMessage, answer func(any, error), seen func(json.RawMessage) any) {
	var withdrawn func() bool
	call := to.Reserve(method, func(result json.RawMessage, err error) {
		withdrawn()
		if err != nil {
			answer(nil, err)
			return
		}
		if seen != nil {
			answer(seen(result), nil)
			return
		}
		answer(result, nil)
	})
	withdrawn = context.AfterFunc(ctx, func() {
		if r.client.Err() == nil { // else the client has left: what it began continues
			to.Notify("$/cancel_request", map[string]int64{"requestId": call.ID})
		}
	})
	call.Queue(params)
}

// fromClient handles what the client sends.
type fromClient struct{ *router }

// Notification implements jsonrpc.Handler.
func (r fromClient) Notification(method string, params []byte) {
	params = bytes.Clone(params)
	r.about(envelope.Session(params), message{cancel: true, size: len(params), send: func(p *parley) {
		if p != nil {
			p.peer.Notify(method, json.RawMessage(params))
		}
	}})
}

// about sends a message to the parley that has a session, after those that came before. If nothing was asked about
// the session before, the parleys are asked for it first; a cancel then has no meaning.
func (r *router) about(session string, m message) {
	r.mu.Lock()
	p, known := r.owners[session]
	waits, looking := r.waiting[session]
	switch {
	case !looking && (known || m.cancel):
		r.mu.Unlock()
		m.send(p)
		return
	case m.cancel && len(waits) > 0 && waits[len(waits)-1].cancel: // the same once more
	case r.held+m.size > maxWaiting && (!m.cancel || m.size > maxCancel):
		r.mu.Unlock()
		if m.answer != nil {
			m.answer(nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "Too much waits for an answer of parley"))
		}
		return
	default:
		r.held += m.size
		r.waiting[session] = append(waits, m)
	}
	r.mu.Unlock()
	if looking {
		return
	}
	go func() {
		r.refresh(r.ctx)
		for {
			r.mu.Lock()
			todo, p := r.waiting[session], r.owners[session]
			if r.waiting[session] = nil; len(todo) == 0 {
				delete(r.waiting, session)
			}
			for _, m := range todo {
				r.held -= m.size
			}
			r.mu.Unlock()
			if len(todo) == 0 {
				return
			}
			for _, m := range todo {
				m.send(p)
			}
		}
	}()
}

// Request implements jsonrpc.Handler.
func (r fromClient) Request(req jsonrpc.Request) jsonrpc.Work {
	if req.Method == "initialize" {
		_, answer := req.Later()
		answer(r.initialized(req.Params))
		return jsonrpc.Deferred
	}
	if r.params() == nil {
		return func(context.Context) (any, error) {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Not initialized")
		}
	}
	switch {
	case req.Method == "session/list":
		return func(ctx context.Context) (any, error) { return r.list(ctx, req.Params) }
	case req.Method == "session/new":
		ctx, answer := req.Later()
		go func() {
			if err := r.open(ctx, req.Params, answer); err != nil {
				answer(nil, err)
			}
		}()
		return jsonrpc.Deferred
	case req.Session == "":
		return nil
	}
	ctx, answer := req.Later()
	r.about(req.Session, message{size: len(req.Params), answer: answer, send: func(p *parley) {
		if p != nil {
			r.forward(ctx, p.peer, req.Method, req.Params, answer, nil)
			return
		}
		answer(nil, jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "No such session: %s", safetext.Line(req.Session, 100)).WithData(map[string]string{"sessionId": req.Session}))
	}})
	return jsonrpc.Deferred
}

func (r *router) params() json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.initialize
}

type object map[string]any

// initialized answers initialize. The parleys get the same params.
func (r *router) initialized(params json.RawMessage) (any, error) {
	type info struct{ Name, Title string }
	var p struct {
		ProtocolVersion  int
		ClientInfo, Info info
	}
	if json.Unmarshal(params, &p) != nil || p.ProtocolVersion < 1 {
		return nil, jsonrpc.Errorf(jsonrpc.CodeUnsupportedVersion, "Unsupported protocol version").WithData(object{"supported": []int{1, 2}})
	}
	version := min(p.ProtocolVersion, 2)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.initialize != nil && version != r.version {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Initialized with version %d already", r.version)
	}
	r.initialize, r.version = params, version
	for _, name := range []string{"editor", p.ClientInfo.Name, p.ClientInfo.Title, p.Info.Name, p.Info.Title, r.opts.Client} {
		if name != "" {
			r.name = name
		}
	}
	return hello.Initialized(version, r.opts.Version, true), nil
}

// list answers session/list, in one page.
func (r *router) list(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Cwd    string
		Cursor *string
	}
	if len(params) > 0 && json.Unmarshal(params, &p) != nil || p.Cursor != nil {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The list has one page")
	}
	listed := []json.RawMessage{}
	for _, s := range r.refresh(ctx) {
		if p.Cwd == "" || filepath.Clean(p.Cwd) == filepath.Clean(s.cwd) {
			listed = append(listed, s.raw)
		}
	}
	return object{"sessions": listed}, ctx.Err()
}

// entry is a session in a list.
type entry struct {
	id, cwd string
	raw     json.RawMessage
}

// refresh asks all live parleys for their sessions, and so finds out which have which. One that does not
// answer has none.
func (r *router) refresh(ctx context.Context) []entry {
	live, _ := r.opts.List()
	lists := make([][]entry, len(live))
	owners := make([]*parley, len(live))
	var done sync.WaitGroup
	for i, l := range live {
		done.Go(func() {
			if p, err := r.join(ctx, l); err == nil {
				owners[i] = p
				lists[i], _ = p.sessions(ctx)
			}
		})
	}
	done.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.owners
	r.owners = map[string]*parley{}
	for _, mayMove := range []bool{false, true} { // a session of several stays with the one that it was with
		for i, p := range owners {
			for _, e := range lists[i] {
				if r.owners[e.id] == nil && r.parleys[p.name] == p && (mayMove || known[e.id] == p) {
					r.owners[e.id] = p
				}
			}
		}
	}
	var all []entry
	for i, p := range owners {
		for _, e := range lists[i] {
			if r.owners[e.id] == p {
				all = append(all, e)
			}
		}
	}
	return all
}

// open answers session/new. A parley that is started opens a session itself, which is the answer.
func (r *router) open(ctx context.Context, params json.RawMessage, answer func(any, error)) error {
	if !r.opts.Role.Talks() {
		return jsonrpc.Errorf(jsonrpc.CodeInternalError, "Not allowed: this client may only watch")
	}
	if r.opts.Start == nil {
		live, err := r.opts.List()
		if err == nil && len(live) == 0 {
			err = errors.New("the parley has ended")
		}
		if err != nil {
			return err
		}
		p, err := r.join(ctx, live[0])
		if err != nil {
			return err
		}
		r.forward(ctx, p.peer, "session/new", params, answer, func(result json.RawMessage) any {
			r.owns(p, envelope.Session(result))
			return result
		})
		return nil
	}
	var q struct{ Cwd string }
	if json.Unmarshal(params, &q) != nil || !filepath.IsAbs(q.Cwd) {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "cwd must be an absolute path")
	}
	ctx, stop := context.WithTimeout(ctx, startPatience)
	defer stop()
	name, err := r.opts.Start(ctx, filepath.Clean(q.Cwd))
	if err != nil {
		return fmt.Errorf("cannot start parley: %w", err)
	}
	p, first, err := r.first(ctx, name)
	if err != nil {
		return fmt.Errorf("parley was started as %s, but %w; see it with parley attach %[1]s", name, err)
	}
	r.owns(p, first)
	resume, _ := json.Marshal(object{"sessionId": first, "cwd": q.Cwd, "mcpServers": []any{}})
	r.forward(r.ctx, p.peer, "session/resume", resume, answer, func(result json.RawMessage) any {
		opened := map[string]json.RawMessage{}
		json.Unmarshal(result, &opened)
		opened["sessionId"], _ = json.Marshal(first)
		return opened
	})
	return nil
}

const (
	// startPatience is how long a new parley may take until its session is open: an agent may have to be
	// fetched first.
	startPatience = 5 * time.Minute
	// startPoll is how often it is asked.
	startPoll = 100 * time.Millisecond
)

// first waits for the first session of a parley.
func (r *router) first(ctx context.Context, name string) (*parley, string, error) {
	for {
		live, err := r.opts.List()
		if err != nil {
			return nil, "", err
		}
		i := slices.IndexFunc(live, func(l Parley) bool { return l.Name == name })
		if i < 0 {
			return nil, "", errors.New("it has ended")
		}
		if live[i].Socket != "" {
			p, err := r.join(ctx, live[i])
			if err != nil {
				return nil, "", err
			}
			if all, err := p.sessions(ctx); err != nil {
				return nil, "", err
			} else if len(all) > 0 {
				return p, all[0].id, nil
			}
		}
		select {
		case <-time.After(startPoll):
		case <-ctx.Done():
			return nil, "", errors.New("its session did not open in time")
		}
	}
}

func (r *router) owns(p *parley, session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parleys[p.name] == p {
		r.owners[session] = p
	}
}
