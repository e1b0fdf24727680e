package app

import (
	"context"
	"fmt"
	"time"

	"parley/internal/process"
	"parley/internal/record"
	"parley/internal/words"
)

// sweepGrace is how long processes left by a killed parley may take to exit before they are killed.
const sweepGrace = 2 * time.Second

// sweepAfter delays the sweep after the start, so that the screen and the agent come first.
const sweepAfter = time.Second

// warnLater calls find on a new goroutine after a delay, and warns of the line it returns. It does
// nothing if the line is "" or ctx has ended.
func warnLater(ctx context.Context, warn func(string), after time.Duration, find func(context.Context) string) {
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

// setInstallation identifies this installation of parley by its state directory. Processes left by
// one parley are ended by others that share the directory.
func setInstallation() {
	if dir, err := record.StateDir(); err == nil {
		process.SetInstallation(dir)
	}
}

// sweep ends processes left by killed parleys, and returns a line that says so, "" if there were
// none.
func sweep(ctx context.Context) string {
	return sweptLine(process.Sweep(ctx, sweepGrace))
}

func sweptLine(found, left int) string {
	processes, end := words.Plural(found, "process", "processes"), ": they have been ended"
	switch {
	case found == 0:
		return ""
	case found == 1 && left > 0:
		end = "; it cannot be ended"
	case found == 1:
		end = ": it has been ended"
	case left > 0:
		end = fmt.Sprintf("; %d of them cannot be ended", left)
	}
	return "a parley that was killed left " + processes + end
}
