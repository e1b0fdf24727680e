//go:build unix

package balancer

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/testclient"
)

// patience bounds every wait; only a failing test uses it up.
const patience = testclient.Patience

// TestMain runs the tests, or the agent if parley starts this binary as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == agentWord {
		if err := playAgent(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	flag.Set("test.parallel", "8") // they mostly wait
	code := m.Run()
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

var buildDir string

// parley builds the binary under test, once.
var parley = sync.OnceValues(func() (string, error) {
	root := filepath.Join("..", "..")
	// Stat every source, so that the test cache depends on them.
	filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && (ext == ".go" || ext == ".mod" || ext == ".sum") {
			os.Stat(path)
		}
		return nil
	})
	var err error
	if buildDir, err = os.MkdirTemp("", "parley-balancer-"); err != nil {
		return "", err
	}
	binary := filepath.Join(buildDir, "parley")
	build := exec.Command("go", "build", "-ldflags=-w", "-o", binary, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build parley: %w: %s", err, out)
	}
	return binary, nil
})

// need returns the path of the front's program. Without it the test is skipped, or fails if all are
// required.
func (f *front) need(t *testing.T) string {
	t.Helper()
	mode := os.Getenv("PARLEY_BALANCERS")
	if mode == "" {
		t.Skip("it needs nginx and HAProxy: set PARLEY_BALANCERS=auto, or required")
	}
	path, err := exec.LookPath(f.name)
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin"} { // not in every PATH
		if err != nil {
			path, err = exec.LookPath(filepath.Join(dir, f.name))
		}
	}
	switch {
	case err == nil:
		return path
	case mode == "required":
		t.Fatalf("%s is not installed: %v", f.name, err)
	default:
		t.Skipf("%s is not installed", f.name)
	}
	return ""
}

// each runs a test with every kind of front.
func each(t *testing.T, test func(*testing.T, *front)) {
	t.Helper()
	t.Parallel()
	for _, f := range fronts {
		t.Run(f.name, func(t *testing.T) {
			f.need(t)
			t.Parallel()
			test(t, f)
		})
	}
}

// profiles are the transports: Streamable HTTP and WebSocket.
var profiles = []string{"https", "wss"}

// eachProfile runs a test with every kind of front, over each transport.
func eachProfile(t *testing.T, test func(*testing.T, *front, string)) {
	t.Helper()
	each(t, func(t *testing.T, f *front) {
		for _, scheme := range profiles {
			t.Run(scheme, func(t *testing.T) {
				t.Parallel()
				test(t, f, scheme)
			})
		}
	})
}
