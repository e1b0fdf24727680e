package agents_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/agents"
	"parley/internal/must"
)

// TestNewest installs the newest version of each known agent that is an npm package, and says which of them still answer
// parley's hello. It installs and runs what others have published, so it wants PARLEY_AGENTS: all, or names.
func TestNewest(t *testing.T) {
	wanted := strings.Fields(os.Getenv("PARLEY_AGENTS"))
	if len(wanted) == 0 {
		t.Skip("it would install the known agents: set PARLEY_AGENTS to all, or to some of their names")
	}
	for _, a := range agents.Known() {
		if a.Package == "" || wanted[0] != "all" && !slices.Contains(wanted, a.Name) {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			dir, home := t.TempDir(), t.TempDir()
			if out, err := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--prefix", dir, a.Package+"@latest").CombinedOutput(); err != nil {
				t.Fatalf("it does not install: %v\n%s", err, out)
			}
			var installed struct{ Version string }
			must.Do(t, json.Unmarshal(must.Get(os.ReadFile(filepath.Join(dir, "node_modules", a.Package, "package.json")))(t), &installed))
			conn := must.Get(transport.StartStdio(transport.StdioOptions{
				Command: filepath.Join(dir, "node_modules", ".bin", a.Command), Args: a.Args, Dir: home,
				Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8"},
			}))(t)
			ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			client, err := acpclient.Connect(ctx, conn, acpclient.Options{Name: "parley", Version: "0", Protocol: "auto", Sink: event.NewQueue()})
			if err != nil {
				t.Fatalf("%s of %s does not answer: %v", installed.Version, a.Package, err)
			}
			defer client.Close()
			info := client.Agent()
			t.Logf("%s %s answers as %q %s, ACP %d; the table has %s", a.Package, installed.Version, info.Label(), info.Version, info.ProtocolVersion, a.Version)
		})
	}
}
