//go:build unix

package fsops

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/must"
)

func TestCase118_FIFOAndDeviceDoNotBlock(t *testing.T) {
	tr := newTree(t, Options{})
	fifo := tr.in("fifo")
	must.Do(t, syscall.Mkfifo(fifo, 0o644))
	socket := filepath.Join(tr.root, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no socket here: ", err)
	}
	defer l.Close()
	for _, path := range []string{fifo, socket, "/dev/null", "/dev/tty"} {
		outside := strings.HasPrefix(path, "/dev")
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		_, err = tr.Read("s", path, Window{}, outside)
		wantErr(t, err, ErrNotRegular)
		_, err = tr.Read("s", path, lines(1, 0), outside)
		wantErr(t, err, ErrNotRegular)
		_, err = tr.Write("s", path, "x", outside)
		wantErr(t, err, ErrNotRegular)
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the FIFO was replaced: %v, %v", info, err)
	}
	// Not even one that comes after the look.
	sess, release, err := tr.use("s")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	f, err := sess.roots[0].dir.OpenFile("fifo", os.O_RDONLY|OpenFlags, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestWriteKeepsMode(t *testing.T) {
	tr := newTree(t, Options{})
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o664, 0o640} {
		file := tr.put(tr.in("f"), "x")
		must.Do(t, os.Chmod(file, mode))
		must.Get(tr.Write("s", file, "y", false))(t)
		wantMode(t, file, mode)
	}
}

func wantMode(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	info := must.Get(os.Stat(path))(t)
	if info.Mode().Perm() != mode {
		t.Errorf("%s has mode %v, want %v", path, info.Mode(), mode)
	}
}

// Not parallel: the umask belongs to the process.
func TestNewFilesHeedTheUmask(t *testing.T) {
	tr := newTree(t, Options{})
	for _, umask := range []int{0o022, 0o077, 0o000} {
		old := syscall.Umask(umask)
		os.RemoveAll(tr.in("d"))
		_, err := tr.Write("s", tr.in("d/f"), "x", false)
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		wantMode(t, tr.in("d/f"), 0o644&^fs.FileMode(umask))
		wantMode(t, tr.in("d"), 0o755&^fs.FileMode(umask))
	}
}

func TestWriteKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	tr := newTree(t, Options{})
	file := tr.put(tr.in("f"), "x")
	must.Do(t, os.Chown(file, 1234, 4321))
	must.Get(tr.Write("s", file, "y", false))(t)
	info := must.Get(os.Stat(file))(t)
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 4321 {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
}

func TestWriteReadOnly(t *testing.T) {
	tr := newTree(t, Options{})
	file := tr.put(tr.in("dir/f"), "x")
	locked := tr.put(tr.in("locked"), "x")
	hidden := tr.put(tr.in("hidden"), "x")
	for path, mode := range map[string]fs.FileMode{tr.in("dir"): 0o555, locked: 0o444, hidden: 0o000} {
		must.Do(t, os.Chmod(path, mode))
	}
	defer os.Chmod(tr.in("dir"), 0o755)
	becomeUnprivileged(t, filepath.Dir(filepath.Dir(tr.root)))

	for path, text := range map[string]string{
		tr.in("dir/new"): "create a file in " + tr.in("dir") + ": permission denied",
		locked:           "write " + locked + ": permission denied",
	} {
		_, err := tr.Write("s", path, "y", false)
		wantErr(t, err, fs.ErrPermission)
		if err != nil && !strings.HasSuffix(err.Error(), text) {
			t.Errorf("error %q, want %q", err, text)
		}
	}
	_, err := tr.Write("s", file, "y", false)
	wantErr(t, err, fs.ErrPermission)
	_, err = tr.Read("s", hidden, Window{}, false)
	wantErr(t, err, fs.ErrPermission)
	tr.wantFile(file, "x")
	tr.wantFile(locked, "x")
	tr.wantNoTemp(tr.in("dir"))
	tr.wantNoTemp(tr.root)
}
