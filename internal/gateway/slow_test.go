package gateway

import (
	"math"
	"strings"
	"testing"
	"time"

	"parley/acpclient/transport"
	"parley/internal/must"
	"parley/internal/slowlink"
)

// hasty sets short limits for peers that do not move.
func hasty(o *Options) {
	o.Limits = Limits{Ping: 200 * time.Millisecond, Stall: time.Second, Read: time.Second, KeepAlive: 200 * time.Millisecond}
}

// A slow peer that still makes progress is not cut off, in either direction, whatever is in
// between: neither during a conversation that takes much longer than the idle limit, nor
// during a single message that long. The clock is real, because the system's own buffers
// count, so nothing but these cases runs at the same time.
func TestSlowIsNotSilent(t *testing.T) {
	const rate = 1 << 20
	// Updates without a session, which over HTTP go to the stream of the connection.
	conversation := request("1", "_repeat", `{"times":60,"lines":`+list([]string{padded("", 40<<10)})+`}`)
	long := request("2", "_say", `{"lines":`+list([]string{padded("", rate*3/2)})+`}`)
	type method struct{ name, scheme, h2c string }
	socket := method{"WebSocket", "ws", ""}
	http := []method{{"HTTP 1.1", "http", "off"}, {"h2c", "http", "on"}}
	for _, link := range []struct {
		name    string
		room    int
		stall   time.Duration
		methods []method
	}{
		{"a slow line", 0, time.Second, append(http, socket)},
		{"a proxy that buffers everything", math.MaxInt, time.Second, append(http, socket)},
		// Over HTTP such a proxy cannot be told from a client that does not read.
		{"a proxy with a large buffer", rate * 3 / 2, time.Second / 2, []method{socket}},
	} {
		for _, way := range link.methods {
			t.Run(way.name+" over "+link.name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, "h1", func(o *Options) { hasty(o); o.Limits.Stall = link.stall })
				l := slowlink.New(t, r.addr, slowlink.Options{Rate: rate, Buffer: link.room})
				conn := must.Get(transport.Dial(t.Context(), transport.Remote{URL: way.scheme + "://" + l.Addr() + "/acp", H2C: way.h2c}))(t)
				defer conn.Close()
				send := func(msg string) {
					t.Helper()
					must.Do(t, conn.Send(transport.Message{Data: []byte(msg)}))
				}
				want := func(words string) {
					t.Helper()
					for {
						msg, err := conn.Recv()
						if err != nil {
							t.Fatalf("before %.30q: %v", words, err)
						}
						if strings.Contains(string(msg), words) {
							return
						}
						if strings.Contains(string(msg), `"error"`) {
							t.Fatalf("%.300s", msg)
						}
					}
				}
				send(request("0", "initialize", `{"protocolVersion":1}`))
				want(`"protocolVersion":1`)
				send(conversation)
				want(`"id":1,"result"`)
				send(long)
				want(`"id":2,"result"`)
			})
		}
	}
}
