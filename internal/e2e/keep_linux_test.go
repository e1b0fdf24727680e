package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/internal/must"
)

// Neither the keeper nor a terminal that is attached shows other programs what is meant for parley, which also removes it.
// What parley starts gets what it always gets.
func TestKeptWithholds(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	k.env = append(k.env, "PARLEY_TOKEN_OF_TEST=hunter2", "FOR_AGENTS=yes")
	s := k.start(80, 24, append([]string{"--keep"}, scripted(t)...)...)
	s.WaitFor(placeholder)
	processes, agents := processesOf(s.root), 0
	for pid, words := range processes {
		environ := string(must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)))(t))
		if strings.Contains(environ, "hunter2") {
			t.Errorf("%d %s shows it", pid, words)
		}
		if strings.Contains(environ, "FOR_AGENTS=yes") {
			agents++
		}
	}
	if len(processes) != 4 || agents != 2 { // of the terminal, the keeper, parley and the agent
		t.Errorf("%d of %d processes have the other variable", agents, len(processes))
	}
}
