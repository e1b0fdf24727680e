package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/acpclient/transport"
)

// Why a message did not get to the agent.
var (
	errAgentStalled = errors.New("the agent does not read")
	errEnded        = errors.New("the connection has ended")
)

// input is what waits for the agent to read it. A goroutine writes while
// something waits, so that an agent that does not read holds up nobody who reads
// from a client.
type input struct {
	limit   int64 // most bytes that may wait
	account *account

	mu      sync.Mutex
	waiting [][]byte
	size    int64
	writing bool          // a goroutine is at it
	changed chan struct{} // closed when there is more room; nil while nobody waits for that
}

// add queues a message, which belongs to the input from here on. Where there is
// no room it returns a channel that is closed when there may be some.
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

// take returns what waits; nil, and the writer has to end, if nothing does.
func (in *input) take() [][]byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	all := in.waiting
	in.waiting = nil
	in.writing = len(all) > 0
	return all
}

// written says that a message of n bytes is with the agent.
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

// forward queues a message for the agent. While too much waits already it blocks,
// but not for longer than a client may stall, nor than ctx and the connection
// live.
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

// feed writes to the agent until nothing waits any more.
func (c *connection) feed() {
	for {
		all := c.input.take()
		if all == nil {
			return
		}
		for i, msg := range all {
			if c.agent.Send(transport.Message{Data: msg}) != nil {
				return // the agent is ending, and whoever receives from it notices
			}
			all[i] = nil
			c.input.written(len(msg))
		}
	}
}
