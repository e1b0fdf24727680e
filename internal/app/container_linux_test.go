package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// An agent in a mount namespace of its own, as in a container, knows the project by another path. Where the system allows no
// namespace, a directory takes its place, and only parley's side is tested.
func TestAgentInAContainer(t *testing.T) {
	s := newShell(t)
	self := must.Get(os.Executable())(t)
	there := t.TempDir()
	prefix := `prefix = ["/bin/sh", "-c", 'exec "$@"', "sh"]`
	if unshare, err := exec.LookPath("/usr/bin/unshare"); err == nil && exec.Command(unshare, "-rm", "/bin/true").Run() == nil {
		prefix = fmt.Sprintf(`prefix = [%q, "-rm", "/bin/sh", "-c", '/bin/mount --bind "$0" %s && cd %s && /bin/test -f f.txt && exec "$@"', %q]`, unshare, there, there, s.dir)
	} else {
		t.Log("no namespaces here: the agent runs beside parley")
	}
	write(t, filepath.Join(s.dir, "f.txt"), "a\nb\n")
	s.configure(fmt.Sprintf("registry = false\n[agents.boxed]\ncommand = %q\nargs = [\"agent\", \"demo\"]\n%s\npaths = { %q = \".\" }\n", self, prefix, there))
	r := s.run("", "run", "--agent", "boxed", "-o", "stream-json", "--approve-all", "read f.txt and edit f.txt and run ls")
	s.want(r, 0, "`f.txt` has 2 lines.")
	if strings.Contains(r.out, there) {
		t.Errorf("the agent's path is shown: %s", r.out)
	}
	if got, _ := os.ReadFile(filepath.Join(s.dir, "f.txt")); !strings.Contains(string(got), "demo agent was here") {
		t.Errorf("got %q", got)
	}
	if entries, _ := os.ReadDir(there); len(entries) > 0 {
		t.Errorf("outside of the namespace there is %v", entries)
	}
}
