package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// The line is reported after the delay, once, and not after the end.
func TestWarnLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := make(chan string, 9)
		ctx, stop := context.WithCancel(t.Context())
		began := time.Now()
		warn := func(line string) { lines <- line + time.Since(began).String() }
		warnLater(ctx, warn, time.Second, func(context.Context) string { return "found after " })
		warnLater(ctx, warn, time.Second, func(context.Context) string { return "" })
		warnLater(ctx, warn, time.Minute, func(context.Context) string { return "too late" })
		time.Sleep(2 * time.Second)
		stop()
		synctest.Wait()
		if got := <-lines; len(lines) > 0 || got != "found after 1s" {
			t.Errorf("%q, and %d more", got, len(lines))
		}
	})
}

func TestSweptLine(t *testing.T) {
	for _, test := range []struct {
		found, left int
		want        string
	}{
		{0, 0, ""},
		{1, 0, "a parley that was killed left 1 process: it has been ended"},
		{3, 0, "a parley that was killed left 3 processes: they have been ended"},
		{3, 1, "a parley that was killed left 3 processes; 1 of them cannot be ended"},
		{1, 1, "a parley that was killed left 1 process; it cannot be ended"},
	} {
		if got := sweptLine(test.found, test.left); got != test.want {
			t.Errorf("%d, %d: %q", test.found, test.left, got)
		}
	}
}
