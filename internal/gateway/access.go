package gateway

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// access says who may come in. A page in a browser must not get at an agent that
// listens on the machine of its reader: neither under its own origin, nor by a
// name that it had point here (DNS rebinding). So both Origin and Host have to be
// known ones, and where there is a token it has to be shown with every request.
type access struct {
	token   [sha256.Size]byte
	asks    bool // for the token
	inQuery bool
	origins map[string]bool
	hosts   map[string]bool
	cookies bool
	noted   *quiet
}

func newAccess(o Options) access {
	a := access{token: sha256.Sum256([]byte(o.Token)), asks: o.Token != "", inQuery: o.TokenInQuery,
		origins: map[string]bool{}, hosts: map[string]bool{}, cookies: o.CookieAffinity, noted: &quiet{}}
	for _, origin := range o.AllowOrigins {
		a.origins[strings.ToLower(strings.TrimSuffix(origin, "/"))] = true
	}
	for _, host := range o.AllowHosts {
		a.hosts[strings.ToLower(host)] = true
	}
	return a
}

// check lets a request pass, or answers it; done says so.
func (a *access) check(s *Server, w http.ResponseWriter, r *http.Request) (done bool) {
	if !a.host(r) {
		a.deny(s, w, r, http.StatusForbidden, "the Host of this request is not a name of this server")
		return true
	}
	origins := r.Header["Origin"]
	foreign := false
	for _, origin := range origins {
		switch {
		case a.origins[strings.ToLower(origin)]:
			foreign = true
		case !sameHost(origin, r.Host):
			a.deny(s, w, r, http.StatusForbidden, "the Origin of this request is not allowed")
			return true
		}
	}
	if foreign && len(origins) == 1 {
		a.crossOrigin(w, origins[0])
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			w.Header().Set("Access-Control-Allow-Methods", allowed)
			w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, "+connectionHeader+", "+sessionHeader+", Acp-Protocol-Version")
			w.Header().Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent) // a browser asks without credentials
			return true
		}
	}
	if a.asks && !a.shown(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="parley"`)
		a.deny(s, w, r, http.StatusUnauthorized, "a bearer token is required")
		return true
	}
	return false
}

// crossOrigin tells a browser that a page of an allowed origin may read the
// answer.
func (a *access) crossOrigin(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", connectionHeader)
	h.Add("Vary", "Origin")
	if a.cookies {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// deny refuses a request that may be hostile. The log has such a line at most
// once a second.
func (a *access) deny(s *Server, w http.ResponseWriter, r *http.Request, status int, why string) {
	if missed, ok := a.noted.speak(time.Now()); ok {
		s.log.Warn("request refused", "status", status, "reason", why, "remote", r.RemoteAddr, "others", missed)
	}
	s.refuse(w, r, status, why)
}

// shown compares in a time that says nothing about the token.
func (a *access) shown(r *http.Request) bool {
	if values := r.Header["Authorization"]; len(values) == 1 {
		scheme, token, _ := strings.Cut(values[0], " ")
		if strings.EqualFold(scheme, "Bearer") && a.equal(strings.TrimSpace(token)) {
			return true
		}
	}
	if !a.inQuery {
		return false
	}
	token := r.URL.Query().Get("token")
	return token != "" && a.equal(token)
}

func (a *access) equal(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], a.token[:]) == 1
}

// host tells whether a request was meant for this server: it names the address
// that it came to, this machine itself, or a name given. Ports count only where
// one was given with the name, since they change where they are forwarded.
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

// hostname is a host without port, brackets and the dot at the end of a full name.
func hostname(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.TrimSuffix(name, ".")
}

// sameHost tells whether a page of this server itself asks.
func sameHost(origin, host string) bool {
	_, authority, ok := strings.Cut(origin, "://")
	return ok && host != "" && strings.EqualFold(authority, host)
}

// quiet lets one line a second through and counts the others.
type quiet struct {
	mu     sync.Mutex
	last   time.Time
	missed int
}

func (q *quiet) speak(now time.Time) (missed int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Sub(q.last) < time.Second {
		q.missed++
		return 0, false
	}
	missed, q.missed, q.last = q.missed, 0, now
	return missed, true
}
