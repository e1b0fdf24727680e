package router

import (
	"context"
	"errors"
	"testing"

	"parley/acpclient/jsonrpc"
	"parley/internal/must"
)

// Nothing is left of a client that has left, and the parleys see it. What it began continues: its requests are not
// withdrawn.
func TestLeaving(t *testing.T) {
	w := &world{t: t}
	one := w.add("one", "a")
	ended := make(chan error, 1)
	one.request = func(p *jsonrpc.Peer, r jsonrpc.Request) jsonrpc.Work {
		return func(ctx context.Context) (any, error) {
			if r.Method == "session/prompt" {
				<-ctx.Done()
				ended <- context.Cause(ctx)
			}
			return object{}, nil
		}
	}
	c := w.connect().initialize()
	c.call("session/load", `{"sessionId":"a"}`)
	c.Begin("session/prompt", object{"sessionId": "a"})
	one.await(t, "session/prompt")
	must.Do(t, c.Close(nil))
	if err := <-c.served; err != nil {
		t.Error(err)
	}
	if err := <-ended; errors.Is(err, jsonrpc.ErrRequestCancelled) {
		t.Errorf("the prompt ended with %v", err)
	}
	<-one.peers[0].Done()
}
