//go:build unix

package balancer

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley/internal/must"
)

// browser returns a client other than parley that speaks the protocol (h2, h1, h2c). It resolves
// every name to the front.
func (s *stage) browser(protocol string) *http.Client {
	s.t.Helper()
	p := new(http.Protocols)
	p.SetHTTP1(protocol == "h1")
	p.SetHTTP2(protocol == "h2")
	p.SetUnencryptedHTTP2(protocol == "h2c")
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: s.trust(), Protocols: p, ForceAttemptHTTP2: protocol == "h2",
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.addr)
		},
	}}
}

// initializing is the first message of a connection.
const initializing = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`

// ask sends a request with headers given as "Name: value". It returns the response with its body,
// unless the body is a stream.
func (s *stage) ask(c *http.Client, method, url, body string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	req := must.Get(http.NewRequestWithContext(ctx, method, url, strings.NewReader(body)))(s.t)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp := must.Get(c.Do(req))(s.t)
	s.t.Cleanup(func() { resp.Body.Close() })
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") || resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, ""
	}
	text := must.Get(io.ReadAll(resp.Body))(s.t)
	return resp, string(text)
}

// events sends the data lines and comments of a stream to a channel, which is closed at the end of
// the stream.
func events(from io.Reader) <-chan string {
	out := make(chan string, 100)
	go func() {
		defer close(out)
		for lines := bufio.NewScanner(from); lines.Scan(); {
			if line := lines.Text(); strings.HasPrefix(line, ":") || strings.HasPrefix(line, "data:") {
				out <- line
			}
		}
	}()
	return out
}

// upgrading are the headers of a WebSocket upgrade.
var upgrading = []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}

// The front speaks HTTP/2, and a stream over it works as docs/remote.md says.
func TestHTTP2(t *testing.T) {
	each(t, func(t *testing.T, f *front) {
		s := newStage(t, f)
		c := s.browser("h2")
		place := "https://" + s.addr + "/acp"
		made, body := s.ask(c, "POST", place, initializing)
		if made.StatusCode != 200 || made.ProtoMajor != 2 || made.TLS.NegotiatedProtocol != "h2" || !strings.Contains(body, `"protocolVersion":1`) {
			t.Fatalf("%s %s by %q: %s", made.Proto, made.Status, made.TLS.NegotiatedProtocol, body)
		}
		var cookie string
		for _, k := range made.Cookies() {
			if k.Name != f.cookie || cookie != "" {
				t.Errorf("a cookie %s", k)
			}
			cookie = "Cookie: " + k.Name + "=" + k.Value
		}
		id := "Acp-Connection-Id: " + made.Header.Get("Acp-Connection-Id")
		stream, _ := s.ask(c, "GET", place, "", "Accept: text/event-stream", id, cookie)
		if stream.StatusCode != 200 || stream.ProtoMajor != 2 || stream.Header.Get("Content-Encoding") != "" {
			t.Fatalf("%s %s %v", stream.Proto, stream.Status, stream.Header)
		}
		lines := events(stream.Body)
		if got := <-lines; got != ":" {
			t.Errorf("the stream started with %q", got)
		}
		if posted, _ := s.ask(c, "POST", place, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{}}`, id, cookie); posted.StatusCode != 202 {
			t.Errorf("%s", posted.Status)
		}
		if got := <-lines; !strings.Contains(got, `"sessionId"`) {
			t.Errorf("the stream has %q", got)
		}
	})
}

// The servers decide which requests are allowed. The front passes on the headers that they need for
// that.
func TestAccess(t *testing.T) {
	each(t, func(t *testing.T, f *front) {
		s := newStage(t, f)
		here, named := "https://"+s.addr, "https://"+serverName
		for _, tc := range []struct {
			place, header string
			want          int
		}{
			{here, "", 200},
			{named, "", 200},                            // --allow-host
			{"https://localhost", "", 200},              // accepted like parley's own address
			{named, "Host: evil.example", 403},          // DNS rebinding
			{here, "Origin: https://evil.example", 403}, // a foreign page
			{here, "Origin: " + here, 200},              // a page of this site, with its port
			{named, "Origin: " + named, 200},
			{named, "Origin: http://localhost:1", 403},
			{here, "Authorization: Bearer wrong-token", 401},
			{here, "Authorization: ", 401},
		} {
			var headers []string
			if tc.header != "" {
				headers = append(headers, tc.header)
			}
			for _, protocol := range []string{"h2", "h1"} {
				if got, body := s.ask(s.browser(protocol), "POST", tc.place+"/acp", initializing, headers...); got.StatusCode != tc.want {
					t.Errorf("%s with %q by %s: %s %s, want %d", tc.place, tc.header, protocol, got.Status, body, tc.want)
				}
			}
			want := tc.want
			if want == 200 {
				want = 101
			}
			if got, body := s.ask(s.browser("h1"), "GET", tc.place+"/acp", "", append(headers, upgrading...)...); got.StatusCode != want {
				t.Errorf("WebSocket to %s with %q: %s %s, want %d", tc.place, tc.header, got.Status, body, want)
			}
		}
	})
}
