package transport

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"
)

// DefaultMaxMessage bounds one message of a remote agent, in bytes.
const DefaultMaxMessage = 64 << 20

// defaultPath is the path of an agent whose URL has none.
const defaultPath = "/acp"

// Remote says where an agent is and how to reach it (PROTOCOL 5).
type Remote struct {
	// URL is http, https, ws or wss. Its user and password become basic authorization; the
	// default path is /acp.
	URL string
	// Header is sent with every POST, GET, DELETE and upgrade. Headers of the transport
	// take precedence.
	Header http.Header
	// Jar keeps cookies for HTTP and WebSocket; pass the same one to every connection to an
	// agent. If nil, the connection uses its own.
	Jar http.CookieJar
	TLS *tls.Config // nil: the system's roots

	Subprotocols []string // for a WebSocket
	H2C          string   // HTTP/2 without TLS: auto, on or off; "" is auto
	MaxMessage   int      // longest message in bytes, in both directions; 0: DefaultMaxMessage

	// Log receives notes that are not errors: another transport chosen, a stream opened
	// again. It is called from any goroutine and must not block. It may be nil.
	Log func(string)
}

// Errors of remote connections. Their texts contain neither credentials nor the query of
// the URL.
var (
	// ErrGone means that the server no longer knows the connection: it may have been
	// restarted.
	ErrGone = errors.New("transport: the server no longer knows this connection")
	// ErrSilent means that the server has been silent for so long that it must be gone.
	ErrSilent = errors.New("transport: the server has fallen silent")
)

// StatusError is an HTTP response that is not part of the protocol. Op says what was
// tried; Body is the beginning of the response's body, unchanged.
type StatusError struct {
	Op     string
	Status int
	Body   string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: the server answered %d %s", e.Op, e.Status, http.StatusText(e.Status))
}

// Unauthorized reports whether credentials are missing or wrong.
func (e *StatusError) Unauthorized() bool { return e.Status == 401 || e.Status == 403 }

// Retryable reports whether retrying without the user makes sense.
func (e *StatusError) Retryable() bool {
	return e.Status == 404 || e.Status == 408 || e.Status == 410 || e.Status == 429 || e.Status >= 500
}

// CloseError is the end of a WebSocket with a code (RFC 6455, 7.4). Reason is the peer's
// text, unchanged.
type CloseError struct {
	Code   int
	Reason string
}

func (e *CloseError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("the server closed the connection with code %d", e.Code)
	}
	return fmt.Sprintf("the server closed the connection with code %d: %s", e.Code, e.Reason)
}

// Retryable reports whether retrying without the user makes sense.
func (e *CloseError) Retryable() bool { return e.Code != 1002 && e.Code != 1003 && e.Code != 1007 }

// remote is a Remote with its defaults filled in.
type remote struct {
	Remote
	url *url.URL // without user, with a path; the scheme is http or https
}

// prepare checks r and fills in its defaults.
func (r Remote) prepare() (*remote, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, errors.New("the agent's URL is not valid") // the parse error would repeat the URL and its secrets
	}
	out := &remote{Remote: r, url: u}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	case "http", "https":
	default:
		return nil, fmt.Errorf("the agent's URL has the scheme %q: want http, https, ws or wss", u.Scheme)
	}
	if u.Host == "" {
		return nil, errors.New("the agent's URL has no host")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = defaultPath
	}
	u.Fragment = ""
	if err := out.checkProxy(); err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		out.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
		u.User = nil
	}
	if out.Jar == nil {
		out.Jar, _ = cookiejar.New(nil) // cannot fail without a list of public suffixes
	}
	if out.MaxMessage <= 0 {
		out.MaxMessage = DefaultMaxMessage
	}
	if out.Log == nil {
		out.Log = func(string) {}
	}
	return out, nil
}

// DisplayURL returns the URL as it may be shown: without user, password and query.
func (r Remote) DisplayURL() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "the agent's URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Authorizes reports whether requests carry credentials.
func (r Remote) Authorizes() bool {
	u, err := url.Parse(r.URL)
	return r.Header.Get("Authorization") != "" || err == nil && u.User != nil
}

// webSocketFirst reports whether the URL asks for a WebSocket.
func (r Remote) webSocketFirst() bool {
	scheme, _, _ := strings.Cut(strings.ToLower(r.URL), ":")
	return scheme == "ws" || scheme == "wss"
}

// dialPatience bounds the upgrade to a WebSocket.
const dialPatience = 30 * time.Second

// Dial connects to a remote agent: by WebSocket if the URL says so, otherwise by Streamable
// HTTP. If the server has only the other one at that path, Dial uses that and logs it. ctx
// bounds the dialling only. With HTTP nothing is sent before the first message.
func Dial(ctx context.Context, r Remote) (Conn, error) {
	ready, err := r.prepare()
	if err != nil {
		return nil, err
	}
	if !r.webSocketFirst() {
		return newHTTP(ready), nil
	}
	ctx, stop := context.WithTimeout(ctx, dialPatience)
	defer stop()
	conn, err := dialWebSocket(ctx, ready)
	var status *StatusError
	if errors.As(err, &status) && (status.Status == 400 || status.Status == 404 || status.Status == 405 || status.Status == 426) {
		ready.Log("the server has no WebSocket at this path: using HTTP")
		return newHTTP(ready), nil
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}
