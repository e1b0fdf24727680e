//go:build unix

package attacks

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// aloneVar names the test that this process was started for.
const aloneVar = "PARLEY_ATTACK_ALONE"

// alone reports whether this process runs only this test, because the test measures the process. If
// not, alone runs the test in a separate process, in parallel with the other tests, and reports its
// result.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneVar) == t.Name() {
		return true
	}
	t.Parallel()
	var pattern []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", strings.Join(pattern, "/"))
	cmd.Env = append(os.Environ(), aloneVar+"="+t.Name())
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("in a separate process: %v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("in a separate process:\n%s", out)
	case !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("in a separate process it did not run:\n%s", out)
	default:
		t.Logf("%s", out)
	}
	return false
}
