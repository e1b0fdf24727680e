package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"parley/internal/outflow"
)

const (
	maxRefusal        = 8 << 10         // bytes kept of the body of a refused upgrade
	refusalPatience   = 3 * time.Second // time to read that body
	maxAnswerHeader   = 256 << 10       // bytes of the response header of an upgrade
	handshakePatience = 15 * time.Second
	maxRedirects      = 3
)

// dialWebSocket makes the connection (PROTOCOL 5.1, 5.2, 5.7). ctx bounds the dialling
// only. A refused upgrade is a *StatusError. No error contains the query, the user or a
// header.
func dialWebSocket(ctx context.Context, r *remote) (*WebSocket, error) {
	var network net.Dialer
	return upgradeWebSocket(ctx, r, network.DialContext, defaultWSTimeouts)
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func upgradeWebSocket(ctx context.Context, r *remote, dial dialFunc, times wsTimeouts) (*WebSocket, error) {
	up := &wsUpgrade{ctx: ctx, dial: dial, stall: times.stall}
	up.base = up.transport(r.TLS)
	ws, resp, err := websocket.Dial(ctx, r.url.String(), &websocket.DialOptions{
		HTTPClient:   &http.Client{Transport: up, Jar: r.Jar, CheckRedirect: redirected},
		HTTPHeader:   upgradeHeader(r.Header, r.MaxMessage),
		Subprotocols: r.Subprotocols,
	})
	switch {
	case err == nil:
		return newWebSocket(ws, up.line, r, resp.Header.Get("Acp-Connection-Id"), times), nil
	case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols: // Dial tries HTTP after a 400, which may be that of a server with TLS
		op := "connect to " + r.DisplayURL()
		if resp.StatusCode/100 == 3 {
			op += " (only a redirect to the same place is followed)"
		}
		err = &StatusError{Op: op, Status: resp.StatusCode, Body: up.refusal}
	case ctx.Err() != nil:
		err = newDialError(r, ctx.Err())
	default:
		err = newDialError(r, r.explainTLS(ctx, dial, err))
	}
	up.abandon()
	return nil, err
}

// LinesHeader is parley's own header of an upgrade. The client announces with it that it
// accepts text messages with several messages, one on each line, up to that many bytes in
// total. A server that does not know it sends each message alone (PROTOCOL 5.7).
const LinesHeader = "Parley-Lines"

// severalBytes is the limit that the client announces; a larger one is not faster.
const severalBytes = 64 << 10

// upgradeHeader returns the user's header without the fields of the handshake, plus
// LinesHeader.
func upgradeHeader(user http.Header, limit int) http.Header {
	h := user.Clone()
	if h == nil {
		h = http.Header{}
	}
	for name := range h {
		if strings.HasPrefix(http.CanonicalHeaderKey(name), "Sec-Websocket-") {
			delete(h, name)
		}
	}
	h.Set(LinesHeader, strconv.Itoa(min(limit, severalBytes)))
	return h
}

// wsUpgrade sends the request of one upgrade and keeps what the library does not return.
type wsUpgrade struct {
	ctx   context.Context
	dial  dialFunc
	stall time.Duration
	base  *http.Transport

	line    *wsLine // set if the upgrade succeeds
	refusal string  // the beginning of the body if it is refused

	mu     sync.Mutex
	closed bool       // no connection may be opened any longer
	opened []net.Conn // the last one carries the latest request
}

// transport makes a new connection for each request, so that the last one opened is the one
// in use. For an upgrade, net/http offers only HTTP/1.1 over TLS, whatever the
// configuration says.
func (u *wsUpgrade) transport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            u.open,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    handshakePatience,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHeader,
	}
}

// open dials with the context of the upgrade: net/http would continue a dial after its
// request is cancelled.
func (u *wsUpgrade) open(_ context.Context, network, address string) (net.Conn, error) {
	conn, err := u.dial(u.ctx, network, address)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		conn.Close()
		return nil, net.ErrClosed
	}
	outflow.Bound(conn)
	u.opened = append(u.opened, conn)
	return conn, nil
}

// abandon cancels the dials and closes the connections of an upgrade that failed.
func (u *wsUpgrade) abandon() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for _, conn := range u.opened {
		conn.Close()
	}
}

// RoundTrip implements http.RoundTripper. It keeps the connection of a successful upgrade,
// and the body of a refused one.
func (u *wsUpgrade) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := u.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		if conn, ok := resp.Body.(io.ReadWriteCloser); ok {
			u.mu.Lock()
			u.line = newWSLine(conn, u.opened[len(u.opened)-1], u.stall)
			u.mu.Unlock()
			resp.Body = u.line
		}
		return resp, nil
	}
	u.refusal = beginningOf(resp.Body)
	resp.Body = http.NoBody
	if to, err := req.URL.Parse(resp.Header.Get("Location")); err != nil || to.User != nil || origin(to) != origin(req.URL) {
		resp.Header.Del("Location") // so that http.Client does not follow it: credentials are for this server only
	}
	return resp, nil
}

func beginningOf(body io.ReadCloser) string {
	limit := time.AfterFunc(refusalPatience, func() { body.Close() })
	defer limit.Stop()
	defer body.Close()
	text, _ := io.ReadAll(io.LimitReader(body, maxRefusal))
	return string(text)
}

// redirected is the CheckRedirect of http.Client for redirects within the origin; RoundTrip
// hides the others.
func redirected(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	req.Header.Del("Referer") // it contains the query
	return nil
}

// origin is what must be equal for credentials to be sent: scheme, host and port.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	switch scheme {
	case "ws":
		scheme = "http"
	case "wss":
		scheme = "https"
	}
	switch {
	case port == "" && scheme == "http":
		port = "80"
	case port == "" && scheme == "https":
		port = "443"
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// dialError is why there is no connection, in a text that is safe to show.
type dialError struct {
	text  string
	cause error
}

func (e *dialError) Error() string { return e.text }
func (e *dialError) Unwrap() error { return e.cause }

func newDialError(r *remote, cause error) error {
	if whole := new(url.Error); errors.As(cause, &whole) {
		cause = whole.Err // without the URL
	}
	text := plainText(cause)
	switch {
	case errors.Is(cause, io.EOF), errors.Is(cause, io.ErrUnexpectedEOF):
		text = "the server closed the connection"
	case strings.Contains(text, "malformed "): // it quotes the response, which may repeat what was sent
		text, cause = "what answers there does not speak HTTP", nil
	}
	if query := r.url.RawQuery; query != "" {
		text = strings.ReplaceAll(text, query, "…")
	}
	return &dialError{text: "connect to " + r.DisplayURL() + ": " + text, cause: cause}
}
