package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/permissions"
)

// bounded is a sandbox with one more writable directory than the roots.
func bounded(also string, confine func(*exec.Cmd, []string) error) *Sandbox {
	return &Sandbox{confine, func(path string, roots []string) bool {
		return slices.ContainsFunc(append(slices.Clone(roots), also), func(dir string) bool {
			rel, err := filepath.Rel(dir, path)
			return err == nil && filepath.IsLocal(rel)
		})
	}}
}

func sandboxed(t *testing.T) (r *rig, also string) {
	r, also = newRig(t), realDir(t)
	r.host.opts.Sandbox = bounded(also, func(*exec.Cmd, []string) error { return nil })
	return r, also
}

// turnedAway checks that a request fails without a question, that the error is useful for the agent's model,
// and that the transcript names the sandbox.
func (r *rig) turnedAway(g going, path string) {
	r.t.Helper()
	o := g.waitUnasked(r)
	if o.err == nil || !strings.Contains(o.err.Error(), "sandbox") || !strings.Contains(o.err.Error(), path) {
		r.t.Errorf("ended with %+v", o)
	}
	find(r.t, r.sink, "decision that names the sandbox", func(e event.PermissionAnswered) bool {
		return !e.Allowed && strings.HasPrefix(e.By, permissions.BySandbox) && strings.Contains(e.Subject+e.By, path)
	})
}

// parley does not write for the agent what the sandbox forbids, by any path, rule or earlier answer.
func TestSandboxRefusesWritesOutside(t *testing.T) {
	r, also := sandboxed(t)
	r.setRules(fmt.Sprintf("[[allow]]\nkind = \"edit\"\npath = %q\n", r.outside+"/**"))
	r.host.Broker().Grant(theSession, "edit "+filepath.Join(r.outside, "f"))

	r.turnedAway(r.write(filepath.Join(r.outside, "f"), "x"), filepath.Join(r.outside, "f"))
	if err := os.Symlink(r.outside, r.path("link")); err == nil {
		r.turnedAway(r.write(r.path("link/g"), "x"), r.path("link/g"))
	}
	r.holds(filepath.Join(r.outside, "f"), "")
	r.holds(filepath.Join(r.outside, "g"), "")

	r.passes(r.write(r.path("inside"), "x"), "once")
	r.passes(r.write(filepath.Join(also, "f"), "x"), "once") // the agent itself could, but parley asks
	r.holds(filepath.Join(also, "f"), "x")
}

// What the sandbox forbids is refused in the session's own directory, too: the agent may have listed the
// session with a directory that it cannot write to.
func TestSandboxForbidsTheDirectory(t *testing.T) {
	r, _ := sandboxed(t)
	r.host.opts.Sandbox.Writable = func(string, []string) bool { return false }
	r.turnedAway(r.write(r.path("inside"), "x"), r.path("inside"))
	r.turnedAway(r.create(wire.CreateTerminalRequest{Command: "true"}), r.root)
	r.holds(r.path("inside"), "")
}

// The sandbox does not restrict reading, so reading outside is asked as usual.
func TestSandboxLetsReadsBeAsked(t *testing.T) {
	r, _ := sandboxed(t)
	file := r.put(filepath.Join(r.outside, "f"), "text")
	if got := r.passes(r.read(file), "once"); got != "text" {
		t.Errorf("got %q", got)
	}
}

func TestSandboxRefusesCommandsOutside(t *testing.T) {
	r, also := sandboxed(t)
	r.turnedAway(r.create(wire.CreateTerminalRequest{Command: "true", Cwd: r.outside}), r.outside)
	if err := os.Symlink(r.outside, r.path("link")); err == nil {
		r.turnedAway(r.create(wire.CreateTerminalRequest{Command: "true", Cwd: r.path("link")}), r.path("link"))
	}
	for _, dir := range []string{"", r.root, also} {
		r.refused(r.create(wire.CreateTerminalRequest{Command: "true", Cwd: dir}))
	}
}
