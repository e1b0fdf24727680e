package headless

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/fakeagent"
)

// With --wait, a run prints what the agent says in the turns that it begins itself when work in the background has
// ended; without it, a line says that it does not wait.
func TestWait(t *testing.T) {
	t.Parallel()
	const kid = `{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Find it","state":`
	started := func(t *fakeagent.Turn) {
		t.Update(kid + `{"state":"running"}}`)
		t.Say("started")
	}
	ends := func(t *fakeagent.Turn) { t.Update(kid + `{"state":"idle","stopReason":"end_turn"}}`) }
	ownTurn := func(t *fakeagent.Turn) {
		t.Say("found it")
		t.Update(`{"sessionUpdate":"usage_update","used":1,"size":2,"_meta":{"_claude/origin":{"kind":"task-notification"}}}`)
	}
	nothing := func(*fakeagent.Turn) {}
	idle := func(t *fakeagent.Turn, background string) {
		t.Agent.State(t.Session, `"idle","stopReason":"end_turn","background":`+background)
	}
	// claude plays the turn and what follows it, each a while after the last.
	claude := func(protocol string, turn func(*fakeagent.Turn), later ...func(*fakeagent.Turn)) agent {
		s := &fakeagent.Script{Protocol: protocol}
		if protocol == "1" {
			s.Answer("initialize", `{"protocolVersion":1,"agentInfo":{"name":"@agentclientprotocol/claude-agent-acp"}}`)
		}
		s.Turn(func(t *fakeagent.Turn) string {
			turn(t)
			go func() {
				for _, f := range later {
					time.Sleep(10 * time.Second)
					f(t)
				}
			}()
			return "end_turn"
		})
		return follows(s)
	}
	startedV2 := func(t *fakeagent.Turn) { t.Update(chunk("a", "started")) }
	busyV2 := func(t *fakeagent.Turn) { idle(t, `[{"type":"terminal","terminalId":"t"}]`) }
	ownTurnV2 := func(t *fakeagent.Turn) {
		t.Agent.State(t.Session, `"running"`)
		t.Update(chunk("b", "found it"))
		idle(t, `[]`)
	}
	for name, tc := range map[string]struct {
		agent    agent
		wait     time.Duration
		code     int
		out, err string
	}{
		"v1":                  {claude("1", started, ends, ownTurn), time.Minute, ExitDone, "started\n\nfound it\n", "parley: waiting for 1 task in the background, at most 1m0s\n"},
		"v1, it says no more": {claude("1", started, ends), time.Minute, ExitDone, "started\n", ""},
		"v1, no wait":         {claude("1", started, ends, ownTurn), 0, ExitDone, "started\n", "parley: not waiting for 1 task in the background; --wait does\n"},
		"v1, too long":        {claude("1", started), 50 * time.Second, ExitTimeout, "started\n", "parley: work in the background has not ended within 50s (--wait)\n"},
		"v1, it ends":         {claude("1", started, func(t *fakeagent.Turn) { t.Agent.Close() }), time.Minute, ExitAgent, "started\n", ""},
		"v2":                  {claude("2", func(t *fakeagent.Turn) { startedV2(t); busyV2(t) }, func(t *fakeagent.Turn) { idle(t, `[]`) }, ownTurnV2), time.Minute, ExitDone, "started\n\nfound it\n", "parley: waiting for 1 task in the background, at most 1m0s\n"},
		"v2, no wait":         {claude("2", func(t *fakeagent.Turn) { startedV2(t); busyV2(t) }, ownTurnV2), 0, ExitDone, "started\n", "parley: not waiting for 1 task in the background; --wait does\n"},
		"nothing runs":        {claude("1", nothing), time.Hour, ExitAgent, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				play(t, tc.agent, "go", func(o *Options) { o.Wait = tc.wait }).expect(t, tc.code, tc.out, tc.err)
				time.Sleep(time.Minute) // whatever the agent still does
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := play(t, claude("1", started, ends, ownTurn), "go", func(o *Options) { o.Wait = time.Minute }, format("json"))
		if whole := decodeResult(t, r.out); whole.Answer != "started\n\nfound it" {
			t.Errorf("got %+v", whole)
		}
		for _, f := range []string{"json", "stream-json"} {
			if r = play(t, claude("1", started), "go", format(f)); !strings.Contains(r.out, `"background":1`) {
				t.Errorf("%s: %s", f, r.out)
			}
		}
		time.Sleep(time.Minute)
	})
}
