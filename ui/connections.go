package ui

import (
	"context"
	"errors"
	"sync"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// errEnding is how a start ends that came after the screen had ended.
var errEnding = errors.New("parley is ending")

// connections knows every agent that the screen has begun to start, so that
// none of them outlives it, however the screen ends. Safe for use by several
// goroutines: the starts and ends run in commands that nobody may wait for any
// more.
type connections struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	ended    bool
	live     map[*workspace.Connection]*sync.Once
	underway sync.WaitGroup // starts and ends under way
}

func newConnections() *connections {
	c := &connections{live: map[*workspace.Connection]*sync.Once{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// start runs connect and keeps what it returns.
func (c *connections) start(ctx context.Context, a workspace.Spec, connect func(context.Context, workspace.Spec, event.Sink, *event.Log) (*workspace.Connection, error), sink event.Sink, log *event.Log) (*workspace.Connection, error) {
	if !c.enter() {
		return nil, errEnding
	}
	defer c.underway.Done()
	conn, err := connect(ctx, a, sink, log)
	if conn != nil {
		c.mu.Lock()
		c.live[conn] = &sync.Once{}
		c.mu.Unlock()
	}
	return conn, err
}

// enter notes that something is under way; false when all has ended.
func (c *connections) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.underway.Add(1)
	return true
}

// end closes one connection and waits for it; nil is nothing.
func (c *connections) end(conn *workspace.Connection) {
	c.mu.Lock()
	once := c.live[conn]
	c.mu.Unlock()
	if once == nil {
		return
	}
	once.Do(conn.Close) // whoever comes second waits for the first
	c.mu.Lock()
	delete(c.live, conn)
	c.mu.Unlock()
}

// endAll gives up what is being started, closes what is left, all at once, and
// waits until it is gone.
func (c *connections) endAll() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.cancel()
	c.underway.Wait()
	var wait sync.WaitGroup
	c.mu.Lock()
	for conn := range c.live {
		wait.Go(func() { c.end(conn) })
	}
	c.mu.Unlock()
	wait.Wait()
}
