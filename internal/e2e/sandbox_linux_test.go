package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/internal/sandbox"
)

// Nothing that the variables of a program say is done before it is confined: the loader of a
// dynamic parley would write a file for LD_DEBUG_OUTPUT, and could load code for LD_PRELOAD.
func TestVariablesOfASandboxedProgram(t *testing.T) {
	if err := sandbox.Check(); err != nil {
		t.Skip(err)
	}
	static := filepath.Join(t.TempDir(), "parley")
	build := exec.Command("go", "build", "-o", static, ".")
	build.Dir, build.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build parley: %v: %s", err, out)
	}
	for name, self := range map[string]string{"as go build makes it": parley, "static": static} {
		t.Run(name, func(t *testing.T) {
			inside, outside := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", t.TempDir()) // which the program may write to; the test's directories are in the real one
			box, err := sandbox.New(self, nil)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("/bin/sh", "-c", `echo "$LD_DEBUG|$GODEBUG" >seen; env >all`)
			cmd.Dir = inside
			cmd.Env = []string{"LD_DEBUG=all", "LD_DEBUG_OUTPUT=" + filepath.Join(outside, "trace"), "GODEBUG=inittrace=1", "PATH=/usr/bin:/bin"}
			if err := box.Wrap(cmd, []string{inside}, nil); err != nil {
				t.Fatal(err)
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := read(t, filepath.Join(inside, "seen")); got != "all|inittrace=1\n" {
				t.Errorf("the program got %q", got)
			}
			if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
				t.Errorf("written outside: %v, %v", entries, err)
			}
		})
	}
}
