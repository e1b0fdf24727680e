//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/decoy"
	"parley/internal/must"
	"parley/internal/seeds"
)

// patience bounds every wait. Only a failing test waits that long.
const patience = 20 * time.Second

var (
	parley  string // the binary under test
	toolbox string // the PATH of everything under test
)

// tools are the programs that these tests need on the PATH.
var tools = []string{"sh", "ls", "cat", "sleep", "false", "true", "printf", "echo", "stty"}

// roles are the scripted agents. The test binary runs one of them when its first argument is the
// name.
var roles = map[string]func(io.Reader, io.Writer){
	"agent":   runAgent,
	"tooled":  runTooledAgent,
	"keyed":   runKeyedAgent,
	"holding": runHoldingAgent,
	"runner":  runRunner,
	"locked":  runLocked,
	"unlock":  runUnlock,
}

// TestMain builds parley once.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if run := roles[os.Args[1]]; run != nil {
			run(os.Stdin, os.Stdout)
			return
		}
	}
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		n.Value.Set(strconv.Itoa(4 * runtime.GOMAXPROCS(0))) // these tests mostly wait
	}
	os.Exit(withBinary(m))
}

func withBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "parley-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	toolbox, parley = filepath.Join(dir, "bin"), filepath.Join(dir, "bin", "parley")
	build := exec.Command("go", "build", "-ldflags=-w", "-o", parley, ".") // half the time of linking is that of what a debugger needs
	build.Dir = filepath.Join("..", "..")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build parley:", err)
		return 1
	}
	for _, name := range tools {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(toolbox, name))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "gather tools:", err)
			return 1
		}
	}
	return m.Run()
}

// long skips a case unless PARLEY_LONG is set, because another case of the same test covers its
// kind.
func long(t *testing.T) {
	t.Helper()
	if !seeds.All() {
		t.Skip("one of a kind: set PARLEY_LONG=1 to run all")
	}
}

// rootVar names the variable with the parent of a test's directories. Programs of the test may keep
// files there.
const rootVar = "E2E_ROOT"

// workDir creates the directories of one test and returns the working directory. Everything that
// runs for the test has their parent in its environment. At the end of the test its other
// directories, such as the home directory, must be unchanged except for parley's own files.
func workDir(t testing.TB) string {
	t.Helper()
	sources()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, name := range []string{"home", "beside", "work"} {
		must.Do(t, os.Mkdir(filepath.Join(root, name), 0o755))
	}
	must.Do(t, decoy.Home(filepath.Join(root, "home")))
	write(t, filepath.Join(root, "beside", "notes.txt"), decoy.Secret)
	decoy.Guard(t, filepath.Join(root, "home"))
	decoy.Guard(t, filepath.Join(root, "beside"))
	return filepath.Join(root, "work")
}

// sources stats every file that the binary is built from, so that the go command caches a test
// result only for these files.
var sources = sync.OnceFunc(func() {
	filepath.WalkDir(filepath.Join("..", ".."), func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && (ext == ".go" || ext == ".mod" || ext == ".sum") {
			os.Stat(path)
		}
		return nil
	})
})

func environ(dir string, more ...string) []string {
	root := filepath.Dir(dir)
	env := []string{rootVar + "=" + root, "HOME=" + filepath.Join(root, "home"), "XDG_CONFIG_HOME=" + filepath.Join(root, "home", ".config"),
		"PATH=" + toolbox, "TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC"}
	return append(env, more...)
}

// scripted returns the command line of the scripted agent.
func scripted(t testing.TB) []string {
	t.Helper()
	self := must.Get(os.Executable())(t)
	return []string{"--", self, "agent"}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t testing.TB, path string) string {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	return string(data)
}

// open opens the gate of the scripted agent.
func open(t testing.TB, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "gate"), "")
}

func numbered(rows []string) string {
	var b strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&b, "%3d %s\n", i, r)
	}
	return b.String()
}
