package workspace

import (
	"testing"
	"time"
)

// The waits also grow if connections are lost right away. They start again after a connection
// that has lasted.
func TestBackoff(t *testing.T) {
	var b backoff
	now := time.Unix(1_000_000, 0)
	wait := func(bound time.Duration, longer bool) {
		t.Helper()
		got, grows := b.Next(now)
		if got < bound/2 || got >= bound || grows != longer {
			t.Errorf("%v, longer %v; want up to %v, %v", got, grows, bound, longer)
		}
		now = now.Add(got)
	}
	for _, bound := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second} {
		wait(bound, true)
		b.Connected(now)
		now = now.Add(3 * time.Second)
	}
	wait(8*time.Second, true) // the attempt fails
	wait(16*time.Second, true)
	wait(30*time.Second, true)
	wait(30*time.Second, false)
	b.Connected(now)
	now = now.Add(held - time.Second)
	wait(30*time.Second, false)
	b.Connected(now)
	now = now.Add(held)
	wait(500*time.Millisecond, true)
	if b.Connected(now); b.Trying() {
		t.Error("trying while connected")
	}
	for range 100 {
		b.Next(now)
	}
	wait(30*time.Second, false)
	if !b.Trying() {
		t.Error("not trying")
	}
}
