package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/internal/sandbox"
	"parley/internal/seeds"
)

// Nothing that the variables of a program say is done before it is confined: the loader of a
// dynamic parley would write a file for LD_DEBUG_OUTPUT, and could load code for LD_PRELOAD.
func TestVariablesOfASandboxedProgram(t *testing.T) {
	if err := sandbox.Check(); err != nil {
		t.Skip(err)
	}
	programs := map[string]string{"as go build makes it": parley}
	if seeds.All() { // most packages are compiled once more for it
		static := filepath.Join(t.TempDir(), "parley")
		build := exec.Command("go", "build", "-o", static, ".")
		build.Dir, build.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build parley: %v: %s", err, out)
		}
		programs["static"] = static
	}
	for name, self := range programs {
		t.Run(name, func(t *testing.T) {
			inside, outside := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", t.TempDir()) // which the program may write to; the test's directories are in the real one
			box := must.Get(sandbox.New(self, nil))(t)
			cmd := exec.Command("/bin/sh", "-c", `echo "$LD_DEBUG|$GODEBUG" >seen; env >all`)
			cmd.Dir = inside
			cmd.Env = []string{"LD_DEBUG=all", "LD_DEBUG_OUTPUT=" + filepath.Join(outside, "trace"), "GODEBUG=inittrace=1", "PATH=/usr/bin:/bin"}
			must.Do(t, box.Wrap(cmd, []string{inside}, nil))
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

// Commands of one agent, run one after the other, cannot let a later one out: neither by replacing the
// file of parley, which confines them, nor by a link in place of a directory that they may write to.
func TestCommandsThatPrepareAWayOut(t *testing.T) {
	t.Parallel()
	if err := sandbox.Check(); err != nil {
		t.Skip(err)
	}
	for name, lines := range map[string]string{
		"parley is replaced": `printf '#!/bin/sh\necho x >"$OUT/written"\n' >new && chmod +x new && mv new parley && echo >first
true`,
		"parley is removed": `rm parley && echo >first
echo x >"$OUT/written"; echo >second`,
		"the directory is a link": `echo >first; cd .. && mv work moved && ln -s "$OUT" work
echo x >"$OUT/written"`,
		"the directory above is a link": `echo >first; cd .. && mv "$PWD" "$TMPDIR/moved" && ln -s "$OUT" "$PWD"
echo x >"$OUT/written"; echo x >"$OUT/work/written"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tmp, outside := t.TempDir(), t.TempDir()
			work, program := filepath.Join(tmp, "above", "work"), parley
			for _, dir := range []string{work, filepath.Join(outside, "work")} {
				must.Do(t, os.MkdirAll(dir, 0o755))
			}
			if strings.HasPrefix(name, "parley") {
				program = filepath.Join(work, "parley")
				must.Do(t, os.Link(parley, program)) // one that is just written may be busy: another test forks meanwhile
			}
			prompt := "commands \n" + strings.ReplaceAll(lines, "$OUT", outside)
			cmd := exec.Command(program, append([]string{"run", "--sandbox", "--approve-all", prompt}, scripted(t)...)...)
			cmd.Dir = work
			cmd.Env = append(environ(workDir(t)), "PATH="+os.Getenv("PATH"), "TMPDIR="+tmp)
			out, err := cmd.CombinedOutput()
			for _, written := range []string{"written", "work/written"} {
				if _, err := os.Lstat(filepath.Join(outside, written)); err == nil {
					t.Errorf("it wrote %s outside: %s", written, out)
				}
			}
			first, _ := filepath.Glob(filepath.Join(tmp, "*", "*", "first"))
			if !strings.Contains(string(out), "ran them") || len(first) == 0 {
				t.Errorf("the first command did not run: %v: %s", err, out)
			}
			if _, err := os.Lstat(filepath.Join(work, "second")); name == "parley is removed" && err != nil {
				t.Errorf("the second command did not run: %s", out)
			}
		})
	}
}
