package faults

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"parley/internal/must"
)

// proxy is a faulty connection between one client and the server.
type proxy struct {
	ln      net.Listener
	target  string
	weather weather
	seed    uint64
	work    sync.WaitGroup

	mu     sync.Mutex
	pairs  map[*pair]bool
	number uint64 // number of connections so far
	cuts   int
	down   time.Time // until then every connection is cut at once
	closed bool
}

// pair is a connection to the client and the matching one to the server.
type pair struct {
	client, server *net.TCPConn
	once           sync.Once
	done           chan struct{} // closed when the pair was cut or has ended
}

// lingering is how long a connection cut in one direction continues in the other.
const lingering = 50 * time.Millisecond

func newProxy(t *testing.T, target string, w weather, seed uint64) *proxy {
	t.Helper()
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	p := &proxy{ln: ln, target: target, weather: w, seed: seed, pairs: map[*pair]bool{}}
	p.work.Go(p.accept)
	return p
}

func (p *proxy) addr() string { return p.ln.Addr().String() }

func (p *proxy) accept() {
	for {
		conn, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.carry(conn.(*net.TCPConn)) })
	}
}

// carry serves one connection.
func (p *proxy) carry(client *net.TCPConn) {
	conn, err := net.Dial("tcp", p.target)
	if err != nil {
		client.Close()
		return
	}
	c := &pair{client: client, server: conn.(*net.TCPConn), done: make(chan struct{})}
	p.mu.Lock()
	p.number++
	number := p.number
	p.pairs[c] = true
	down := p.closed || time.Now().Before(p.down)
	p.mu.Unlock()
	if down {
		c.end(reset)
	}
	var both sync.WaitGroup
	both.Go(func() { p.pump(c, c.client, c.server, p.weather.course(rand.New(rand.NewPCG(p.seed, 2*number)))) })
	both.Go(func() { p.pump(c, c.server, c.client, p.weather.course(rand.New(rand.NewPCG(p.seed, 2*number+1)))) })
	both.Wait()
	c.end(finish)
	p.mu.Lock()
	delete(p.pairs, c)
	p.mu.Unlock()
}

// end ends both connections.
func (c *pair) end(how ending) {
	c.once.Do(func() {
		for _, conn := range []*net.TCPConn{c.client, c.server} {
			if how == reset {
				conn.SetLinger(0)
			}
			conn.Close()
		}
		close(c.done)
	})
}

// pump copies one direction to its end.
func (p *proxy) pump(c *pair, from, to *net.TCPConn, k *course) {
	buf := make([]byte, 32<<10)
	for {
		n, err := k.read(from, buf)
		pass, over := k.cutIn(buf[:n])
		if !k.write(c, to, buf[:pass]) {
			c.end(finish)
			return
		}
		switch {
		case over && k.how == half:
			p.count()
			to.CloseWrite()
			c.linger()
			return
		case over:
			p.count()
			c.end(k.how)
			return
		case err != nil:
			to.CloseWrite()
			return
		}
	}
}

func (p *proxy) count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts++
}

// linger leaves the other direction some time.
func (c *pair) linger() {
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-timer.C:
		c.end(reset)
	case <-c.done:
	}
}

// read reads the available data. If writes are joined it waits for more.
func (k *course) read(from *net.TCPConn, buf []byte) (int, error) {
	n, err := from.Read(buf)
	for k.gather && err == nil && n < len(buf) {
		from.SetReadDeadline(time.Now().Add(k.pause / 2))
		var more int
		more, err = from.Read(buf[n:])
		n += more
		from.SetReadDeadline(time.Time{})
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return n, nil
		}
	}
	return n, err
}

// write passes bytes on, in pieces and with pauses.
func (k *course) write(c *pair, to *net.TCPConn, p []byte) bool {
	for len(p) > 0 {
		if d := k.wait(); d > 0 {
			select {
			case <-time.After(d):
			case <-c.done:
				return false
			}
		}
		n := k.piece(len(p))
		if _, err := to.Write(p[:n]); err != nil {
			return false
		}
		p = p[n:]
	}
	return true
}

// unplug cuts all connections.
func (p *proxy) unplug(how ending) {
	p.mu.Lock()
	p.cuts++
	var all []*pair
	for c := range p.pairs {
		all = append(all, c)
	}
	p.mu.Unlock()
	for _, c := range all {
		c.end(how)
	}
}

// longOutage is longer than a client tries to restore a required stream.
const longOutage = 500 * time.Millisecond

// outage cuts all connections, and for some time every new one.
func (p *proxy) outage(how ending) {
	p.mu.Lock()
	p.down = time.Now().Add(longOutage)
	p.mu.Unlock()
	p.unplug(how)
}

// open returns the number of connections.
func (p *proxy) open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pairs)
}

func (p *proxy) close() {
	p.ln.Close()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.unplug(reset)
	p.work.Wait()
}
