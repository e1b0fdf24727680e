package app

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// Memory that a turn no longer needs is returned.
func TestTidyReturnsMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // keep the garbage until the test looks for it
	for range 64 {
		left := make([]byte, 1<<20)
		for i := range left {
			left[i] = 1
		}
		runtime.KeepAlive(left)
	}
	before := unneeded()
	if before < 64<<20 {
		t.Fatalf("%d bytes are not needed, of 64 MiB", before)
	}
	freeUnneeded()
	if after := unneeded(); after > before-60<<20 {
		t.Errorf("%d bytes are not needed, %d before", after, before)
	}
}
