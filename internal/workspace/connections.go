package workspace

import (
	"context"
	"errors"
	"sync"

	"parley/acpclient/event"
)

// errEnding is the error of a start after the workspace was closed.
var errEnding = errors.New("parley is quitting")

// connections tracks every started agent, so that none outlives the workspace. It is safe
// for concurrent use: agents start and end in tasks that may be left running.
type connections struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	ended    bool
	live     map[*Connection]*sync.Once
	underway sync.WaitGroup // running starts and ends
}

func newConnections() *connections {
	c := &connections{live: map[*Connection]*sync.Once{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

type dialFunc func(context.Context, Spec, event.Sink, *event.Log) (*Connection, error)

// start runs dial and tracks the connection that it returns.
func (c *connections) start(ctx context.Context, s Spec, dial dialFunc, sink event.Sink, log *event.Log) (*Connection, error) {
	if !c.enter() {
		return nil, errEnding
	}
	defer c.underway.Done()
	conn, err := dial(ctx, s, sink, log)
	if conn != nil {
		c.mu.Lock()
		c.live[conn] = &sync.Once{}
		c.mu.Unlock()
	}
	return conn, err
}

// enter registers a running start or end; false once the workspace has been closed.
func (c *connections) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.underway.Add(1)
	return true
}

// end closes a connection and waits for it. A nil connection is ignored.
func (c *connections) end(conn *Connection) {
	c.mu.Lock()
	once := c.live[conn]
	c.mu.Unlock()
	if once == nil {
		return
	}
	once.Do(func() { // a second caller waits for the first
		conn.sideSessions.drop(conn.Client, nil)
		conn.Close()
	})
	c.mu.Lock()
	delete(c.live, conn)
	c.mu.Unlock()
}

// endAll cancels starts, closes all connections concurrently and waits for them.
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
