package jsonrpc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

// later answers its requests itself.
type later struct{ requests chan deferredRequest }

type deferredRequest struct {
	ctx    context.Context
	answer func(any, error)
}

func (l later) Notification(string, []byte) {}

func (l later) Request(r jsonrpc.Request) jsonrpc.Work {
	ctx, answer := r.Later()
	l.requests <- deferredRequest{ctx, answer}
	return jsonrpc.Deferred
}

// What is sent before an answer of the handler's own comes first, and what is sent after it comes after.
func TestAnswersKeepTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := transport.Pipe()
		l := later{make(chan deferredRequest, 10)}
		p := jsonrpc.NewPeer(ours, l, jsonrpc.Options{MaxInFlight: 2})
		p.Start()
		got := make(chan string, 100)
		go func() {
			for data, err := theirs.Recv(); err == nil; data, err = theirs.Recv() {
				got <- string(data)
			}
			close(got)
		}()
		for id := range 3 { // the third is one too many
			theirs.Send(transport.Message{Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"wait"}`, id)})
		}
		first, second := <-l.requests, <-l.requests
		theirs.Send(transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)})
		synctest.Wait()
		if first.ctx.Err() != nil || context.Cause(second.ctx) != jsonrpc.ErrRequestCancelled {
			t.Error("the wrong request was cancelled")
		}
		for i := range 50 {
			p.Notify("update", i)
			if i == 25 {
				first.answer("done", nil)
				first.answer("again", nil)
			}
		}
		second.answer(nil, context.Cause(second.ctx))
		synctest.Wait()
		p.Close(nil)
		var lines []string
		for line := range got {
			lines = append(lines, line)
		}
		if len(lines) != 53 || !strings.Contains(lines[0], "Too many requests") || !strings.Contains(lines[27], `"result":"done"`) || !strings.Contains(lines[52], "-32800") {
			t.Errorf("got %q", lines)
		}
	})
}
