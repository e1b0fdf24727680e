package workspace

import (
	"context"
	"errors"
	"sync"

	"parley/acpclient/event"
)

// errEnding is how a start ends that came after the workspace was closed.
var errEnding = errors.New("parley is quitting")

// connections knows every agent that was started, so that none outlives the
// workspace, however that ends. It is safe for use by several goroutines: starts and
// ends run in tasks that may be left running.
type connections struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	ended    bool
	live     map[*Connection]*sync.Once
	underway sync.WaitGroup // starts and ends under way
}

func newConnections() *connections {
	c := &connections{live: map[*Connection]*sync.Once{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

type dialFunc func(context.Context, Spec, event.Sink, *event.Log) (*Connection, error)

// start runs dial and keeps what it returns.
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

// enter notes that something is under way; false when everything has ended.
func (c *connections) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.underway.Add(1)
	return true
}

// end closes a connection and waits for it; nil is nothing.
func (c *connections) end(conn *Connection) {
	c.mu.Lock()
	once := c.live[conn]
	c.mu.Unlock()
	if once == nil {
		return
	}
	once.Do(conn.Close) // the second caller waits for the first
	c.mu.Lock()
	delete(c.live, conn)
	c.mu.Unlock()
}

// endAll gives up what is being started, closes the rest, all at once, and waits
// until it is gone.
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
