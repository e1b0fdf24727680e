package ui

import (
	"fmt"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/memory"
)

// limited is a turn that a limit stops, which resets after that time.
func limited(after time.Duration) func(*fakeagent.Turn) string {
	return func(t *fakeagent.Turn) string {
		t.Say("working")
		t.Update(fmt.Sprintf(`{"sessionUpdate":"usage_update","used":5000,"size":10000,"_meta":{"_claude/rateLimit":{"status":"rejected","rateLimitType":"five_hour","resetsAt":%d,"utilization":1}}}`, time.Now().Add(after).Unix()))
		return ""
	}
}

// When a limit has stopped a turn, the screen says when it resets, and nothing is sent by itself.
func TestLimitStopsTurn(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.fake.Turn(limited(time.Hour))
		d.types("go\n")
		d.wait(10 * time.Second)
		d.sees("Limit reached, resets 01:00", "limit reached, resets 01:00", "? help")
		d.wait(2 * time.Hour)
		d.misses("· limit reached")
		d.prompts("go")
	})
}

// With resume_within, a countdown runs until the prompt is sent again. esc cancels it.
func TestResumeWhenLimitResets(t *testing.T) {
	within := func(_ *driver, o *Options) { o.ResumeWithin = time.Hour }
	drive(t, within, func(d *driver) {
		d.connected()
		d.fake.Turn(limited(30 * time.Minute))
		d.types("go\n")
		d.wait(10 * time.Second)
		d.sees("Limit reached, resets 00:30; the prompt is sent again then", `queued 1  "go"`, "resumes 00:30, in 29m", "esc cancel")
		d.fake.Turn(nil)
		d.wait(10 * time.Minute)
		d.sees("resumes 00:30, in 19m")
		d.wait(21 * time.Minute)
		d.prompts("go|go")
		d.sees("You said: go", "? help")
		d.misses("resumes", "queued")
	})
	drive(t, within, func(d *driver) {
		d.connected()
		d.fake.Turn(limited(30 * time.Minute))
		d.types("go\n")
		d.wait(10 * time.Second)
		d.press("esc")
		d.sees("Not sent again", "limit reached, resets 00:30")
		d.misses("resumes", "queued", "esc cancel")
		d.wait(time.Hour)
		d.prompts("go")
	})
}

// metered is a turn of which the agent tells what it took.
func metered(t *fakeagent.Turn) string {
	t.Update(`{"sessionUpdate":"usage_update","used":5000,"size":10000,"cost":{"amount":0.25,"currency":"USD"},"_meta":{"_claude/rateLimit":{"status":"allowed","rateLimitType":"five_hour","resetsAt":946688400,"utilization":0.42}}}`)
	return `{"stopReason":"end_turn","usage":{"totalTokens":3110,"inputTokens":2468,"outputTokens":642}}`
}

// /usage shows what the last turn, the session and all sessions of the day took.
func TestUsage(t *testing.T) {
	store := memory.NewUsage(t.TempDir())
	drive(t, func(_ *driver, o *Options) { o.Usage = store }, func(d *driver) {
		d.connected()
		d.types("/usage\n")
		d.sees("╭ Usage", "The agent has not reported any usage")
		d.press("esc")
		d.fake.Turn(metered)
		for range 2 {
			d.types("go\n")
			d.wait(time.Second)
		}
		if err := store.Add("other", event.TurnUsage{Total: 12345}); err != nil {
			t.Fatal(err)
		}
		d.misses("limit")
		d.types("/usage\n")
		d.soon()
		d.sees("Last turn   3,110 tokens: 2,468 in, 642 out", "Session     6,220 tokens: 4,936 in, 1,284 out", "Context     50%, 5,000 of 10,000 tokens",
			"Cost        $0.25", "Limit       Five hour limit 42%, resets 01:00", "Today, all sessions", "other       12,345 tokens in 1 turn", "fake        6,220 tokens in 2 turns")
		d.golden("usage")
		d.types("/usage\n")
	})
}
