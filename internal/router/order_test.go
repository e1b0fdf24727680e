package router

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"parley/acpclient/transport"
	"parley/internal/hello"
)

// What is sent about a session before it is known which parley has it arrives in its order, the cancel, too.
func TestOrderOfAnUnknownSession(t *testing.T) {
	w := &world{t: t}
	one := w.add("one", "a")
	c := w.connect().initialize()
	for i := range 20 {
		c.Begin("session/prompt", object{"sessionId": "a", "n": i})
		for range 100 {
			c.Notify("session/cancel", object{"sessionId": "a", "n": i})
			c.Notify("session/cancel", object{"sessionId": fmt.Sprint(i)})
		}
	}
	one.await(t, `session/cancel {"n":19,`)
	one.mu.Lock()
	defer one.mu.Unlock()
	prompts, cancelled := 0, -1
	for _, h := range one.heard {
		switch {
		case strings.HasPrefix(h, fmt.Sprintf(`session/prompt {"n":%d,`, prompts)):
			if cancelled != prompts-1 {
				t.Errorf("got %s, and the prompt before was not cancelled", h)
			}
			prompts++
		case strings.HasPrefix(h, "session/prompt"):
			t.Errorf("got %s, want the prompt %d", h, prompts)
		case strings.HasPrefix(h, "session/cancel"):
			if cancelled = prompts - 1; !strings.Contains(h, fmt.Sprintf(`{"n":%d,`, cancelled)) {
				t.Errorf("got %s after the prompt %d", h, cancelled)
			}
		}
	}
	if prompts != 20 {
		t.Errorf("%d prompts", prompts)
	}
}

// What waits while the parleys are asked who has a session is bounded: one of them may not answer.
func TestWaitingIsBounded(t *testing.T) {
	w := &world{t: t}
	w.add("one", "a")
	hold := make(chan struct{})
	defer close(hold)
	list := func() ([]Parley, error) { <-hold; return w.list() }
	here, there := net.Pipe()
	defer here.Close()
	go Serve(t.Context(), transport.Streams(there, there), Options{Role: hello.Watch, List: list, Dial: w.dial})
	go func() {
		fmt.Fprintln(here, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
		large := strings.Repeat("x", maxWaiting/8)
		for i := 1; i <= 20; i++ {
			fmt.Fprintf(here, `{"jsonrpc":"2.0","id":%d,"method":"session/load","params":{"sessionId":"a%d","more":%q}}`+"\n", i, i%3, large)
			fmt.Fprintf(here, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"a%d","more":%q}}`+"\n", i%3, large)
		}
	}()
	refused := 0
	for in := bufio.NewScanner(here); refused < 12 && in.Scan(); {
		if strings.Contains(in.Text(), "Too much waits") {
			refused++
		}
	}
	if refused < 12 {
		t.Errorf("%d were refused", refused)
	}
}
