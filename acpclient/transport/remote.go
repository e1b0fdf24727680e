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

// defaultPath is where an agent is expected where the URL names no path.
const defaultPath = "/acp"

// Remote says where an agent is and how to get to it (PROTOCOL 5).
type Remote struct {
	// URL is http, https, ws or wss. Its user and password become basic
	// authorization; without a path it means /acp.
	URL string
	// Header is sent with everything: POST, GET, DELETE and the upgrade. Headers
	// of the transport win over it.
	Header http.Header
	// Jar keeps cookies, for HTTP and WebSocket alike; hand the same one to every
	// connection with an agent. nil: one that ends with the connection.
	Jar http.CookieJar
	TLS *tls.Config // nil: the system's roots

	Subprotocols []string // of WebSocket
	H2C          string   // HTTP/2 without TLS: auto, on or off; "" is auto
	MaxMessage   int      // longest message in bytes, both ways; 0: DefaultMaxMessage

	// Log is told, from any goroutine, what is worth knowing and no error: another
	// transport taken, a stream opened again. It must not block. nil: nobody.
	Log func(string)
}

// Streams is what a Conn implements that keeps a stream for each session. Both
// methods return at once.
type Streams interface {
	// OpenSession comes when a session is known, before anything is sent for it:
	// what arrives for it from here on is wanted.
	OpenSession(id string)
	CloseSession(id string)
}

// Versioned is what a Conn implements that tells the other side the version of
// the protocol, once it is agreed upon.
type Versioned interface{ SetVersion(version int) }

// Errors of remote connections. Their texts hold neither credentials nor the
// query of the URL.
var (
	// ErrGone means that the other side does not know the connection any more: it
	// may have been started anew.
	ErrGone = errors.New("transport: the server does not know this connection any more")
	// ErrSilent means that nothing came for so long that the other side must be
	// gone.
	ErrSilent = errors.New("transport: the server has fallen silent")
)

// StatusError is an answer that is none of the protocol's: Doing says what was
// tried, Body is the beginning of what came with it, as it came.
type StatusError struct {
	Doing  string
	Status int
	Body   string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: the server answered %d %s", e.Doing, e.Status, http.StatusText(e.Status))
}

// Unauthorized tells whether credentials are missing or wrong.
func (e *StatusError) Unauthorized() bool { return e.Status == 401 || e.Status == 403 }

// Again tells whether it makes sense to try again by itself.
func (e *StatusError) Again() bool {
	return e.Status == 404 || e.Status == 408 || e.Status == 410 || e.Status == 429 || e.Status >= 500
}

// CloseError is the end of a WebSocket with a code (RFC 6455, 7.4). Reason is as
// the peer gave it.
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

// Again tells whether it makes sense to try again by itself.
func (e *CloseError) Again() bool { return e.Code != 1002 && e.Code != 1003 && e.Code != 1007 }

// remote is a Remote made ready.
type remote struct {
	Remote
	url *url.URL // without user, with a path; the scheme is http or https
}

// prepare checks r and fills in what it leaves open.
func (r Remote) prepare() (*remote, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, errors.New("the URL of the agent cannot be read") // the reason would repeat it, with what is secret in it
	}
	out := &remote{Remote: r, url: u}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	case "http", "https":
	default:
		return nil, fmt.Errorf("%q is no scheme of an agent's URL: want http, https, ws or wss", u.Scheme)
	}
	if u.Host == "" {
		return nil, errors.New("the URL of the agent names no host")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = defaultPath
	}
	u.Fragment = ""
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
		out.Jar, _ = cookiejar.New(nil) // without a list of public suffixes it cannot fail
	}
	if out.MaxMessage <= 0 {
		out.MaxMessage = DefaultMaxMessage
	}
	if out.Log == nil {
		out.Log = func(string) {}
	}
	return out, nil
}

// Place is the URL as it may be shown: without user, password and query.
func (r Remote) Place() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "the agent's URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// webSocketFirst tells whether the URL asks for a WebSocket.
func (r Remote) webSocketFirst() bool {
	scheme, _, _ := strings.Cut(strings.ToLower(r.URL), ":")
	return scheme == "ws" || scheme == "wss"
}

// dialPatience bounds the upgrade to a WebSocket.
const dialPatience = 30 * time.Second

// Dial connects to a remote agent: by WebSocket where the URL says so, else by
// Streamable HTTP. Where the server has only the other one at that place, that is
// taken, and the Log told. ctx bounds the dialling only; with HTTP nothing
// travels before the first message.
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
		ready.Log("the server has no WebSocket there: using HTTP")
		return newHTTP(ready), nil
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}
