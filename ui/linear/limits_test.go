package linear

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/memory"
)

// limited is a turn that a limit stops, which resets after half an hour.
func limited(t *fakeagent.Turn) string {
	t.Update(fmt.Sprintf(`{"sessionUpdate":"usage_update","used":5,"size":10,"_meta":{"_claude/rateLimit":{"status":"rejected","resetsAt":%d}}}`, time.Now().Add(30*time.Minute).Unix()))
	return ""
}

// When a limit has stopped a turn, a line says when it resets, and that the prompt is sent again, which /stop cancels.
func TestLimitStopsTurn(t *testing.T) {
	for within, want := range map[time.Duration]string{0: "Limit reached, resets 00:30.\n", time.Hour: "Limit reached, resets 00:30; the prompt is sent again then.\n/stop cancels that; press enter to send it now.\n"} {
		for _, stop := range []bool{true, false} {
			talkTo(t, func(r *rig) { r.opts.ResumeWithin = within; r.fake.Turn(limited) }, func(r *rig) {
				r.types("go")
				r.sees(want)
				r.types("/status")
				said := "Limit reached, resets 00:30.\n"
				if within > 0 {
					said += "The prompt is sent again 00:30, in 30 minutes 0 seconds. /stop cancels that.\n"
				}
				r.sees(said)
				r.fake.Turn(nil)
				prompts := "go"
				if stop {
					r.types("/stop")
					r.sees(map[bool]string{true: "Not sent again.", false: "Nothing is running."}[within > 0])
				} else if within > 0 {
					prompts = "go|go"
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if got, _, _ := r.seen(); got != prompts {
					t.Errorf("sent %q, want %q", got, prompts)
				}
			})
		}
	}
}

// /usage prints what the last turn, the session and all sessions of the day took.
func TestUsage(t *testing.T) {
	store := memory.NewUsage(t.TempDir())
	talkTo(t, func(r *rig) { r.opts.Usage = store }, func(r *rig) {
		r.types("/usage")
		r.sees("The agent has not reported any usage.\n")
		r.fake.Turn(func(t *fakeagent.Turn) string {
			t.Update(`{"sessionUpdate":"usage_update","used":5000,"size":10000,"_meta":{"_claude/rateLimit":{"status":"allowed","rateLimitType":"five_hour","resetsAt":946688400,"utilization":0.42}}}`)
			return `{"stopReason":"end_turn","usage":{"totalTokens":3110,"inputTokens":2468,"outputTokens":642}}`
		})
		r.types("go")
		r.fresh()
		r.types("/usage")
		r.wants("Last turn: 3,110 tokens: 2,468 in, 642 out.", "Session: 3,110 tokens: 2,468 in, 642 out.", "Context: 50%, 5,000 of 10,000 tokens.",
			"Limit: Five hour limit 42%, resets 01:00.", "Today, fake: 3,110 tokens in 1 turn.")
	})
}
