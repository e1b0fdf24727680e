package router

import (
	"fmt"
	"strings"
	"testing"
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
