package transport

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// plainHTTP1 remembers the hosts that do not speak HTTP/2 without TLS, for the life of the process.
var plainHTTP1 sync.Map

const (
	idleTimeout = 4 * time.Second  // of connections in the pool: many servers close theirs after five, maybe in the face of a POST
	idleConns   = 16               // in the pool: with HTTP/1.1 every stream and POST has its own
	pingAfter   = 30 * time.Second // of silence on a connection of HTTP/2
	pingTimeout = 15 * time.Second

	readBuffer     = 64 << 10
	maxHeaderBytes = 1 << 20
)

// road is one way to talk HTTP with the server.
type road struct {
	client *http.Client
	probes *probes // where it is not known whether the server speaks HTTP/2, and there is another road
}

// roads are the ways to try for the first POST, in that order (PROTOCOL 5.5).
func (h *HTTP) roads() []road {
	var one, two, tls http.Protocols
	one.SetHTTP1(true)
	two.SetUnencryptedHTTP2(true)
	tls.SetHTTP1(true)
	tls.SetHTTP2(true)
	switch {
	case h.r.url.Scheme == "https":
		return []road{{client: h.newClient(tls, h.lines.dial)}}
	case h.r.H2C == "off":
		return []road{{client: h.newClient(one, h.lines.dial)}}
	case h.r.H2C == "on":
		return []road{{client: h.newClient(two, h.lines.dial)}}
	}
	if _, known := plainHTTP1.Load(h.r.url.Host); known || h.proxied() {
		return []road{{client: h.newClient(one, h.lines.dial)}}
	}
	p := &probes{dial: h.lines.dial, patience: h.timing.preface}
	return []road{{h.newClient(two, p.open), p}, {client: h.newClient(one, h.lines.dial)}}
}

// shut tells, of an error of a POST on this road, that the server does not speak HTTP/2: nothing was understood then,
// and the POST may be made again on the next one.
func (r road) shut(err error) bool { return r.probes != nil && !r.probes.met.Load() && !undialled(err) }

func (h *HTTP) newClient(p http.Protocols, dial dialFunc) *http.Client {
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		Protocols:              &p,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		ForceAttemptHTTP2:      p.HTTP2(),
		TLSHandshakeTimeout:    dialTimeout,
		MaxIdleConns:           idleConns,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ReadBufferSize:         readBuffer,
		DisableCompression:     true,
	}
	if h.r.TLS != nil {
		t.TLSClientConfig = h.r.TLS.Clone()
	}
	return &http.Client{Transport: t, Jar: h.r.Jar, CheckRedirect: sameOrigin}
}

func (h *HTTP) proxied() bool {
	u, err := http.ProxyFromEnvironment(&http.Request{URL: h.r.url})
	return u != nil || err != nil
}

// probes dials for HTTP/2 without TLS where it is not known whether the server speaks that.
type probes struct {
	dial     dialFunc
	patience time.Duration
	met      atomic.Bool // it does
}

func (p *probes) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn.SetReadDeadline(time.Now().Add(p.patience))
	return &probe{Conn: conn, of: p}, nil
}

// probe is a connection on which the server has to begin with a SETTINGS frame, as HTTP/2 wants it, and soon: one that
// waits for more of what it takes for HTTP/1.1 would be waited for in turn.
type probe struct {
	net.Conn
	of   *probes
	seen int // bytes of the head of the first frame; the goroutine that reads
}

// settingsFrame is the type of the frame, the fourth byte of its head.
const settingsFrame = 4

// NetConn is the connection below.
func (p *probe) NetConn() net.Conn { return p.Conn }

func (p *probe) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if p.seen < 4 && p.seen+n >= 4 && b[3-p.seen] == settingsFrame {
		p.of.met.Store(true)
		p.Conn.SetReadDeadline(time.Time{})
	}
	p.seen = min(p.seen+n, 4)
	return n, err
}
