package app

import (
	"context"
	"fmt"
	"time"

	"parley/internal/process"
	"parley/internal/record"
)

// sweepGrace is how long what a killed parley has left may take to end by itself.
const sweepGrace = 2 * time.Second

// sweepAfter is how long after the start it is swept: the screen comes first, and the
// agent.
const sweepAfter = time.Second

// tell tells the user what find returns, some time from now, on a goroutine of its own;
// nothing for "", or when ctx ends.
func tell(ctx context.Context, warn func(string), after time.Duration, find func(context.Context) string) {
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(after):
		}
		if line := find(ctx); line != "" {
			warn(line)
		}
	}()
}

// settle names the house of this parley: those that keep their state in one place
// end what one of them has left.
func settle() {
	if dir, err := record.StateDir(); err == nil {
		process.SetInstallation(dir)
	}
}

// sweep ends what parleys have left that were killed, and says so in a line; "" for
// nothing.
func sweep(ctx context.Context) string {
	return sweptLine(process.Sweep(ctx, sweepGrace))
}

func sweptLine(found, left int) string {
	processes, end := fmt.Sprintf("%d processes", found), ": they have been ended"
	switch {
	case found == 0:
		return ""
	case found == 1 && left > 0:
		processes, end = "1 process", "; it cannot be ended"
	case found == 1:
		processes, end = "1 process", ": it has been ended"
	case left > 0:
		end = fmt.Sprintf("; %d of them cannot be ended", left)
	}
	return "a parley that was killed left " + processes + end
}
