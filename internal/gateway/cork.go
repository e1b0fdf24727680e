package gateway

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// corkSize is how much is held back while corked.
const corkSize = 32 << 10

// corked is the connection under a WebSocket. While it is corked, small writes
// are held back, so that many messages leave together; and each piece that is
// written has a deadline of its own, so that a client is given up when it takes
// nothing, not when a large message takes long.
type corked struct {
	net.Conn
	stall   time.Duration
	stalled func()       // called when the client takes nothing; finish has to follow
	reads   atomic.Int64 // times that the client sent something

	mu      sync.Mutex // held while writing
	cork    bool
	held    []byte
	renewed time.Time

	last     sync.Mutex // guards what follows
	deadline time.Time  // no write may take longer; zero while there is none
}

// hijacker is a ResponseWriter whose connection becomes a corked one.
type hijacker struct {
	http.ResponseWriter
	conn *corked
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn.Conn = conn
	rw.Writer.Reset(h.conn)
	return h.conn, rw, nil
}

// Read implements net.Conn.
func (c *corked) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.reads.Add(1)
	return n, err
}

// Write implements net.Conn.
func (c *corked) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cork && len(c.held)+len(p) <= corkSize {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.write(p)
}

func (c *corked) write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		c.renew()
		n, err := c.Conn.Write(p[:min(len(p), pieceSize)])
		written += n
		p = p[n:]
		if errors.Is(err, os.ErrDeadlineExceeded) && !c.finishing() {
			c.stalled()
			if c.finishing() { // the rest may go on for that long; not with TLS, which is broken by now
				continue
			}
		}
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// renew gives the client time for the next piece.
func (c *corked) renew() {
	c.last.Lock()
	defer c.last.Unlock()
	if now := time.Now(); c.deadline.IsZero() && now.Sub(c.renewed) > c.stall/4 {
		c.renewed = now
		c.Conn.SetWriteDeadline(now.Add(c.stall))
	}
}

func (c *corked) release() error {
	if len(c.held) == 0 {
		return nil
	}
	_, err := c.write(c.held)
	c.held = c.held[:0]
	return err
}

// hold starts holding writes back.
func (c *corked) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cork = true
}

// flush writes what was held back, and stops holding.
func (c *corked) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cork = false
	err := c.release()
	c.held = nil
	return err
}

// finish bounds all that is still to be written.
func (c *corked) finish(d time.Duration) {
	c.last.Lock()
	defer c.last.Unlock()
	c.deadline = time.Now().Add(d)
	c.Conn.SetWriteDeadline(c.deadline)
}

func (c *corked) finishing() bool {
	c.last.Lock()
	defer c.last.Unlock()
	return !c.deadline.IsZero()
}

// Close implements net.Conn: what is held back still leaves, if nobody is
// writing.
func (c *corked) Close() error {
	c.finish(farewell)
	if c.mu.TryLock() {
		c.release()
		c.mu.Unlock()
	}
	return c.Conn.Close()
}
