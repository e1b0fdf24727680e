package linear

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/fakeagent"
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
