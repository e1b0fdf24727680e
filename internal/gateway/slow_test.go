package gateway

import (
	"strings"
	"testing"
	"time"

	"parley/acpclient/transport"
	"parley/internal/slowlink"
)

// hasty gives up soon on what stands still.
func hasty(o *Options) {
	o.Limits = Limits{Ping: 200 * time.Millisecond, Pong: 500 * time.Millisecond, Stall: time.Second, Read: time.Second, KeepAlive: 200 * time.Millisecond}
}

// What is slow but moves is not cut, neither way, whatever lies between: a whole
// conversation that takes much longer than a silent connection lives, and a single
// message as long as that.
func TestSlowIsNotSilent(t *testing.T) {
	const rate = 1 << 20
	many := make([]string, 0, 60)
	for range 60 {
		many = append(many, padded("s", 40<<10))
	}
	for _, way := range []struct {
		name, scheme, h2c string
	}{{"WebSocket", "ws", ""}, {"HTTP/1.1", "http", "off"}, {"h2c", "http", "on"}} {
		for _, swallows := range []bool{false, true} {
			name := way.name + " over a slow line"
			if swallows {
				name = way.name + " behind a proxy that takes everything"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, "h1", hasty)
				l := slowlink.New(t, r.addr, slowlink.Options{Rate: rate, Swallows: swallows})
				conn, err := transport.Dial(t.Context(), transport.Remote{URL: way.scheme + "://" + l.Addr() + "/acp", H2C: way.h2c})
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				send := func(msg string) {
					t.Helper()
					if err := conn.Send(transport.Message{Data: []byte(msg)}); err != nil {
						t.Fatal(err)
					}
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
				send(request("1", "_say", `{"lines":`+list(many)+`}`))
				want(`"id":1,"result"`)
				send(request("2", "_say", `{"lines":`+list([]string{padded("s", 2<<20)})+`}`))
				want(`"id":2,"result"`)
			})
		}
	}
}
