package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/must"

	"github.com/coder/websocket"
)

// Case 186: what the server gets with an upgrade and the first message.
func TestWebSocketUpgrade(t *testing.T) {
	type seen struct {
		r     *http.Request
		first string
	}
	got := make(chan seen, 1)
	url := wsHandle(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("acp-connection-id", "c-1")
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"token.abc"}})
		if err != nil {
			return
		}
		defer c.CloseNow()
		kind, data, err := c.Read(t.Context())
		got <- seen{r, fmt.Sprint(kind, " ", string(data), " ", err)}
		c.Read(t.Context())
	})
	jar, _ := cookiejar.New(nil)
	w := wsDial(t, Remote{
		URL:          strings.Replace(url, "ws://", "ws://me:pass@", 1) + "?token=t0ken",
		Jar:          jar,
		Subprotocols: []string{"other", "token.abc"},
		Header: http.Header{
			"X-Secret-Key":             {"s3cret"},
			"Cookie":                   {"mine=1"},
			"Upgrade":                  {"h2c"},
			"Connection":               {"close"},
			"Sec-Websocket-Version":    {"7"},
			"Sec-Websocket-Key":        {"bm90IG1pbmU="},
			"Sec-WebSocket-Extensions": {"permessage-deflate"},
			"Sec-Websocket-Protocol":   {"smuggled"},
		},
	})
	must.Do(t, w.Send(Message{Data: []byte(`{"method":"initialize"}`)}))
	s := <-got
	if s.first != `MessageText {"method":"initialize"} <nil>` {
		t.Errorf("first message: %s", s.first)
	}
	if s.r.Method != "GET" || s.r.URL.Path != "/acp" || s.r.URL.RawQuery != "token=t0ken" || s.r.ProtoMajor != 1 {
		t.Errorf("%s %v %s", s.r.Method, s.r.URL, s.r.Proto)
	}
	for name, want := range map[string]string{
		"X-Secret-Key":             "s3cret",
		"Authorization":            "Basic bWU6cGFzcw==",
		"Cookie":                   "mine=1",
		"Upgrade":                  "websocket",
		"Connection":               "Upgrade",
		"Sec-Websocket-Version":    "13",
		"Sec-Websocket-Protocol":   "other,token.abc",
		"Sec-Websocket-Extensions": "",
		"Parley-Lines":             "65536",
		"Origin":                   "",
	} {
		if v := s.r.Header.Get(name); v != want {
			t.Errorf("%s: got %q, want %q", name, v, want)
		}
	}
	if _, there := s.r.Header["Origin"]; there || len(s.r.Header.Values("Sec-Websocket-Key")) != 1 {
		t.Errorf("header %v", s.r.Header)
	}
	if w.ConnectionID() != "c-1" {
		t.Errorf("connection id %q", w.ConnectionID())
	}
}

// Cases 176 and 186: cookies of an upgrade are sent with the next one, those of a refusal
// too, and only to their path.
func TestWebSocketCookies(t *testing.T) {
	got := make(chan string, 4)
	url := wsHandle(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header.Get("Cookie")
		http.SetCookie(w, &http.Cookie{Name: "node", Value: "7", Path: "/"})
		http.SetCookie(w, &http.Cookie{Name: "elsewhere", Value: "1", Path: "/other"})
		if r.Header.Get("Cookie") == "" {
			http.SetCookie(w, &http.Cookie{Name: "refused", Value: "yes", Path: "/"})
			http.Error(w, "again, please", http.StatusServiceUnavailable)
			return
		}
		if c, err := websocket.Accept(w, r, nil); err == nil {
			c.CloseNow()
		}
	})
	jar, _ := cookiejar.New(nil)
	remote := Remote{URL: url, Jar: jar}
	var status *StatusError
	if _, err := dialWebSocket(t.Context(), ready(t, remote)); !errors.As(err, &status) || status.Status != 503 {
		t.Fatalf("got %v", err)
	}
	wsDial(t, remote)
	wsDial(t, remote)
	for _, want := range []string{"", "node=7; refused=yes", "node=7; refused=yes"} {
		if c := <-got; c != want {
			t.Errorf("cookies %q, want %q", c, want)
		}
	}
}

// Case 190: the error of a refused upgrade has the status and the server's text.
func TestWebSocketRefused(t *testing.T) {
	for _, status := range []int{200, 400, 401, 403, 404, 405, 426, 500, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			body := fmt.Sprintf("reason for %d\n", status) + strings.Repeat("x", 20<<10)
			url := wsHandle(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(status)
				io.WriteString(w, body)
			})
			_, err := dialWebSocket(t.Context(), ready(t, Remote{URL: url + "/agent?token=t0ken"}))
			var refused *StatusError
			if !errors.As(err, &refused) || refused.Status != status || refused.Body != body[:8<<10] {
				t.Fatalf("got %#v", err)
			}
			want := fmt.Sprintf("connect to %s/agent: the server answered %d %s", url, status, http.StatusText(status))
			if err.Error() != want || refused.Unauthorized() != (status == 401 || status == 403) {
				t.Errorf("got %q, want %q", err, want)
			}
		})
	}
}

// Case 190 through Dial: without a WebSocket HTTP is tried, but not with wrong credentials.
func TestDialWithoutWebSocket(t *testing.T) {
	for status, want := range map[int]bool{400: true, 401: false, 403: false, 404: true, 405: true, 426: true, 500: false} {
		var log []string
		url := wsHandle(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
		conn, err := Dial(t.Context(), Remote{URL: url, Log: func(s string) { log = append(log, s) }})
		if _, got := conn.(*HTTP); got != want || (err == nil) != want || len(log) > 0 != want {
			t.Errorf("%d: %T, %v, log %q", status, conn, err, log)
		}
		if conn != nil {
			conn.Close()
		}
	}
}

// The body of a refusal must not block the dial.
func TestWebSocketRefusedWithABodyThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ready(t, Remote{URL: "ws://agent.test"})
		begin := time.Now()
		_, err := upgradeWebSocket(t.Context(), r, answering("HTTP/1.1 403 No\r\nContent-Length: 100\r\n\r\nonly this"), defaultWSTimeouts)
		var refused *StatusError
		if !errors.As(err, &refused) || refused.Status != 403 || refused.Body != "only this" {
			t.Errorf("got %#v", err)
		}
		if after := time.Since(begin); after > 5*time.Second {
			t.Errorf("after %v", after)
		}
	})
}

// answering dials a server that reads the request, sends only that answer, and waits until
// the client leaves.
func answering(answer string) dialFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			buf := make([]byte, 8<<10)
			if _, err := there.Read(buf); err != nil {
				return
			}
			if answer == "echo" {
				there.Write(buf)
			} else {
				io.WriteString(there, answer)
			}
			io.Copy(io.Discard, there)
		}()
		return here, nil
	}
}

func TestWebSocketRedirects(t *testing.T) {
	var elsewhere int
	other := wsHandle(t, func(w http.ResponseWriter, r *http.Request) { elsewhere++ })
	otherHTTP := "http" + strings.TrimPrefix(other, "ws")
	var here string
	for name, tc := range map[string]struct {
		to     func() string
		status int
		ok     bool
	}{
		"within the origin":                {func() string { return "/moved" }, 308, true},
		"within the origin, whole":         {func() string { return here + "/moved?token=t0ken" }, 307, true},
		"to another port":                  {func() string { return otherHTTP + "/moved" }, 307, false},
		"to a WebSocket elsewhere":         {func() string { return other + "/moved" }, 302, false},
		"to another scheme":                {func() string { return strings.Replace(here, "ws", "https", 1) + "/moved" }, 301, false},
		"with a user":                      {func() string { return strings.Replace(here, "ws://", "http://u:p@", 1) + "/moved" }, 301, false},
		"in a circle":                      {func() string { return "/acp" }, 307, false},
		"nowhere":                          {func() string { return "" }, 307, false},
		"to what is no URL, with a secret": {func() string { return "http://[t0ken" }, 302, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			here = wsHandle(t, func(w http.ResponseWriter, r *http.Request) {
				if asked++; r.Header.Get("Authorization") != "Bearer x" || r.Header.Get("Referer") != "" {
					t.Errorf("header %v", r.Header)
				}
				if r.URL.Path == "/moved" {
					if c, err := websocket.Accept(w, r, nil); err == nil {
						c.Write(t.Context(), websocket.MessageText, []byte("here"))
						c.Close(websocket.StatusNormalClosure, "")
					}
					return
				}
				if to := tc.to(); to != "" {
					w.Header().Set("Location", to)
				}
				w.WriteHeader(tc.status)
				fmt.Fprintf(w, "answer %d", asked)
			})
			r := ready(t, Remote{URL: here + "?token=t0ken", Header: http.Header{"Authorization": {"Bearer x"}}})
			w, err := dialWebSocket(t.Context(), r)
			if tc.ok {
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				wantMessage(t, w, "here")
				return
			}
			var status *StatusError
			if !errors.As(err, &status) || status.Status != tc.status || status.Body != fmt.Sprintf("answer %d", asked) || asked > 5 ||
				!strings.Contains(err.Error(), "redirect") {
				t.Errorf("got %#v after %d requests", err, asked)
			}
		})
	}
	if elsewhere > 0 {
		t.Errorf("another origin was asked %d times", elsewhere)
	}
}

// Case 191: no error and no log line contains a secret, whatever goes wrong.
func TestWebSocketSecrets(t *testing.T) {
	for name, dial := range map[string]dialFunc{
		"closed at once":    func(context.Context, string, string) (net.Conn, error) { a, b := net.Pipe(); b.Close(); return a, nil },
		"echo":              answering("echo"),
		"no HTTP":           answering("SSH-2.0-t0ken\r\n"),
		"status is garbage": answering("HTTP/1.1 t0ken\r\n\r\n"),
		"header is garbage": answering("HTTP/1.1 403 No\r\nt0ken\r\n\r\n"),
		"long garbage":      answering("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("t0ken", 100_000) + "\r\n\r\n"),
		"401":               answering("HTTP/1.1 401 t0ken\r\nContent-Length: 0\r\n\r\n"),
		"redirect":          answering("HTTP/1.1 302 Found\r\nLocation: ://t0ken\r\nContent-Length: 0\r\n\r\n"),
		"no upgrade":        answering("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"),
		"silence":           answering(""),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { keepsSecrets(t, dial) })
		})
	}
	var network net.Dialer
	t.Run("no such host", func(t *testing.T) { keepsSecrets(t, network.DialContext) })
	t.Run("no server", func(t *testing.T) {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		l.Close()
		keepsSecrets(t, func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, l.Addr().String())
		})
	})
}

// keepsSecrets looks for secrets in the error and the log of a connection that fails.
func keepsSecrets(t *testing.T, dial dialFunc) {
	var told bytes.Buffer
	r := ready(t, Remote{
		URL:    "ws://me:p4ss@agent.invalid/acp?token=t0ken&x=t0ken2",
		Header: http.Header{"X-Secret-Key": {"s3cret"}},
		Log:    func(s string) { told.WriteString(s) },
	})
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	_, err := upgradeWebSocket(ctx, r, dial, defaultWSTimeouts)
	if err == nil {
		t.Fatal("connected")
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		fmt.Fprintf(&told, "%v %+v\n", e, e)
	}
	for _, secret := range []string{"t0ken", "p4ss", "s3cret", "bWU6"} {
		if strings.Contains(told.String(), secret) {
			t.Errorf("%s in %.500s", secret, told.String())
		}
	}
	if text := err.Error(); !strings.HasPrefix(text, "connect to ws://agent.invalid/acp") || strings.Contains(text, "failed") ||
		strings.HasSuffix(text, "EOF") || len(text) > 2*maxErrorText {
		t.Errorf("text %q", text)
	}
}

// Dialling ends with its context, wherever it hangs, and leaves nothing running. After a
// successful dial the context has no effect.
func TestWebSocketDialContext(t *testing.T) {
	for name, connects := range map[string]bool{"in the dial": false, "in the answer": true} {
		for _, scheme := range []string{"ws", "wss"} {
			t.Run(name+", "+scheme, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
					defer stop()
					left := false
					dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
						if !connects {
							<-ctx.Done()
							left = true
							return nil, ctx.Err()
						}
						here, there := net.Pipe()
						go func() {
							io.Copy(io.Discard, there)
							left = true
						}()
						return here, nil
					}
					begin := time.Now()
					_, err := upgradeWebSocket(ctx, ready(t, Remote{URL: scheme + "://agent.test"}), dial, defaultWSTimeouts)
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("got %v", err)
					}
					synctest.Wait()
					if after := time.Since(begin); after != 10*time.Second || !left {
						t.Errorf("after %v, the server is left: %v", after, left)
					}
				})
			})
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	w := must.Get(dialWebSocket(ctx, ready(t, Remote{URL: wsServe(t, echo)})))(t)
	defer w.Close()
	stop()
	must.Do(t, w.Send(Message{Data: []byte("{}")}))
	wantMessage(t, w, "{}")
}

// Over TLS the upgrade uses HTTP/1.1 even if the server prefers HTTP/2; the rest is as
// without TLS.
func TestWebSocketTLS(t *testing.T) {
	heard := make(chan error, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.TLS.NegotiatedProtocol; got == "h2" || r.ProtoMajor != 1 {
			t.Errorf("protocol %q", got)
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			heard <- err
			return
		}
		defer c.CloseNow()
		_, data, _ := c.Read(t.Context())
		c.Write(t.Context(), websocket.MessageText, data)
		_, _, err = c.Read(t.Context())
		heard <- err
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs the client without the root
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	config := &tls.Config{RootCAs: roots, NextProtos: []string{"h2", "http/1.1"}}
	url := "wss" + strings.TrimPrefix(server.URL, "https")
	w := wsDial(t, Remote{URL: url, TLS: config})
	must.Do(t, w.Send(Message{Data: []byte("{}")}))
	wantMessage(t, w, "{}")
	end := listen(w)
	begin := time.Now()
	w.Close()
	if err := <-heard; websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("the server heard %v", err)
	}
	if err := <-end; err != ErrClosed {
		t.Errorf("Recv: %v", err)
	}
	if after := time.Since(begin); after > defaultWSTimeouts.farewell/2 {
		t.Errorf("took %v with a server that answers", after)
	}
	if len(config.NextProtos) != 2 {
		t.Error("the caller's configuration was changed")
	}
	_, err := dialWebSocket(t.Context(), ready(t, Remote{URL: url}))
	if unknown := new(TLSError); !errors.As(err, &unknown) || unknown.Problem != UnknownAuthority {
		t.Errorf("without the root: %v", err)
	}
	_, err = dialWebSocket(t.Context(), ready(t, Remote{URL: "ws" + strings.TrimPrefix(url, "wss")}))
	if err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("without TLS: %v", err)
	}
}

// proxyChild in the environment makes the test below dial through the proxy named in the
// environment.
const proxyChild = "TRANSPORT_TEST_PROXY"

// net/http reads the environment only once, so an upgrade through a proxy needs its own
// process.
func TestWebSocketProxy(t *testing.T) {
	if os.Getenv(proxyChild) != "" {
		w, err := dialWebSocket(t.Context(), ready(t, Remote{URL: "ws://agent.invalid/acp"}))
		if err != nil {
			fmt.Println("child:", err)
			return
		}
		data, err := w.Recv()
		fmt.Println("child:", string(data), err)
		w.Close()
		return
	}
	proxy := wsServe(t, func(c *websocket.Conn, r *http.Request) {
		c.Write(t.Context(), websocket.MessageText, []byte("proxy for "+r.RequestURI))
		c.Read(t.Context())
	})
	cmd := exec.Command(os.Args[0], "-test.run=^TestWebSocketProxy$")
	at := "http" + strings.TrimPrefix(proxy, "ws")
	cmd.Env = append(os.Environ(), proxyChild+"=1", "HTTP_PROXY="+at, "http_proxy="+at, "NO_PROXY=", "no_proxy=")
	out, err := cmd.CombinedOutput()
	if want := "child: proxy for http://agent.invalid/acp <nil>\n"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s; want %s", err, out, want)
	}
}
