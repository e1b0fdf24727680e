//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// A server requires a token unless told otherwise. Its first line is the exact command to type, and
// stays the same after a restart. A client without the token is told what to add.
func TestServedWithAToken(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	start := func(listen string) *Server {
		return startServer(t, command(dir, "serve", "--listen", listen, "--", "parley", "agent", "demo"))
	}
	address := start("127.0.0.1:0")
	address.Stop()
	server := start(address.address())
	line := server.client
	server.Stop()
	server = start(address.address())
	if server.client != line {
		t.Errorf("it says %q, and after a restart %q", line, server.client)
	}

	s := startIn(t, 80, 24, workDir(t), nil, []string{filepath.Join(toolbox, "sh"), "-c", line})
	s.WaitFor("Ask the agent")
	s.Prompt("hello")
	s.WaitFor("That is all.")

	for _, args := range [][]string{{"run", "--agent", server.URL("ws"), "hello"}, {"sessions", server.URL("http")}} {
		r := run(t, workDir(t), "", args...)
		if r.code != 1 || !strings.Contains(r.stderr, "401 Unauthorized; to send a token, set AUTH='Bearer TOKEN' in the environment and add --header-env Authorization=AUTH") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: got %+v", args[0], r)
		}
	}
}
