package faults

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// eventually waits until complaint returns "", for at most patience.
func eventually(t *testing.T, complaint func() string) {
	t.Helper()
	within(t, patience, complaint)
}

// within is eventually with the limit d.
func within(t *testing.T, d time.Duration, complaint func() string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(d); ; {
		why := complaint()
		if why == "" {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Error(why)
			return
		}
	}
}

func stacks() string {
	buf := make([]byte, 4<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// running returns the stacks of goroutines started by parley or its network libraries.
func running() string {
	var left []string
	for g := range strings.SplitSeq(stacks(), "\n\n") {
		for _, place := range []string{"parley/acpclient", "parley/internal/gateway", "parley/internal/host", "parley/internal/process",
			"parley/permissions", "parley/fsops", "parley/terminal", "net/http", "coder/websocket", "faults.(*"} {
			if strings.Contains(g, place) && !strings.Contains(g, "testing.tRunner") {
				left = append(left, g)
				break
			}
		}
	}
	return strings.Join(left, "\n\n")
}

// descriptors returns the number of open file descriptors of this process, 0 if unknown.
func descriptors() int {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(dir)
}

// nothingLeft checks that run leaves no goroutine and no file descriptor open.
func nothingLeft(t *testing.T, run func(t *testing.T)) {
	t.Helper()
	newLedger(t).close() // opens the descriptors that the runtime opens only once
	before := descriptors()
	run(t)
	eventually(t, func() string {
		if left := running(); left != "" {
			return "these still run:\n" + left
		}
		return ""
	})
	eventually(t, func() string {
		if n := descriptors(); n > before {
			return fmt.Sprintf("%d descriptors are open, before it were %d", n, before)
		}
		return ""
	})
}
