//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/hello"
	"parley/internal/keeper"
	"parley/internal/localsock"
	"parley/internal/must"
)

// scriptedKept is a live parley that has one session and tells who its clients are.
func scriptedKept(t *testing.T, name string) (greeted <-chan hello.Hello) {
	t.Helper()
	dir := t.TempDir()
	state := must.Get(os.MkdirTemp(must.Get(filepath.EvalSymlinks(os.TempDir()))(t), "p"))(t) // short, for the socket
	t.Cleanup(func() { os.RemoveAll(state) })
	t.Setenv("PARLEY_STATE", state)
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("XDG_CONFIG_HOME", dir)
	socket := must.Get(localsock.Path(name, "acp"))(t)
	ln := must.Get(localsock.Listen(socket))(t)
	t.Cleanup(func() { ln.Close() })
	keptIn(t, state, keeper.Session{Name: name, Live: true, Started: time.Now(), Status: keeper.Status{Dir: dir, State: keeper.Idle, Clients: socket}})
	all := make(chan hello.Hello, 10)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(conn)
			h, err := hello.Receive(in)
			if err != nil {
				conn.Close()
				continue
			}
			all <- h
			jsonrpc.NewPeer(transport.Streams(struct {
				io.Reader
				io.Closer
			}{in, conn}, conn), lister{}, jsonrpc.Options{}).Start()
		}
	}()
	return all
}

type lister struct{}

func (lister) Notification(string, []byte) {}

func (lister) Request(r jsonrpc.Request) jsonrpc.Work {
	return func(context.Context) (any, error) {
		if r.Method == "session/list" {
			return map[string]any{"sessions": []any{map[string]any{"sessionId": "s", "cwd": "/"}}}, nil
		}
		return map[string]any{"protocolVersion": 1}, nil
	}
}

// page is a page in a browser.
type page struct{ *websocket.Conn }

func (r *running) browse(t *testing.T, token string) (page, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patient)
	defer stop()
	ws, _, err := websocket.Dial(ctx, r.url(t), &websocket.DialOptions{Subprotocols: []string{"acp", "parley.token." + token}})
	if err == nil {
		t.Cleanup(func() { ws.CloseNow() })
	}
	return page{ws}, err
}

// call sends a request and returns the next message.
func (p page) call(t *testing.T, id int, method, params string) string {
	t.Helper()
	must.Do(t, p.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)))
	_, got, err := p.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func doTokens(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := execute(t.Context(), NewTokens(Streams{Out: &out, Err: io.Discard}), args...)
	return strings.TrimSpace(out.String()), err
}

// The role of a client is that of its token, whatever it says; and when the token is revoked, it is gone.
func TestServeSessions(t *testing.T) {
	greeted := scriptedKept(t, "kept")
	run := runServe(t, "--sessions", "--listen", "127.0.0.1:0")
	made := run.token(t)
	eye := must.Get(doTokens(t, "add", "eye", "--role", "watch"))(t)
	for token, want := range map[string]hello.Hello{made: {Parley: 1, Client: "default", Role: hello.Talk}, eye: {Parley: 1, Client: "eye", Role: hello.Watch}} {
		p := must.Get(run.browse(t, token))(t)
		if p.Subprotocol() != "acp" {
			t.Errorf("subprotocol %q", p.Subprotocol())
		}
		p.call(t, 1, "initialize", `{"protocolVersion":1,"role":"approve","parley":1,"client":"root","clientInfo":{"name":"root","role":"approve"}}`)
		if got := p.call(t, 2, "session/list", `{}`); !strings.Contains(got, `"sessionId":"s"`) {
			t.Errorf("got %s", got)
		}
		if got := <-greeted; got != want {
			t.Errorf("greeted as %+v, want %+v", got, want)
		}
		refusal := "in the directories of the open ones"
		if want.Role == hello.Watch {
			refusal = "may only watch"
		}
		if got := p.call(t, 3, "session/new", `{"cwd":"/"}`); !strings.Contains(got, refusal) {
			t.Errorf("got %s", got)
		}
	}
	p := must.Get(run.browse(t, eye))(t)
	p.call(t, 1, "initialize", `{"protocolVersion":1}`)
	start := time.Now()
	if _, err := doTokens(t, "remove", "eye"); err != nil {
		t.Fatal(err)
	}
	_, _, err := p.Read(t.Context())
	var closed websocket.CloseError
	if took := time.Since(start); !errors.As(err, &closed) || !strings.Contains(closed.Reason, "its token was revoked") || took > 3*time.Second {
		t.Errorf("%v, after %v", err, took)
	}
	for shown, want := range map[string]int{eye: 401, "": 401, "wrong": 401, made: 406} {
		if got := run.status(t, shown); got != want {
			t.Errorf("with the token %q: got %d, want %d", shown, got, want)
		}
	}
	must.Do(t, run.end())
	if log := run.log.String(); strings.Contains(log, eye) || strings.Contains(log, made) {
		t.Errorf("the log tells a token: %s", log)
	}
	if again := runServe(t, "--sessions", "--listen", "127.0.0.1:0"); again.token(t) != "TOKEN" || again.status(t, made) != 406 {
		t.Errorf("another start: %s", again.first)
	}
}

// A one-time token is for one connection.
func TestServeOnce(t *testing.T) {
	scriptedKept(t, "kept")
	run := runServe(t, "--sessions", "--listen", "127.0.0.1:0")
	once := must.Get(doTokens(t, "add", "guest", "--role", "talk", "--once"))(t)
	if got := run.status(t, once); got != 406 {
		t.Errorf("a request that begins nothing: %d", got)
	}
	p := must.Get(run.browse(t, once))(t)
	p.call(t, 1, "initialize", `{"protocolVersion":1}`)
	if _, err := run.browse(t, once); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("used twice: %v", err)
	}
	p.call(t, 2, "session/list", `{}`)
	p.Close(websocket.StatusNormalClosure, "")
	if _, err := run.browse(t, once); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("used again: %v", err)
	}
}

// Over HTTP, too, where each request shows the token.
func TestServeOnceOverHTTP(t *testing.T) {
	scriptedKept(t, "kept")
	run := runServe(t, "--sessions", "--listen", "127.0.0.1:0")
	once := must.Get(doTokens(t, "add", "guest", "--role", "talk", "--once"))(t)
	post := func(connection, message string) *http.Response {
		t.Helper()
		req := must.Get(http.NewRequestWithContext(t.Context(), "POST", "http"+strings.TrimPrefix(run.url(t), "ws"), strings.NewReader(message)))(t)
		req.Header = http.Header{"Authorization": {"Bearer " + once}, "Content-Type": {"application/json"}}
		if connection != "" {
			req.Header["Acp-Connection-Id"] = []string{connection}
		}
		res := must.Get(http.DefaultClient.Do(req))(t)
		res.Body.Close()
		return res
	}
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`
	first := post("", initialize)
	id := first.Header.Get("Acp-Connection-Id")
	if first.StatusCode != 200 || id == "" {
		t.Fatalf("got %d", first.StatusCode)
	}
	for range 2 {
		if got := post(id, `{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`); got.StatusCode != 202 {
			t.Errorf("a later request: %d", got.StatusCode)
		}
	}
	if got := post("", initialize); got.StatusCode != 401 || got.Header.Get("Acp-Connection-Id") != "" {
		t.Errorf("another connection: %d", got.StatusCode)
	}
}

// The QR code fits into 40 columns. When its client has left there is another one, and the last one, which
// nobody has used, ends with the server.
func TestServeQR(t *testing.T) {
	scriptedKept(t, "kept")
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- execute(ctx, NewServe(Streams{Out: w, Err: io.Discard}), "--sessions", "--qr", "--role", "watch", "--listen", "127.0.0.1:0")
		w.Close()
	}()
	in := bufio.NewReader(r)
	first := must.Get(in.ReadString('\n'))(t)
	run := &running{first: strings.TrimSpace(first)}
	var tokens []string
	for range 2 {
		line := ""
		for !strings.HasPrefix(line, "for one connection, as phone (watch): "+run.url(t)+"#token=") {
			if line = must.Get(in.ReadString('\n'))(t); len([]rune(line)) > 41 && strings.Contains(line, "█") {
				t.Fatalf("a row of %d columns", len([]rune(line)))
			}
		}
		_, token, _ := strings.Cut(strings.TrimSpace(line), "#token=")
		tokens = append(tokens, token)
		if len(tokens) == 1 {
			p := must.Get(run.browse(t, token))(t)
			p.call(t, 1, "initialize", `{"protocolVersion":1}`)
			p.Close(websocket.StatusNormalClosure, "")
		}
	}
	if tokens[0] == tokens[1] {
		t.Error("the second QR code has the token of the first")
	}
	go io.Copy(io.Discard, in)
	if got := run.status(t, tokens[0]); got != 401 {
		t.Errorf("the token that was used: %d", got)
	}
	if got := run.status(t, tokens[1]); got != 406 {
		t.Errorf("the other token: %d", got)
	}
	stop()
	must.Do(t, <-ended)
	if all := must.Get(doTokens(t))(t); strings.Contains(all, "phone") || !strings.Contains(all, "default") {
		t.Errorf("tokens: %s", all)
	}
}

func TestTokens(t *testing.T) {
	t.Setenv("PARLEY_STATE", t.TempDir())
	for args, want := range map[string]string{"add x": "--role watch, talk or approve", "add x --role root": "unknown role", "add /x --role watch": "invalid name", "remove x": "unknown token", "x": "x"} {
		var usage UsageError
		if _, err := doTokens(t, strings.Fields(args)...); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if got := must.Get(doTokens(t))(t); !strings.HasPrefix(got, "no tokens; parley tokens add") {
		t.Errorf("got %s", got)
	}
	if got := must.Get(doTokens(t, "list", "--json"))(t); got != "[]" {
		t.Errorf("got %s", got)
	}
	text := must.Get(doTokens(t, "add", "x", "--role", "approve"))(t)
	if got := must.Get(doTokens(t, "--json"))(t); !strings.HasPrefix(got, `[{"name":"x","role":"approve","once":false,"created":"`) || strings.Contains(got, text) {
		t.Errorf("got %s", got)
	}
}

func TestServeSessionsRefuses(t *testing.T) {
	t.Setenv("PARLEY_STATE", t.TempDir())
	for args, want := range map[string]string{
		"--sessions -- agent": "no command", "--qr -- agent": "--qr belongs to --sessions", "--sessions --role root": "unknown role", "--sessions --sandbox": "--sandbox cannot",
		"--sessions --qr --no-token": "--qr cannot", "--role watch -- agent": "--role belongs",
	} {
		var usage UsageError
		if _, _, err := served(t, strings.Fields(args)...); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestACP(t *testing.T) {
	greeted := scriptedKept(t, "kept")
	join := func(args ...string) (string, error) {
		var out bytes.Buffer
		here, there := net.Pipe()
		go func() {
			fmt.Fprintln(here, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"zed"}}}`)
			fmt.Fprintln(here, `{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`)
			<-greeted
			here.Close()
		}()
		err := execute(t.Context(), NewACP(Streams{In: there, Out: &out, Err: &out}), args...)
		return out.String(), err
	}
	for _, args := range [][]string{nil, {"kept", "--name", "mine"}} {
		if out, err := join(args...); err != nil || !strings.HasPrefix(out, `{"jsonrpc":"2.0","id":1,"result":{`) {
			t.Errorf("%s: %s, %v", args, out, err)
		}
	}
	for args, want := range map[string]string{"other": "other", "--role root": "unknown role"} {
		var usage UsageError
		if err := execute(t.Context(), NewACP(Streams{}), strings.Fields(args)...); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
