//go:build unix

package balancer

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/must"

	"github.com/coder/websocket"
)

// short is the idle time of the front in these tests.
const short = 3 * time.Second

// hurried makes the front cut connections that are idle for short, and sets the servers' keep-alive
// interval.
func hurried(f *front, keepAlive string) setting {
	return func(s *stage) {
		s.changes = append(s.changes, change{f.limit, strings.Replace(f.limit, "6m", short.String(), 1)})
		s.extra = append(s.extra, "--keep-alive", keepAlive)
	}
}

// idleStream opens a stream and leaves it idle. It returns the lines that arrive on it, and a
// function that posts to its connection.
func (s *stage) idleStream() (lines <-chan string, post func(message string) int) {
	s.t.Helper()
	c := s.browser("h2")
	place := "https://" + s.addr + "/acp"
	made, _ := s.ask(c, "POST", place, initializing)
	headers := []string{"Acp-Connection-Id: " + made.Header.Get("Acp-Connection-Id"), "Accept: text/event-stream"}
	for _, k := range made.Cookies() {
		headers = append(headers, "Cookie: "+k.Name+"="+k.Value)
	}
	stream, _ := s.ask(c, "GET", place, "", headers...)
	if stream.StatusCode != 200 {
		s.t.Fatalf("%s", stream.Status)
	}
	return events(stream.Body), func(message string) int {
		resp, _ := s.ask(c, "POST", place, message, headers...)
		return resp.StatusCode
	}
}

// socket opens a WebSocket, leaves it idle, and reports each ping.
func (s *stage) socket() (ws *websocket.Conn, pings <-chan struct{}) {
	s.t.Helper()
	told := make(chan struct{}, 100)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	ws, _, err := websocket.Dial(ctx, "wss://"+s.addr+"/acp", &websocket.DialOptions{
		HTTPClient: s.browser("h1"), HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
		OnPingReceived: func(context.Context, []byte) bool { told <- struct{}{}; return true },
	})
	if err == nil {
		err = ws.Write(ctx, websocket.MessageText, []byte(initializing))
	}
	if err == nil {
		_, _, err = ws.Read(ctx)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { ws.CloseNow() })
	return ws, told
}

// asking is a request that gets an answer on any connection.
const asking = `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{}}`

// Keep-alives pass the front: a connection lives much longer than the idle time of the front.
func TestIdle(t *testing.T) {
	each(t, func(t *testing.T, f *front) {
		t.Run("https", func(t *testing.T) {
			t.Parallel()
			s := newStage(t, f, hurried(f, "500ms"))
			lines, post := s.idleStream()
			for begun := time.Now(); time.Since(begun) < 5*short/2; {
				if line, ok := <-lines; !ok || line != ":" {
					t.Fatalf("after %s the stream says %q", time.Since(begun), line)
				}
			}
			if status := post(asking); status != 202 {
				t.Errorf("%d", status)
			}
			for line := range lines {
				if line != ":" {
					if !strings.Contains(line, "sessionId") {
						t.Errorf("the stream says %q", line)
					}
					return
				}
			}
			t.Error("the stream has ended")
		})
		t.Run("wss", func(t *testing.T) {
			t.Parallel()
			s := newStage(t, f, hurried(f, "500ms"))
			ws, pings := s.socket()
			answer := make(chan string, 1)
			go func() { // pings are handled only while reading
				defer close(answer)
				if _, text, err := ws.Read(context.Background()); err == nil {
					answer <- string(text)
				}
			}()
			for begun := time.Now(); time.Since(begun) < 5*short/2; {
				select {
				case <-pings:
				case <-answer:
					t.Fatalf("it ended after %s", time.Since(begun))
				}
			}
			must.Do(t, ws.Write(context.Background(), websocket.MessageText, []byte(asking)))
			if got := <-answer; !strings.Contains(got, "sessionId") {
				t.Errorf("the answer is %q", got)
			}
		})
	})
}

// Without keep-alives the front cuts an idle connection, so its idle time is the one set above.
// parley tells this from an end that the agent intended.
func TestSilence(t *testing.T) {
	each(t, func(t *testing.T, f *front) {
		s := newStage(t, f, hurried(f, "30s"))
		lines, _ := s.idleStream()
		ws, _ := s.socket()
		for line := range lines {
			if line != ":" {
				t.Errorf("the stream says %q", line)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if _, text, err := ws.Read(ctx); err == nil || ctx.Err() != nil {
			t.Errorf("the WebSocket says %q, %v", text, err)
		}
	})
}

// Nothing is sent while an agent takes long to answer initialize, so the idle times in
// docs/remote.md must be longer than that.
func TestTimesCoverInitialize(t *testing.T) {
	for _, f := range fronts {
		if text := block(t, f.name); !strings.Contains(text, f.limit) {
			t.Errorf("%s: no %q in\n%s", f.name, f.limit, text)
		}
	}
}
