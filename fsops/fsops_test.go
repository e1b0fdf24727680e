package fsops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// tree is a session "s" with one root, and a directory beside it that is outside.
type tree struct {
	*Service
	t       *testing.T
	root    string
	outside string
}

func newTree(t *testing.T, opts Options) tree {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tr := tree{Service: New(opts), t: t, root: filepath.Join(top, "root"), outside: filepath.Join(top, "outside")}
	for _, dir := range []string{tr.root, tr.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.OpenSession("s", []string{tr.root}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// in returns a path below the root; out one below the directory beside it.
func (tr tree) in(name string) string  { return filepath.Join(tr.root, filepath.FromSlash(name)) }
func (tr tree) out(name string) string { return filepath.Join(tr.outside, filepath.FromSlash(name)) }

func (tr tree) put(path, content string) string {
	tr.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tr.t.Fatal(err)
	}
	return path
}

func (tr tree) link(target, path string) string {
	tr.t.Helper()
	if err := os.Symlink(target, path); err != nil {
		if runtime.GOOS == "windows" {
			tr.t.Skip("no right to make symbolic links: ", err)
		}
		tr.t.Fatal(err)
	}
	return path
}

func (tr tree) wantFile(path, content string) {
	tr.t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		tr.t.Error(err)
	} else if string(got) != content {
		tr.t.Errorf("%s holds %q, want %q", path, got, content)
	}
}

func (tr tree) wantAbsent(path string) {
	tr.t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		tr.t.Errorf("%s exists (%v)", path, err)
	}
}

// wantNoTemp checks that no temporary file was left in a directory.
func (tr tree) wantNoTemp(dir string) {
	tr.t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tr.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			tr.t.Errorf("%s was left behind", e.Name())
		}
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

func lines(line, limit int) Window { return Window{Line: &line, Limit: &limit} }

func TestSessions(t *testing.T) {
	tr := newTree(t, Options{})
	file := tr.put(tr.in("a"), "x")

	_, err := tr.Read("other", file, Window{}, false)
	wantErr(t, err, ErrUnknownSession)
	wantErr(t, tr.OpenSession("s", []string{"relative"}), ErrRelative)
	wantErr(t, tr.OpenSession("s", []string{tr.in("missing")}), fs.ErrNotExist)
	if err := tr.OpenSession("s", []string{file}); err == nil {
		t.Error("a file was taken as a root")
	}
	if _, err := tr.Read("s", file, Window{}, false); err != nil {
		t.Errorf("a refused OpenSession changed the session: %v", err)
	}

	if err := tr.OpenSession("s", []string{tr.outside}); err != nil {
		t.Fatal(err)
	}
	_, err = tr.Read("s", file, Window{}, false)
	wantErr(t, err, ErrOutsideRoot)

	if err := tr.OpenSession("s", nil); err != nil {
		t.Fatal(err)
	}
	_, err = tr.Read("s", tr.out("a"), Window{}, false)
	wantErr(t, err, ErrOutsideRoot)

	tr.CloseSession("s")
	_, err = tr.Write("s", file, "y", false)
	wantErr(t, err, ErrUnknownSession)
	tr.wantFile(file, "x")
}

// The roots of an operation under way stay open when the session is replaced.
func TestReplacedRootsStayOpen(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("a"), "x")
	sess, release, err := tr.use("s")
	if err != nil {
		t.Fatal(err)
	}
	tr.CloseSession("s")
	if _, err := sess.roots[0].dir.Stat("a"); err != nil {
		t.Errorf("closed under a running operation: %v", err)
	}
	release()
	if _, err := sess.roots[0].dir.Stat("a"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("still open after the last operation: %v", err)
	}
}
