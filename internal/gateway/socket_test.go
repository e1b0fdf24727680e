package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/must"

	"github.com/coder/websocket"
)

func contextWithCancel(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// socketProfiles are the profiles that support WebSocket.
var socketProfiles = []string{"h1", "tls"}

// sockets runs a test without TLS and with it.
func sockets(t *testing.T, f func(t *testing.T, r *rig), change ...func(*Options)) {
	for _, profile := range socketProfiles {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			f(t, newRig(t, profile, change...))
		})
	}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	sockets(t, func(t *testing.T, r *rig) {
		s, res, err := r.dial()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 101 || len(res.Header.Get("Acp-Connection-Id")) != 32 || res.Header.Get("Set-Cookie") != "" || res.Header.Get("Sec-WebSocket-Protocol") != "" {
			t.Errorf("%d %v", res.StatusCode, res.Header)
		}
		r.log.wait(t, "agent started", 1) // by the upgrade
		s.send(request("0", "initialize", `{}`))
		if got := s.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":0,"result":`) {
			t.Fatal(got)
		}
		s.send(request("1", "session/new", `{}`))
		s.want(result("1", `{"sessionId":"sess-1"}`))
		s.send(request("2", "session/load", `{"sessionId":"old"}`))
		s.want(update("old", "replay 0"), update("old", "replay 1"), update("old", "replay 2"), result("2", `{}`))
		s.send(request("3", "initialize", `{}`)) // again: for the agent to judge
		if got := s.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":3,"result":`) {
			t.Fatal(got)
		}
		// Its id is informative: requests with it are refused.
		for _, method := range []string{"GET", "POST", "DELETE"} {
			if got := r.do(method, `{}`, asJSON, "Accept: text/event-stream", "Acp-Connection-Id: "+s.header.Get("Acp-Connection-Id")); got.status != 404 {
				t.Errorf("%s: got %+v", method, got)
			}
		}
		s.ws.Close(websocket.StatusNormalClosure, "")
		r.log.wait(t, `reason="the client closed it"`, 1)
	})
}

// Batches are passed to the agent and back.
func TestSocketForwardsBatches(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	s := r.socket()
	s.send(saying("", `[`+update("a", "1")+`,`+update("b", "2")+`]`))
	s.want(`[` + update("a", "1") + `,` + update("b", "2") + `]`)
	s.send(`[` + request("1", "x", `{}`) + `]`)
	s.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`) // this agent supports none
	s.send(`no JSON at all`)
	s.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
}

func TestSocketHasToInitialize(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{
		"another method": request("1", "session/new", `{}`),
		"no id":          `{"jsonrpc":"2.0","method":"initialize"}`,
		"null":           request("null", "initialize", `{}`),
		"a batch":        `[` + request("1", "initialize", `{}`) + `]`,
		"no JSON":        `hello`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "h1")
			s, _, err := r.dial()
			if err != nil {
				t.Fatal(err)
			}
			s.send(first)
			if code, reason := s.closed(); code != 1002 || !strings.Contains(reason, "initialize") {
				t.Errorf("%d %s", code, reason)
			}
			r.log.wait(t, "connection ended", 1)
		})
	}
}

// Binary and empty messages are ignored, before initialize too; a fragmented message is one
// message.
func TestSocketIgnoresBinary(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	s, _, err := r.dial()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	s.ws.Write(ctx, websocket.MessageBinary, []byte(request("9", "session/new", `{}`)))
	s.send("")
	w, err := s.ws.Writer(ctx, websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range request("0", "initialize", `{}`) {
		fmt.Fprint(w, string(c))
	}
	w.Close()
	s.pid = pidIn(t, s.next())
	s.ws.Write(ctx, websocket.MessageBinary, make([]byte, 100<<10))
	s.send(request("1", "session/list", `{}`))
	s.want(result("1", `{"to":"session/list"}`))
}

func TestSocketMessageTooLarge(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) { o.Limits.Message = 1 << 20 })
	s := r.socket()
	s.send(request("1", "_x", `{"text":"`+strings.Repeat("x", 1<<20-1000)+`"}`))
	s.want(result("1", `{"to":"_x"}`))
	s.send(request("2", "_x", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`))
	if code, _ := s.closed(); code != 1009 {
		t.Errorf("closed with %d", code)
	}
	r.log.wait(t, "a message from the client is too large", 1)
}

func TestSocketAgentEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	s := r.socket()
	var last []string
	for i := range 500 {
		last = append(last, update("s", fmt.Sprint(i)))
	}
	s.send(`{"jsonrpc":"2.0","method":"_exit","params":{"code":3,"lines":` + list(last) + `}}`)
	s.want(last...)
	if code, reason := s.closed(); code != 1011 || reason != "the agent ended: exit code 3" {
		t.Errorf("%d %q", code, reason)
	}
	r.log.wait(t, "connection ended", 1)
}

func TestSocketAgentDoesNotStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) {
		o.Start = func(Client, *slog.Logger) (Agent, error) { return nil, errors.New("secret reason") }
	})
	s, _, err := r.dial()
	if err != nil {
		t.Fatal(err)
	}
	if code, reason := s.closed(); code != 1011 || reason != "cannot start the agent" {
		t.Errorf("%d %q", code, reason)
	}
	r.log.wait(t, "connection ended", 1)
}

func TestSocketSilence(t *testing.T) {
	t.Parallel()
	t.Run("of the client", func(t *testing.T) {
		r := newRig(t, "h1", func(o *Options) { o.Limits.Read = 50 * time.Millisecond })
		s, _, err := r.dial()
		if err != nil {
			t.Fatal(err)
		}
		if code, reason := s.closed(); code != 1008 || !strings.Contains(reason, "no initialize") {
			t.Errorf("%d %q", code, reason)
		}
	})
	t.Run("of the agent", func(t *testing.T) {
		r := newRig(t, "h1", mode("mute"), func(o *Options) { o.Limits.Initialize = 50 * time.Millisecond })
		s, _, err := r.dial()
		if err != nil {
			t.Fatal(err)
		}
		s.send(request("0", "initialize", `{}`))
		if code, reason := s.closed(); code != 1011 || !strings.Contains(reason, "in time") {
			t.Errorf("%d %q", code, reason)
		}
	})
}

// Pings arrive, and the connection still works after some have been answered.
func TestSocketPings(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1", func(o *Options) { o.Limits.Ping = 5 * time.Millisecond })
	pings := make(chan struct{}, 100)
	ws, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(r.base, "http"), &websocket.DialOptions{
		OnPingReceived: func(context.Context, []byte) bool {
			select {
			case pings <- struct{}{}:
			default:
			}
			return true
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	s := &socketClient{rig: r, ws: ws}
	s.send(request("0", "initialize", `{}`))
	s.next()
	read := make(chan error, 1)
	go func() { _, _, err := ws.Read(t.Context()); read <- err }()
	for range 5 {
		select {
		case <-pings:
		case err := <-read:
			t.Fatal(err)
		case <-time.After(patience):
			t.Fatal("no ping arrives")
		}
	}
	s.send(request("1", "session/list", `{}`))
	if err := <-read; err != nil {
		t.Error(err)
	}
}

// A request that is not a proper upgrade starts no agent.
func TestMalformedUpgrade(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	conn := must.Get(net.Dial("tcp", r.addr))(t)
	defer conn.Close()
	fmt.Fprintf(conn, "GET /acp HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\n\r\n", r.addr)
	res := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	io.Copy(io.Discard, res.Body)
	if res.StatusCode != 400 {
		t.Errorf("%d", res.StatusCode)
	}
	r.log.wait(t, "connection ended", 1)
	if strings.Contains(r.log.String(), "agent started") {
		t.Error("an agent was started")
	}
}
