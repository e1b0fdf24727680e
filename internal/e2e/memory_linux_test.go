package e2e

import (
	"syscall"
	"testing"
)

// A huge line costs little more than itself and the text in it.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	cmd := command(workDir(t), append([]string{"run", "huge"}, scripted(t)...)...)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	const rest = 100_000_000
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("%d MB for a line of %d MB", peak/1_000_000, hugeSize/1_000_000)
	if peak > 2*hugeSize+rest {
		t.Error("too much")
	}
}
