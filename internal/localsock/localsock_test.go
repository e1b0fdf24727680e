//go:build unix

package localsock

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestConnects(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	path := must.Get(Path("x", "sock"))(t)
	must.Do(t, os.WriteFile(path, nil, 0o644)) // what an earlier listener has left
	ln := must.Get(Listen(path))(t)
	defer ln.Close()
	if info := must.Get(os.Stat(path))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("others can open it: %v", info.Mode())
	}
	done := make(chan net.Conn)
	go func() { c, _ := ln.Accept(); done <- c }()
	c := must.Get(Dial(context.Background(), path))(t)
	defer c.Close()
	(<-done).Close()
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d, %v from a closed socket", n, err)
	}
}

// A socket at which another process listens than its path says is not connected to: the two may have been swapped.
func TestSwapped(t *testing.T) {
	if p, err := ofSelf(t); err != nil || p.pid < 0 {
		t.Skip("this system does not say who listens")
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	path := must.Get(Path("x", "sock"))(t)
	ln := must.Get(Listen(path))(t)
	defer ln.Close()
	other := filepath.Join(filepath.Dir(path), fmt.Sprintf("y.%d.sock", os.Getppid()))
	must.Do(t, os.Rename(path, other))
	if _, err := Dial(context.Background(), other); err == nil || !strings.Contains(err.Error(), "another process listens") {
		t.Errorf("got %v", err)
	}
}

// ofSelf returns this process as the peer of itself.
func ofSelf(t *testing.T) (p peer, err error) {
	path := filepath.Join(t.TempDir(), "s")
	ln := must.Get(net.Listen("unix", path))(t)
	defer ln.Close()
	conn := must.Get(net.Dial("unix", path))(t)
	defer conn.Close()
	err = checkUser(conn.(*net.UnixConn), func(_ int, got peer) error { p = got; return nil })
	return p, err
}

// The path is short enough, whatever the directories are.
func TestPath(t *testing.T) {
	base := t.TempDir()
	file := fmt.Sprintf("n.%d.s", os.Getpid())
	long := filepath.Join(base, strings.Repeat("x", longest))
	for _, c := range []struct{ runtime, state, tmp, want string }{
		{base + "/sub", base + "/state", base + "/temp", base + "/sub/parley/" + file},
		{"", base + "/state", base + "/temp", base + "/state/sockets/" + file},
		{"relative", base + "/state", base + "/temp", base + "/state/sockets/" + file},
		{long, base + "/state", base + "/temp", base + "/state/sockets/" + file},
		{long, long, base + "/temp", base + "/temp/parley-"},
	} {
		t.Setenv("XDG_RUNTIME_DIR", c.runtime)
		t.Setenv("PARLEY_STATE", c.state)
		t.Setenv("TMPDIR", c.tmp)
		if got, err := Path("n", "s"); err != nil || !strings.HasPrefix(got, c.want) || len(got) > longest {
			t.Errorf("%+v: got %s, %v", c, got, err)
		}
	}
	t.Setenv("TMPDIR", long)
	if _, err := Path("n", "s"); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v", err)
	}
}

// A directory that others can enter, or that is a link, is not used.
func TestPrivate(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", base)
	dir := filepath.Join(base, "parley")
	must.Do(t, os.Mkdir(dir, 0o755))
	must.Do(t, os.Chmod(dir, 0o755))
	t.Setenv("PARLEY_STATE", filepath.Join(base, "state"))
	if got, err := Path("n", "s"); err != nil || filepath.Dir(got) != filepath.Join(base, "state", "sockets") {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := Listen(filepath.Join(dir, "n")); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("got %v", err)
	}
	if _, err := Dial(context.Background(), filepath.Join(dir, "n")); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("got %v", err)
	}
	must.Do(t, os.Symlink(t.TempDir(), filepath.Join(base, "link")))
	if err := checkPrivate(filepath.Join(base, "link")); err == nil {
		t.Error("a link is private")
	}
}

// A directory of another user's is not used: the next place is, and nothing there is listened to or connected to.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory to another user")
	}
	base := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", base)
	t.Setenv("PARLEY_STATE", filepath.Join(base, "state"))
	dir := filepath.Join(base, "parley")
	must.Do(t, os.Mkdir(dir, 0o700))
	must.Do(t, os.Chown(dir, 12345, 12345))
	if got, err := Path("n", "s"); err != nil || filepath.Dir(got) != filepath.Join(base, "state", "sockets") {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := Listen(filepath.Join(dir, "n")); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("got %v", err)
	}
	if _, err := Dial(context.Background(), filepath.Join(dir, "n")); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("got %v", err)
	}
}

// A socket is out of the reach of the sandbox only where nothing but parley writes, and not in a directory for temporary
// files.
func TestOutOfReach(t *testing.T) {
	temp, home := t.TempDir(), t.TempDir()
	temps := []string{filepath.Join(home, "temp"), temp}
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(home, "run"))
	t.Setenv("PARLEY_STATE", filepath.Join(home, "state"))
	link := filepath.Join(home, "link")
	must.Do(t, os.Symlink(temp, link))
	for _, dir := range []string{"run/parley", "state/sockets", "other/parley", "link/parley", "temp/parley"} {
		must.Do(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	for dir, want := range map[string]bool{filepath.Join(home, "run/parley"): true, filepath.Join(home, "state/sockets"): true,
		filepath.Join(home, "other/parley"): false, "/elsewhere/parley-1000": false, filepath.Join(home, "temp/parley-1000"): false} {
		if got := outOfReach(dir, temps); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
	for _, dir := range []string{link, filepath.Join(home, "temp")} {
		t.Setenv("XDG_RUNTIME_DIR", dir)
		if outOfReach(filepath.Join(dir, "parley"), temps) {
			t.Errorf("%s is out of reach", dir)
		}
	}
}
