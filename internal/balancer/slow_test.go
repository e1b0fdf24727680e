//go:build unix

package balancer

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/slowlink"
)

// The speed of the connection between client and front in bytes per second, and the amounts sent
// over it. The amounts exceed the buffers of the front and the systems, so that the server sees the
// connection stall, and for a long time.
const (
	slowRate  = 384 << 10
	slowPiece = 32 << 10
	slowLoad  = 175 * slowPiece // from the agent
	slowAsk   = 3 << 19         // to the agent
)

// opened is the result of opening a session.
type opened struct {
	session *acpclient.Session
	err     error
}

// eachSlow runs a test with every kind of front over a slow connection, with each protocol of the
// front. The servers have a short stall limit.
func eachSlow(t *testing.T, test func(t *testing.T, c *client, link *slowlink.Link, loaded <-chan opened), settings ...func(*front) setting) {
	t.Helper()
	each(t, func(t *testing.T, f *front) {
		for _, method := range []struct{ name, scheme, protocol string }{
			{"WebSocket", "wss", "h2"}, {"HTTP 1.1", "https", "h1"}, {"HTTP 2", "https", "h2"}, {"h2c", "http", "h2c"},
		} {
			t.Run(method.name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, f, func(s *stage) {
					s.protocol = method.protocol
					s.extra = []string{"--keep-alive", "500ms", "--stall-timeout", "2500ms", "--read-timeout", "2500ms", "--idle-timeout", "2s"}
					for _, set := range settings {
						set(f)(s)
					}
				})
				s.write("sessions/long", strings.Repeat("agent "+strings.Repeat("x", slowPiece)+"\n", slowLoad/slowPiece))
				link := slowlink.New(t, s.addr, slowlink.Options{Rate: slowRate})
				c := s.newClient(method.scheme)
				c.addr = link.Addr()
				c.dial("long")
				loaded := make(chan opened, 1)
				ctx := c.ctx()
				go func() {
					session, err := c.Conn.LoadSession(ctx, "long", acpclient.NewSession{Cwd: "/"})
					loaded <- opened{session, err}
				}()
				test(t, c, link, loaded)
			})
		}
	})
}

// A slow client is not cut off by the server or the front while bytes move: it opens a long
// session and sends a long prompt.
func TestSlowIsNotSilent(t *testing.T) {
	eachSlow(t, func(t *testing.T, c *client, _ *slowlink.Link, loaded <-chan opened) {
		c.Until("all of the history", func() bool { return len(c.Said()) == slowLoad })
		long := <-loaded
		if c.Session = long.session; long.err != nil {
			t.Fatal(long.err)
		}
		if got := c.Says("size " + strings.Repeat("x", slowAsk-len("size "))); got != fmt.Sprint(slowAsk) {
			t.Errorf("the agent got %s bytes", got)
		}
		if notes := c.Notes(); len(notes) > 0 {
			t.Errorf("the log: %q", notes)
		}
	}, func(f *front) setting { return hurried(f, "500ms") })
}

// A client that stalls is cut off, however much the front buffers.
func TestStandingStill(t *testing.T) {
	eachSlow(t, func(t *testing.T, c *client, link *slowlink.Link, _ <-chan opened) {
		c.Until("the beginning of the history", func() bool { return len(c.Said()) > 0 })
		link.Freeze()
		c.s.await("", "ended")
	})
}
