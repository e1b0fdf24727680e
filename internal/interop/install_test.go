//go:build unix

package interop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// installTime bounds one installation, downloads included.
const installTime = 5 * time.Minute

// sdk is one agent and how to install its SDK.
type sdk struct {
	name    string
	pinned  string // the file in testdata/<name> that pins the SDK's version
	version *regexp.Regexp
	// install fills dir from the sources in src. The result is reused until the pinning file
	// changes.
	install func(ctx context.Context, src, dir string) error
	// refresh, if not nil, runs every time.
	refresh func(ctx context.Context, src, dir string) error
	// command is the agent's command line.
	command func(src, dir string) []string
}

var goSDK = sdk{
	name: "goagent", pinned: "go.mod", version: regexp.MustCompile(`acp-go-sdk v(\S+)`),
	refresh: func(ctx context.Context, src, dir string) error {
		next := filepath.Join(dir, "agent.next")
		if err := do(ctx, src, "go", "build", "-o", next, "."); err != nil {
			return err
		}
		return os.Rename(next, filepath.Join(dir, "agent"))
	},
	command: func(_, dir string) []string { return []string{filepath.Join(dir, "agent")} },
}

var tsSDK = sdk{
	name: "tsagent", pinned: "package.json", version: regexp.MustCompile(`/sdk": "([^"]+)"`),
	install: func(ctx context.Context, src, dir string) error {
		data, err := os.ReadFile(filepath.Join(src, "package.json"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "package.json"), data, 0o644)
		}
		if err != nil {
			return err
		}
		return do(ctx, dir, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--fetch-retries", "1", "--prefix", dir)
	},
	command: func(src, dir string) []string { return []string{"node", filepath.Join(src, "agent.mjs"), dir} },
}

var pySDK = sdk{
	name: "pyagent", pinned: "requirements.txt", version: regexp.MustCompile(`agent-client-protocol==(\S+)`),
	install: func(ctx context.Context, src, dir string) error {
		if err := do(ctx, dir, "python3", "-m", "venv", "--clear", filepath.Join(dir, "venv")); err != nil {
			return err
		}
		return do(ctx, dir, python(dir), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "-r", filepath.Join(src, "requirements.txt"))
	},
	command: func(src, dir string) []string { return []string{python(dir), filepath.Join(src, "agent.py")} },
}

// pyClient is the client of testdata/pyclient, which uses the SDK with its extras for remote
// agents.
var pyClient = sdk{
	name: "pyclient", pinned: "requirements.txt", version: regexp.MustCompile(`agent-client-protocol\[http\]==(\S+)`),
	install: pySDK.install,
	command: func(src, dir string) []string { return []string{python(dir), filepath.Join(src, "client.py")} },
}

func python(dir string) string { return filepath.Join(dir, "venv", "bin", "python") }

// do runs a tool. An error contains its output.
func do(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly -buildvcs=false", "CGO_ENABLED=0")
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(out.String())
		return fmt.Errorf("%s: %w: %s", strings.Join(args[:2], " "), err, text[max(0, len(text)-2000):])
	}
	return nil
}

// installed is the result of an installation in this process.
type installed struct {
	command []string
	err     error
}

var (
	installMu sync.Mutex
	installs  = map[string]installed{}
)

// need returns the agent's command line, and installs the SDK if necessary. Without the SDK the
// test is skipped, or fails if all are required.
func (k sdk) need(t *testing.T) []string {
	t.Helper()
	if os.Getenv("PARLEY_INTEROP") == "" {
		t.Skip("it would install the SDKs: set PARLEY_INTEROP=auto, or required")
	}
	installMu.Lock()
	defer installMu.Unlock()
	in, ok := installs[k.name]
	if !ok {
		in.command, in.err = k.prepare()
		installs[k.name] = in
	}
	switch {
	case in.err == nil:
		return in.command
	case os.Getenv("PARLEY_INTEROP") == "required":
		t.Fatalf("%s cannot be installed: %v", k.name, in.err)
	default:
		t.Skipf("%s cannot be installed: %v", k.name, in.err)
	}
	return nil
}

func (k sdk) prepare() ([]string, error) {
	src, err := filepath.Abs(filepath.Join("testdata", k.name))
	if err != nil {
		return nil, err
	}
	// Stat every source, so that the test cache depends on them.
	filepath.WalkDir(src, func(path string, _ fs.DirEntry, _ error) error { os.Stat(path); return nil })
	pinned, err := os.ReadFile(filepath.Join(src, k.pinned))
	if err != nil {
		return nil, err
	}
	match := k.version.FindSubmatch(pinned)
	if match == nil {
		return nil, fmt.Errorf("%s pins no version", k.pinned)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "parley-interop", k.name+"-"+string(match[1]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err := lock(dir + ".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	if err := k.fill(ctx, src, dir, pinned); err != nil {
		return nil, err
	}
	command := k.command(src, dir)
	if command[0], err = exec.LookPath(command[0]); err != nil {
		return nil, err
	}
	return command, nil
}

// fill installs what is missing. It writes the marker last, so that an incomplete installation is
// repeated.
func (k sdk) fill(ctx context.Context, src, dir string, pinned []byte) error {
	if k.install != nil {
		marker := filepath.Join(dir, "installed")
		if have, err := os.ReadFile(marker); err != nil || !bytes.Equal(have, pinned) {
			if err := os.Remove(marker); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err := k.install(ctx, src, dir); err != nil {
				return err
			}
			if err := os.WriteFile(marker, pinned, 0o644); err != nil {
				return err
			}
		}
	}
	if k.refresh != nil {
		return k.refresh(ctx, src, dir)
	}
	return nil
}

// lock takes a file lock that excludes other processes until unlock is called.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
