package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/internal/must"
)

// A huge line costs little more than itself and the text in it. The high-water mark is what the agent sees when
// parley leaves: what the system says of a child that has ended counts the memory of the process that started it.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	must.Do(t, command(dir, append([]string{"run", "huge"}, scripted(t)...)...).Run())
	status := must.Get(os.ReadFile(filepath.Join(dir, "status")))(t)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes := must.Get(strconv.Atoi(strings.Fields(after + " none")[0]))(t)
	const rest = 100_000_000
	peak := kilobytes << 10
	t.Logf("%d MB for a line of %d MB", peak/1_000_000, hugeSize/1_000_000)
	if peak > 2*hugeSize+rest {
		t.Error("too much")
	}
}
