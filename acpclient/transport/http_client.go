package transport

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// plainHTTP1 remembers, for the life of the process, the hosts that do not speak HTTP/2
// without TLS.
var plainHTTP1 sync.Map

const (
	idleTimeout = 4 * time.Second  // for pooled connections: many servers close theirs after five seconds, perhaps while a POST is sent
	idleConns   = 16               // in the pool: with HTTP/1.1 every stream and POST needs its own connection
	pingAfter   = 30 * time.Second // time without traffic on an HTTP/2 connection
	pingTimeout = 15 * time.Second

	readBuffer     = 64 << 10
	maxHeaderBytes = 1 << 20
)

// variant is one HTTP version and setup to try.
type variant struct {
	client *http.Client
	probes *probes // set if the server may not speak HTTP/2 and another variant can be tried
}

// variants returns what to try for the first POST, in order (PROTOCOL 5.5).
func (h *HTTP) variants() []variant {
	var one, two, tls http.Protocols
	one.SetHTTP1(true)
	two.SetUnencryptedHTTP2(true)
	tls.SetHTTP1(true)
	tls.SetHTTP2(true)
	switch {
	case h.r.url.Scheme == "https":
		return []variant{{client: h.newClient(tls, h.lines.dial)}}
	case h.r.H2C == "off":
		return []variant{{client: h.newClient(one, h.lines.dial)}}
	case h.r.H2C == "on":
		return []variant{{client: h.newClient(two, h.lines.dial)}}
	}
	if _, known := plainHTTP1.Load(h.r.url.Host); known || h.r.proxied() {
		return []variant{{client: h.newClient(one, h.lines.dial)}}
	}
	p := &probes{dial: h.lines.dial, patience: h.timing.preface}
	return []variant{{h.newClient(two, p.open), p}, {client: h.newClient(one, h.lines.dial)}}
}

// unsupported reports whether the error of a POST shows that the server does not speak HTTP/2. The
// server has processed nothing then, so the POST may be repeated with the next variant.
func (r variant) unsupported(err error) bool {
	return r.probes != nil && !r.probes.met.Load() && !notDialled(err)
}

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

// probes dials for HTTP/2 without TLS when the server may not speak it.
type probes struct {
	dial     dialFunc
	patience time.Duration
	met      atomic.Bool // the server speaks HTTP/2
}

func (p *probes) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn.SetReadDeadline(time.Now().Add(p.patience))
	return &probe{Conn: conn, of: p}, nil
}

// probe is a connection on which the server must soon send a SETTINGS frame, as HTTP/2
// demands. A server that reads the preface as an incomplete HTTP/1.1 request would
// otherwise wait for the rest while the client waits for it.
type probe struct {
	net.Conn
	of   *probes
	seen int // bytes read of the first frame's header; used by the reading goroutine only
}

// settingsFrame is the type of a SETTINGS frame, the fourth byte of its header.
const settingsFrame = 4

// NetConn returns the underlying connection.
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
