package acpclient_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/must"
)

// Case 192: while the screen is suspended (an editor, a login) the reader continues up
// to a bound; then the connection ends in order, after the events that came before.
func TestCase192(t *testing.T) {
	q := event.NewQueue()
	a, c := greet(t, `{}`, nil, acpclient.Options{Sink: q})
	must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: t.TempDir()}))(t)
	text := strings.Repeat("x", 1<<20)
	go func() {
		for a.conn.Send(transport.Message{Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`, text)}) == nil {
		}
	}()
	<-c.Done()
	if !errors.Is(c.Err(), event.ErrQueueFull) {
		t.Errorf("ended with %v", c.Err())
	}
	events := q.Drain()
	size := 0
	for _, e := range events {
		if e, ok := e.(event.TextArrived); ok {
			size += len(e.Text)
		}
	}
	if size < 250<<20 || size > 256<<20 {
		t.Errorf("%d bytes were kept", size)
	}
	if end, ok := events[len(events)-1].(event.Disconnected); !ok || !errors.Is(end.Err, event.ErrQueueFull) {
		t.Errorf("the last word: %v", events[len(events)-1])
	}
}
