package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/acpclient/transport"
)

// Reasons why a message did not reach the agent.
var (
	errAgentStalled = errors.New("the agent does not read")
	errEnded        = errors.New("the connection has ended")
)

// input is the queue of messages for the agent. A goroutine writes while the queue is not
// empty, so that an agent that does not read never blocks the reader of a client.
type input struct {
	limit   int64 // most bytes that may wait
	account *account

	mu      sync.Mutex
	waiting [][]byte
	size    int64
	writing bool          // a goroutine is writing
	changed chan struct{} // closed when there is more room; nil while nobody waits for that
}

// add queues a message, which belongs to the input from then on. If there is no room, it
// returns a channel that is closed when there may be some.
func (in *input) add(msg []byte, write func()) (wait <-chan struct{}) {
	cost := int64(len(msg)) + overhead
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.size > 0 && (in.size+cost > in.limit || !in.account.fits(in.size, cost)) {
		if in.changed == nil {
			in.changed = make(chan struct{})
		}
		return in.changed
	}
	in.size += cost
	in.account.add(cost)
	in.waiting = append(in.waiting, msg)
	if !in.writing {
		in.writing = true
		go write()
	}
	return nil
}

// take returns the queued messages; if there are none it returns nil, and the writer must
// end.
func (in *input) take() [][]byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	all := in.waiting
	in.waiting = nil
	in.writing = len(all) > 0
	return all
}

// written records that a message of n bytes has reached the agent.
func (in *input) written(n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.size -= int64(n) + overhead
	in.account.add(-int64(n) - overhead)
	if in.changed != nil {
		close(in.changed)
		in.changed = nil
	}
}

// forward queues a message for the agent. While the queue is full it blocks, at most until
// the stall limit, the end of ctx, or the end of the connection.
func (c *connection) forward(ctx context.Context, msg []byte) error {
	wait := c.input.add(msg, c.feed)
	if wait == nil {
		return nil
	}
	patience := time.NewTimer(c.server.limits.Stall)
	defer patience.Stop()
	for {
		select {
		case <-wait:
		case <-patience.C:
			return errAgentStalled
		case <-c.ended:
			return errEnded
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if wait = c.input.add(msg, c.feed); wait == nil {
			return nil
		}
	}
}

// feed writes to the agent until the queue is empty.
func (c *connection) feed() {
	for {
		all := c.input.take()
		if all == nil {
			return
		}
		for i, msg := range all {
			if c.agent.Send(transport.Message{Data: msg}) != nil {
				return // the agent is ending; the goroutine that receives from it notices
			}
			all[i] = nil
			c.input.written(len(msg))
		}
	}
}
