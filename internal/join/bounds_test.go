package join

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/internal/hello"
)

// Notifications that wait are bounded, however large they are and whatever the client waits for itself.
func TestAFloodOfNotifications(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		conn := r.sockets.dial()
		say(conn, `{"parley":1,"client":"evil","role":"watch"}`)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		padding := strings.Repeat("x", 1<<20)
		for range 300 {
			say(conn, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1","_meta":"`+padding+`"}}`)
			time.Sleep(time.Millisecond)
		}
		small := `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`
		for range 3000 {
			say(conn, small)
			time.Sleep(50 * time.Microsecond)
		}
		var waits int
		r.on(func() {
			for _, c := range r.hub.clients {
				waits += len(c.todo)
			}
		})
		runtime.GC()
		runtime.ReadMemStats(&after)
		if more := int64(after.HeapAlloc) - int64(before.HeapAlloc); more > 32<<20 || waits > maxNotes {
			t.Errorf("%d notifications wait, in %d bytes", waits, more)
		}
	})
}

// Only prompts are large: of other requests the front end's goroutine decodes little.
func TestLargeParameters(t *testing.T) {
	each(t, func(r *rig, version int) {
		padding := strings.Repeat("x", maxParams)
		g := r.follow("phone", hello.Talk, version)
		for _, method := range []string{"session/list", "session/resume", "session/set_config_option", "session/new"} {
			g.fails(-32602, method, fmt.Sprintf(`{"sessionId":"s1","cwd":"/","_meta":{"x":%q}}`, padding))
		}
		r.join("watcher", hello.Watch, version).fails(-32602, "session/prompt", `{"sessionId":"s1","prompt":[{"type":"text","text":"`+padding+`"}]}`)
		call := g.prompt(padding)
		r.settle()
		if got := outcome(call); strings.Contains(got, "Invalid") {
			t.Error(got)
		}
	})
}
