package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// access decides which requests are allowed. A page in a browser must not reach an agent on
// the machine of its reader, neither under its own origin nor through a name that it made
// point here (DNS rebinding). So both Origin and Host must be known, and if clients are identified by
// tokens, every request must carry one.
type access struct {
	identify func(token string) (Client, bool) // nil: no token is required
	inQuery  bool
	origins  map[string]bool
	hosts    map[string]bool
	cookies  bool
	refusals *logLimiter
}

func newAccess(o Options) access {
	a := access{identify: o.Identify, inQuery: o.TokenInQuery,
		origins: map[string]bool{}, hosts: map[string]bool{}, cookies: o.CookieAffinity, refusals: &logLimiter{}}
	for _, origin := range o.AllowOrigins {
		a.origins[strings.ToLower(strings.TrimSuffix(origin, "/"))] = true
	}
	for _, host := range o.AllowHosts {
		a.hosts[strings.ToLower(host)] = true
	}
	return a
}

// Client is the owner of a token. Connections of one client are closed to the others.
type Client struct {
	ID         string // identifies the token
	Name, Role string // for Options.Start
	// Admit, if not nil, is called before each connection of the client; an error refuses it.
	Admit func() error
}

// OneToken returns a value of Options.Identify that knows one token.
func OneToken(token string, c Client) func(string) (Client, bool) {
	want := sha256.Sum256([]byte(token))
	return func(token string) (Client, bool) {
		sum := sha256.Sum256([]byte(token))
		return c, subtle.ConstantTimeCompare(sum[:], want[:]) == 1
	}
}

type clientKey struct{}

// clientOf returns whose request it is.
func clientOf(r *http.Request) Client {
	c, _ := r.Context().Value(clientKey{}).(Client)
	return c
}

// check lets a request pass and returns it with its client, or refuses it and returns nil.
func (a *access) check(s *Server, w http.ResponseWriter, r *http.Request) *http.Request {
	if !a.host(r) {
		a.deny(s, w, r, http.StatusForbidden, "the Host of this request is not a name of this server")
		return nil
	}
	origins := r.Header["Origin"]
	foreign := false
	for _, origin := range origins {
		switch {
		case a.origins[strings.ToLower(origin)]:
			foreign = true
		case !sameSite(origin, r):
			a.deny(s, w, r, http.StatusForbidden, "the Origin of this request is not allowed")
			return nil
		}
	}
	if foreign && len(origins) == 1 {
		a.crossOrigin(w, origins[0])
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			w.Header().Set("Access-Control-Allow-Methods", allowed)
			w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, "+connectionHeader+", "+sessionHeader+", Acp-Protocol-Version")
			w.Header().Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent) // browsers send preflight requests without credentials
			return nil
		}
	}
	if a.identify == nil {
		return r
	}
	for _, token := range a.tokens(r) {
		if c, ok := a.identify(token); ok {
			return r.WithContext(context.WithValue(r.Context(), clientKey{}, c))
		}
	}
	a.unauthorized(s, w, r, "a bearer token is required")
	return nil
}

// crossOrigin tells a browser that a page of an allowed origin may read the response.
func (a *access) crossOrigin(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", connectionHeader)
	h.Add("Vary", "Origin")
	if a.cookies {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// deny refuses a request that may be hostile. It logs at most once a second.
func (a *access) deny(s *Server, w http.ResponseWriter, r *http.Request, status int, why string) {
	if missed, ok := a.refusals.allow(time.Now()); ok {
		s.log.Warn("request refused", "status", status, "reason", why, "remote", r.RemoteAddr, "others", missed)
	}
	s.refuse(w, r, status, why)
}

// unauthorized refuses a request for want of a valid token.
func (a *access) unauthorized(s *Server, w http.ResponseWriter, r *http.Request, why string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="parley"`)
	a.deny(s, w, r, http.StatusUnauthorized, why)
}

// Pages in browsers cannot set headers of a WebSocket, but offer subprotocols: they offer
// subprotocol, which the server chooses, and tokenSubprotocol with the token, which it never repeats.
const (
	subprotocol      = "acp"
	tokenSubprotocol = "parley.token."
)

// tokens returns the tokens that a request shows, at most one of each kind.
func (a *access) tokens(r *http.Request) (out []string) {
	if values := r.Header["Authorization"]; len(values) == 1 {
		if scheme, token, _ := strings.Cut(values[0], " "); strings.EqualFold(scheme, "Bearer") {
			out = append(out, strings.TrimSpace(token))
		}
	}
	if hasToken(r.Header["Upgrade"], "websocket") {
		for _, v := range r.Header["Sec-Websocket-Protocol"] {
			for name := range strings.SplitSeq(v, ",") {
				if token, ok := strings.CutPrefix(strings.TrimSpace(name), tokenSubprotocol); ok {
					return append(out, token)
				}
			}
		}
	}
	if a.inQuery {
		out = append(out, r.URL.Query().Get("token"))
	}
	return out
}

// host reports whether a request was meant for this server: its Host is the address it
// arrived at, this machine itself, or a configured name. A port counts only if it was
// configured with the name, because forwarding changes ports.
func (a *access) host(r *http.Request) bool {
	given := strings.ToLower(r.Host)
	name := hostname(given)
	if name == "localhost" || a.hosts[given] || a.hosts[name] {
		return true
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	addr = addr.Unmap().WithZone("")
	if addr.IsLoopback() {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	here, err := netip.ParseAddrPort(local.String())
	return err == nil && here.Addr().Unmap().WithZone("") == addr
}

// hostname returns a host without port, brackets and the dot at the end of a full name.
func hostname(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.TrimSuffix(name, ".")
}

// sameSite reports whether the origin is a page of this server. One that was read without TLS may have
// been changed on its way, so it may not use a server with TLS. Without TLS here, a proxy may have it.
func sameSite(origin string, r *http.Request) bool {
	scheme, authority, ok := strings.Cut(origin, "://")
	secure := strings.EqualFold(scheme, "https")
	if !secure && (r.TLS != nil || !strings.EqualFold(scheme, "http")) {
		return false
	}
	return ok && r.Host != "" && strings.EqualFold(authority, r.Host)
}

// logLimiter allows one line a second and counts the others.
type logLimiter struct {
	mu     sync.Mutex
	last   time.Time
	missed int
}

func (q *logLimiter) allow(now time.Time) (missed int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Sub(q.last) < time.Second {
		q.missed++
		return 0, false
	}
	missed, q.missed, q.last = q.missed, 0, now
	return missed, true
}
