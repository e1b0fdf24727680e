package gateway

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
)

const secret = "0123456789abcdef-token"

func withToken(o *Options) { o.Identify = OneToken(secret, Client{}) }

// The token is required by every method, by the upgrade, and by every path but the health
// check; and it appears nowhere.
func TestToken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		root := strings.TrimSuffix(r.base, "/acp")
		for _, wrong := range []string{"X: y", "Authorization: Bearer " + secret[1:], "Authorization: Bearer " + secret + "x", "Authorization: Basic " + secret,
			"Authorization: " + secret, "Authorization: Bearer", "Cookie: token=" + secret} {
			for _, method := range []string{"GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"} {
				for _, url := range []string{r.base, r.base + "?token=" + secret, root + "/", root + "/other"} {
					got := r.doAt(url, method, strings.NewReader(request("1", "initialize", `{}`)), asJSON, "Accept: text/event-stream", wrong)
					if got.status != 401 || got.header.Get("Www-Authenticate") != `Bearer realm="parley"` || got.header.Get(connectionHeader) != "" {
						t.Fatalf("%s %s with %s: %+v", method, url, wrong, got)
					}
				}
			}
		}
		if got := r.doAt(root+"/healthz", "GET", nil); got.status != 200 {
			t.Errorf("health: %+v", got)
		}
		if strings.Contains(r.log.String(), "agent started") {
			t.Error("an agent was started")
		}
		r.header.Set("Authorization", "bearer "+secret)
		c := r.connect()
		c.open("")
		if got := r.do("DELETE", "", "Acp-Connection-Id: "+c.id); got.status != 202 {
			t.Errorf("got %+v", got)
		}
		if strings.Contains(r.log.String(), secret) || strings.Contains(r.log.String(), c.id) {
			t.Errorf("the log contains:\n%s", r.log)
		}
	}, withToken)
}

func TestTokenAtTheUpgrade(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", withToken)
	for _, wrong := range []string{"X: y", "Authorization: Bearer wrong", "Sec-WebSocket-Protocol: " + secret} {
		if _, res, err := r.dial(wrong); err == nil || res == nil || res.StatusCode != 401 {
			t.Errorf("with %q: %v", wrong, err)
		}
	}
	r.header.Set("Authorization", "Bearer "+secret)
	r.socket()
	r.base += "?token=" + secret
	r.header = http.Header{}
	if _, res, err := r.dial(); err == nil || res.StatusCode != 401 {
		t.Errorf("in the query: %v", err)
	}
}

func TestTokenInQuery(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		plain := r.base
		for _, query := range []string{"", "?token=", "?token=wrong", "?token=" + secret[1:], "?token=%zz"} {
			if got := r.doAt(plain+query, "POST", strings.NewReader(request("1", "initialize", `{}`)), asJSON); got.status != 401 {
				t.Errorf("with %q: %+v", query, got)
			}
		}
		r.base = plain + "?token=" + secret
		c := r.connect()
		c.open("")
		c.send("", request("1", "session/list", `{}`))
		if r.tls == nil {
			r.socket()
		}
		if got := r.do("DELETE", "", "Acp-Connection-Id: "+c.id); got.status != 202 {
			t.Errorf("got %+v", got)
		}
		if strings.Contains(r.log.String(), secret) || strings.Contains(r.log.String(), "token=") {
			t.Errorf("the log contains:\n%s", r.log)
		}
	}, withToken, func(o *Options) { o.TokenInQuery = true })
}

// A page in a browser shows its token as a subprotocol; the server chooses the other one.
func TestTokenAsSubprotocol(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", withToken)
	protocol := "Sec-WebSocket-Protocol: "
	for _, wrong := range []string{"acp", "acp, parley.token.", "acp, parley.token.wrong", "acp, parley.token.wrong, parley.token." + secret, "acp, Parley.token." + secret,
		"acp, parley.token." + secret + "x", "acp, parley.token." + strings.Repeat("x", 40<<10), strings.Repeat("acp,", 10<<10)} {
		if _, res, err := r.dial(protocol + wrong); err == nil || res == nil || res.StatusCode != 401 {
			t.Errorf("with %.60q: %v", wrong, err)
		}
	}
	if _, res, err := r.dial(protocol + "acp, parley.token." + strings.Repeat("x", 80<<10)); err == nil || res == nil || res.StatusCode != 431 {
		t.Errorf("with a huge header: %v", err)
	}
	if got := r.do("POST", request("1", "initialize", `{}`), asJSON, protocol+"acp, parley.token."+secret); got.status != 401 {
		t.Errorf("a request that is no upgrade: %+v", got)
	}
	for _, offer := range [][]string{{"acp", tokenSubprotocol + secret}, {tokenSubprotocol + secret, "acp"}, {tokenSubprotocol + secret}} {
		ws, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(r.base, "http"), &websocket.DialOptions{Subprotocols: offer})
		if err != nil {
			t.Fatalf("with %q: %v", offer, err)
		}
		if got := ws.Subprotocol(); got != "acp" && len(offer) > 1 || got == tokenSubprotocol+secret {
			t.Errorf("with %q: the server chose %q", offer, got)
		}
		ws.CloseNow()
	}
	if strings.Contains(r.log.String(), secret) {
		t.Errorf("the log contains:\n%s", r.log)
	}
}

// Clients with tokens of their own cannot use each other's connections, and Admit may refuse one.
func TestClientsOfTheirOwn(t *testing.T) {
	t.Parallel()
	var started, refused atomic.Int64
	r := newRig(t, "h1", func(o *Options) {
		start := o.Start
		o.Start = func(c Client, log *slog.Logger) (Agent, error) {
			if started.Add(1); c.Name != "ada" || c.Role != "watch" {
				t.Errorf("started for %+v", c)
			}
			return start(c, log)
		}
		o.Identify = func(token string) (Client, bool) {
			switch token {
			case "of ada":
				return Client{ID: "1", Name: "ada", Role: "watch"}, true
			case "of bob":
				return Client{ID: "2", Name: "bob", Role: "approve", Admit: func() error { refused.Add(1); return errors.New("used already") }}, true
			}
			return Client{}, false
		}
	})
	r.header.Set("Authorization", "Bearer of ada")
	c := r.connect()
	r.header.Set("Authorization", "Bearer of bob")
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if got := r.do(method, request("2", "session/list", `{}`), asJSON, "Accept: text/event-stream", "Acp-Connection-Id: "+c.id); got.status != 404 {
			t.Errorf("%s to the connection of another client: %+v", method, got)
		}
	}
	if got := r.do("POST", request("1", "initialize", `{}`), asJSON); got.status != 401 || !strings.Contains(got.body, "used already") {
		t.Errorf("refused: %+v", got)
	}
	if _, res, err := r.dial(); err == nil || res == nil || res.StatusCode != 401 {
		t.Errorf("refused: %v", err)
	}
	if started.Load() != 1 || refused.Load() != 2 {
		t.Errorf("%d started, %d refused", started.Load(), refused.Load())
	}
	r.header.Set("Authorization", "Bearer of ada")
	c.send("", request("3", "session/list", `{}`))
	if got := r.do("DELETE", "", "Acp-Connection-Id: "+c.id); got.status != 202 {
		t.Errorf("its own: %+v", got)
	}
}

// Requests for other names, and from foreign pages, are refused.
func TestHostAndOrigin(t *testing.T) {
	t.Parallel()
	allow := func(o *Options) {
		o.AllowHosts, o.AllowOrigins = []string{"agent.example", "other.example:99"}, []string{"https://App.example", "null"}
	}
	each(t, func(t *testing.T, r *rig) {
		_, port, _ := strings.Cut(r.addr, ":")
		plain := 200
		if r.tls != nil {
			plain = 403
		}
		initialize := func(headers ...string) int {
			return r.do("POST", request("1", "initialize", `{}`), append(headers, asJSON)...).status
		}
		for _, tc := range []struct {
			name    string
			headers []string
			status  int
		}{
			{"its address", nil, 200},
			{"localhost", []string{"Host: localhost:" + port}, 200},
			{"a forwarded port", []string{"Host: localhost:9"}, 200},
			{"a full name", []string{"Host: LOCALHOST."}, 200},
			{"IPv6", []string{"Host: [::1]:" + port}, 200},
			{"a configured name", []string{"Host: Agent.Example"}, 200},
			{"a configured name, any port", []string{"Host: agent.example:1234"}, 200},
			{"a name with a port", []string{"Host: other.example:99"}, 200},
			{"a name with another port", []string{"Host: other.example:98"}, 403},
			{"a foreign name", []string{"Host: evil.example:" + port}, 403},
			{"a foreign name that begins with localhost", []string{"Host: localhost.evil.example"}, 403},
			{"a foreign address", []string{"Host: 192.0.2.1:" + port}, 403},
			{"its own page", []string{"Origin: https://" + r.addr}, 200},
			{"its own page without TLS", []string{"Origin: http://" + r.addr}, plain},
			{"its own page under a name", []string{"Host: agent.example", "Origin: https://agent.example"}, 200},
			{"an extension of its name", []string{"Origin: chrome-extension://" + r.addr}, 403},
			{"an allowed page", []string{"Origin: https://app.example"}, 200},
			{"a page from a file", []string{"Origin: null"}, 200},
			{"a foreign page", []string{"Origin: http://evil.example"}, 403},
			{"another port of this machine", []string{"Origin: http://127.0.0.1:1"}, 403},
			{"localhost asks by address", []string{"Origin: http://localhost:" + port}, 403},
			{"another scheme of an allowed page", []string{"Origin: http://app.example"}, 403},
			{"two origins", []string{"Origin: https://app.example", "Origin: http://evil.example"}, 403},
			{"an empty origin", []string{"Origin: "}, 403},
		} {
			if got := initialize(tc.headers...); got != tc.status {
				t.Errorf("%s: got %d, want %d", tc.name, got, tc.status)
			}
		}
		for _, method := range []string{"GET", "DELETE", "OPTIONS", "PUT"} {
			for _, header := range []string{"Host: evil.example", "Origin: http://evil.example"} {
				if got := r.do(method, "", header); got.status != 403 || got.header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s with %s: %+v", method, header, got)
				}
			}
		}
	}, allow)
}

func TestHostAndOriginAtTheUpgrade(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) { o.AllowOrigins = []string{"https://app.example"} })
	for header, ok := range map[string]bool{"Origin: https://app.example": true, "Origin: http://" + r.addr: true, "Host: localhost": true,
		"Origin: https://evil.example": false, "Origin: null": false, "Host: evil.example": false} {
		_, res, err := r.dial(header)
		if (err == nil) != ok || !ok && res.StatusCode != 403 {
			t.Errorf("%s: got %v", header, err)
		}
	}
}

// A page of an allowed origin can send a preflight request and read the responses.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", withToken, func(o *Options) { o.AllowOrigins = []string{"https://app.example"} })
	got := r.do("OPTIONS", "", "Origin: https://app.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: acp-connection-id")
	allow := strings.ToLower(got.header.Get("Access-Control-Allow-Headers"))
	if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != "https://app.example" || got.header.Get("Vary") != "Origin" ||
		!strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "DELETE") || got.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got %+v", got)
	}
	for _, name := range []string{"authorization", "content-type", "acp-connection-id", "acp-session-id"} {
		if !strings.Contains(allow, name) {
			t.Errorf("%s is missing in %s", name, allow)
		}
	}
	if got := r.do("OPTIONS", "", "Origin: https://app.example"); got.status != 401 {
		t.Errorf("no preflight: %+v", got)
	}
	got = r.do("POST", request("1", "initialize", `{}`), asJSON, "Origin: https://app.example", "Authorization: Bearer "+secret)
	if got.status != 200 || got.header.Get("Access-Control-Expose-Headers") != "Acp-Connection-Id" || got.header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("got %+v", got)
	}
}

func TestCookieAffinity(t *testing.T) {
	t.Parallel()
	sockets(t, func(t *testing.T, r *rig) {
		cookie := func(h http.Header) *http.Cookie {
			t.Helper()
			all := (&http.Response{Header: h}).Cookies()
			if len(all) != 1 || len(all[0].Value) != 32 || !all[0].HttpOnly || all[0].Path != "/acp" || all[0].Secure != (r.tls != nil) {
				t.Fatalf("cookies: %v", all)
			}
			return all[0]
		}
		h := r.http
		if r.tls != nil {
			h.Transport.(*http.Transport).Protocols.SetHTTP1(true)
		}
		got := r.do("POST", request("1", "initialize", `{}`), asJSON)
		first := cookie(got.header)
		if strings.Contains(first.Value, got.header.Get(connectionHeader)) {
			t.Error("the cookie tells the id")
		}
		s, _, err := r.dial()
		if err != nil {
			t.Fatal(err)
		}
		if second := cookie(s.header); second.Value == first.Value {
			t.Error("two clients with one cookie")
		}
		// A client that returns keeps its cookie; an invented one is not adopted.
		if again := cookie(r.do("POST", request("1", "initialize", `{}`), asJSON, "Cookie: "+first.Name+"="+first.Value).header); again.Value != first.Value {
			t.Error("the cookie changed")
		}
		if other := cookie(r.do("POST", request("1", "initialize", `{}`), asJSON, "Cookie: "+first.Name+"="+strings.Repeat("Z", 32)).header); strings.Contains(other.Value, "Z") {
			t.Error("a made-up cookie was taken over")
		}
		for _, value := range []string{first.Value, first.Name} {
			if strings.Contains(r.log.String(), value) {
				t.Errorf("the log has %s", value)
			}
		}
	}, func(o *Options) { o.CookieAffinity = true })
}

// A cookie that names the server replaces the client's cookie of another server: with that
// it would not find its new connection.
func TestCookieNamesTheServer(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) { o.CookieAffinity, o.AffinityValue = true, "b" })
	named := func(what string, h http.Header) {
		t.Helper()
		if all := (&http.Response{Header: h}).Cookies(); len(all) != 1 || all[0].Name != AffinityCookie || all[0].Value != "b" || all[0].Path != "/acp" {
			t.Errorf("%s: cookies %v", what, all)
		}
	}
	for _, had := range []string{"", "a", "b", strings.Repeat("0", 32)} {
		named("after "+had, r.do("POST", request("1", "initialize", `{}`), asJSON, "Cookie: "+AffinityCookie+"="+had).header)
	}
	s, _, err := r.dial("Cookie: " + AffinityCookie + "=a")
	if err != nil {
		t.Fatal(err)
	}
	named("WebSocket", s.header)
}

// However many requests are refused, the log stays short.
func TestRefusalsAreLoggedOnceASecond(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", withToken)
	for range 200 {
		r.do("GET", "")
	}
	if n := strings.Count(r.log.String(), "level=WARN"); n == 0 || n > 50 {
		t.Errorf("%d warnings", n)
	}
}

// The log names connections by number, and stderr of an agent is logged without control
// sequences and secrets.
func TestStderrGoesToTheLog(t *testing.T) {
	t.Setenv(agentMode, "plain")
	r := newRig(t, "h1", func(o *Options) { o.Start = Command([]string{os.Args[0]}, nil, 1<<20) })
	r.connect()
	c := r.connect()
	c.send("", `{"jsonrpc":"2.0","method":"_stderr","params":{"text":"a \u001b]52;c;x\u0007b \u202ec --token t0ken"}}`)
	r.log.wait(t, "conn=2 stderr=", 1)
	if log := r.log.String(); strings.ContainsAny(log, "\x1b\a\u202e") || strings.Contains(log, c.id) || strings.Contains(log, "t0ken") {
		t.Errorf("the log:\n%q", log)
	}
}
