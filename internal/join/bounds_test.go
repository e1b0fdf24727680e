package join

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
)

// Of a flood of cancels a bounded number waits, however large they are, and the last one stops the turn, however
// large it is.
func TestAFloodOfCancels(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		r.script.Turn(func(t *fakeagent.Turn) string {
			if t.Wait(time.Hour) {
				return "cancelled"
			}
			return "end_turn"
		})
		good := r.follow("good", hello.Talk, 1)
		turn := good.prompt("first")
		r.settle()
		conn := r.sockets.dial()
		say(conn, `{"parley":1,"client":"evil","role":"talk"}`)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		padding := strings.Repeat("x", 1<<20)
		for range 300 {
			say(conn, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1","_meta":"`+padding+`"}}`)
		}
		for range 3000 {
			say(conn, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"other"}}`)
		}
		var waits int
		r.on(func() {
			for _, c := range r.hub.clients {
				waits += len(c.todo)
			}
		})
		runtime.GC()
		runtime.ReadMemStats(&after)
		if more := int64(after.HeapAlloc) - int64(before.HeapAlloc); more > 32<<20 || waits > maxCancels {
			t.Errorf("%d cancels wait, in %d bytes", waits, more)
		}
		if got := outcome(turn); got != "" { // it never said initialize
			t.Errorf("the turn has ended: %s", got)
		}
		for range 3 * maxCancels {
			good.peer.Notify("session/cancel", object{"sessionId": "other"})
		}
		good.peer.Notify("session/cancel", object{"sessionId": "s1", "_meta": padding})
		r.settle()
		if got := outcome(turn); !strings.Contains(got, "cancelled") {
			t.Errorf("the turn was not stopped: %s", got)
		}
	})
}

// A prompt may be large: it is decoded while the goroutine of the screen does something else.
func TestPromptsAreDecodedElsewhere(t *testing.T) {
	each(t, func(r *rig, version int) {
		g := r.follow("phone", hello.Talk, version)
		r.on(func() {
			for _, block := range []string{`5`, `{"type":"image","data":"%"}`, `{"type":"audio"}`, `{"type":"text","text":" "}`} {
				call := g.begin("session/prompt", `{"sessionId":"s1","prompt":[`+block+`]}`)
				synctest.Wait()
				if got := outcome(call); !strings.Contains(got, "-32602") {
					t.Errorf("%s: %q", block, got)
				}
			}
		})
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

// A client opens sessions, but not without end.
func TestAtMostSoManySessions(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		g := r.join("phone", hello.Talk, 1)
		params := `{"cwd":` + jsonText(r.Cwd) + `,"mcpServers":[]}`
		for range maxSessions - 1 { // and the one that was there
			g.must("session/new", params)
		}
		g.fails(-32603, "session/new", params)
		if calls := r.Agent().Calls("session/new"); len(calls) != maxSessions {
			t.Errorf("the agent opened %d", len(calls))
		}
	})
}
