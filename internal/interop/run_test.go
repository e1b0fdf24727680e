//go:build unix

package interop

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/internal/must"
)

var binaryDir string // TestMain builds parley here

func TestMain(m *testing.M) {
	var err error
	if binaryDir, err = os.MkdirTemp("", "parley-interop-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(binaryDir)
	os.Exit(code)
}

// parley builds the binary once. Reading every source makes the test cache depend on them.
var parley = sync.OnceValues(func() (string, error) {
	root := filepath.Join("..", "..")
	filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && (ext == ".go" || ext == ".mod" || ext == ".sum") {
			os.Stat(path)
		}
		return nil
	})
	binary := filepath.Join(binaryDir, "parley")
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", binary, ".")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build parley: %w: %s", err, out)
	}
	return binary, nil
})

// The real binary with each of the agents.
func TestRun(t *testing.T) {
	each(t, func(t *testing.T, p peer) {
		agent := append([]string{"--"}, p.need(t)...)
		if p.scheme != "" {
			agent = []string{"--share-files", "--share-terminal", "--agent", p.url(t)}
		}
		for _, c := range []struct {
			prompt, flag   string
			code           int
			stdout, stderr string
			notes          string
		}{
			{"hello", "--deny-all", 0, "hello from " + p.tag + "\n", "", notes},
			{"edit", "--approve-all", 0, "written\n", "(--approve-all)", "one\ntwo\nTHREE\n"},
			{"edit", "--deny-all", 5, "left alone: no\n", "not allowed: Change notes.txt", notes},
			{"terminal", "--approve-all", 0, "ran\n", "(--approve-all)", notes},
			{"read", "--approve-reads", 0, "read\n", "", notes},
			{"fail", "--deny-all", 1, "", "the agent says no", notes},
		} {
			code, stdout, stderr, after := run(t, append([]string{"run", c.flag, c.prompt}, agent...))
			if code != c.code || stdout != c.stdout || !strings.Contains(stderr, c.stderr) || after != c.notes {
				t.Errorf("%s %s: code %d, stdout %q, stderr %q, notes %q", c.prompt, c.flag, code, stdout, stderr, after)
			}
		}
	})
}

// run runs parley in a new directory and returns the final content of notes.txt in after.
func run(t *testing.T, args []string) (code int, stdout, stderr, after string) {
	t.Helper()
	binary := must.Get(parley())(t)
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	dir := filepath.Join(root, "work")
	for _, name := range []string{"config", "work", "work/sub"} {
		must.Do(t, os.Mkdir(filepath.Join(root, name), 0o755))
	}
	file := filepath.Join(dir, "notes.txt")
	must.Do(t, os.WriteFile(file, []byte(notes), 0o644))
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(root, "config"), "HOME="+root)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	data := must.Get(os.ReadFile(file))(t)
	return cmd.ProcessState.ExitCode(), out.String(), errs.String(), string(data)
}
