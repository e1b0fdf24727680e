package router

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/hello"
)

// A client that does not read is dropped, and nobody else waits for it.
func TestSlowReader(t *testing.T) {
	w := &world{t: t}
	one := w.add("one", "a")
	one.request = func(p *jsonrpc.Peer, r jsonrpc.Request) jsonrpc.Work {
		return func(ctx context.Context) (any, error) {
			for r.Method == "session/prompt" && ctx.Err() == nil {
				for p.Queued() > 1<<20 && ctx.Err() == nil {
					runtime.Gosched()
				}
				p.Notify("session/update", object{"sessionId": "a", "update": strings.Repeat("x", 100_000)})
			}
			return object{"by": "one"}, ctx.Err()
		}
	}
	here, there := net.Pipe()
	defer here.Close()
	slow := make(chan error, 1)
	go func() {
		slow <- Serve(t.Context(), transport.Streams(there, there), Options{Role: hello.Talk, List: w.list, Dial: w.dial})
	}()
	for i, method := range []string{"initialize", "session/load", "session/prompt"} {
		fmt.Fprintf(here, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"protocolVersion":1,"sessionId":"a"}}`+"\n", i, method)
		if method != "session/prompt" {
			here.Read(make([]byte, 10_000))
		}
	}
	c := w.connect().initialize()
	for range 100 {
		c.wants(c.call("session/load", `{"sessionId":"a"}`), `{"by":"one"}`)
	}
	<-slow
	c.wants(c.call("session/load", `{"sessionId":"a"}`), `{"by":"one"}`)
}

// BenchmarkUpdate measures the CPU of an update on its way from a parley to a client, both ends included.
func BenchmarkUpdate(b *testing.B) {
	w := &world{t: b}
	one := w.add("one", "a")
	params, _ := json.Marshal(object{"sessionId": "a", "update": object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": strings.Repeat("word ", 20)}}})
	one.request = func(p *jsonrpc.Peer, _ jsonrpc.Request) jsonrpc.Work {
		return func(context.Context) (any, error) {
			for range b.N {
				for p.Queued() > 1<<20 {
					runtime.Gosched()
				}
				p.Notify("session/update", json.RawMessage(params))
			}
			return object{}, nil
		}
	}
	c := w.connect().initialize()
	go func() {
		for range c.received {
		}
	}()
	c.call("session/load", `{"sessionId":"a"}`)
	b.ResetTimer()
	c.call("session/prompt", `{"sessionId":"a"}`)
}
