package finder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestRead(t *testing.T) {
	dir, other, outside := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, dir, "a b.go=one\ntwo\nthree\n", "bin=a\x00b", "latin=\xe4", "empty=", "sub/", "big="+strings.Repeat("x\n", MaxText/2+1))
	put(t, other, "o.txt=other")
	put(t, outside, "secret=s")
	if runtime.GOOS != "windows" {
		must.Do(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")))
		must.Do(t, os.Symlink(outside, filepath.Join(dir, "away")))
		must.Do(t, os.Symlink("a b.go", filepath.Join(dir, "near")))
	}
	const none = "\x00"
	for _, c := range []struct {
		path     string
		from, to int
		text     string
		end, why string
	}{
		{"a b.go", 0, 0, "one\ntwo\nthree\n", "/a%20b.go", ""},
		{"a b.go", 2, 2, "two\n", "/a%20b.go#L2", ""},
		{"a b.go", 2, 9, "two\nthree\n", "/a%20b.go#L2-L9", ""},
		{"a b.go", 7, 9, none, "/a%20b.go#L7-L9", "without a line 7"},
		{"./sub/../a b.go", 0, 0, "one\ntwo\nthree\n", "/a%20b.go", ""},
		{filepath.Join(dir, "a b.go"), 0, 0, "one\ntwo\nthree\n", "/a%20b.go", ""},
		{filepath.Join(other, "o.txt"), 0, 0, "other", "/o.txt", ""},
		{"near", 1, 1, "one\n", "/near#L1", ""},
		{"empty", 0, 0, "", "/empty", ""},
		{"bin", 0, 0, none, "/bin", "not text"},
		{"latin", 0, 0, none, "/latin", "not text"},
		{"sub/", 0, 0, none, "/sub", "a directory"},
		{"big", 0, 0, none, "/big", "larger than 512 KiB"},
		{"big", 3, 4, "x\nx\n", "/big#L3-L4", ""},
	} {
		if c.path == "near" && runtime.GOOS == "windows" {
			continue
		}
		m, err := Read(context.Background(), []string{dir, other}, c.path, c.from, c.to)
		text := none
		if m.Text != nil {
			text = *m.Text
		}
		if err != nil || text != c.text || m.NoTextReason != c.why || !strings.HasPrefix(m.URI, "file:///") || !strings.HasSuffix(m.URI, c.end) {
			t.Errorf("%s:%d-%d: %q, %+v, %v", c.path, c.from, c.to, text, m, err)
		}
	}
	for _, path := range []string{"gone", "../" + filepath.Base(outside) + "/secret", filepath.Join(outside, "secret"), "link", "away/secret", "away", "a\x00b", "", "a b.go/x"} {
		if runtime.GOOS == "windows" && (path == "link" || strings.HasPrefix(path, "away")) || path == "" {
			continue
		}
		if m, err := Read(context.Background(), []string{dir, other}, path, 0, 0); !errors.Is(err, ErrNoFile) {
			t.Errorf("%q: %+v, %v", path, m, err)
		}
	}
	if _, err := Read(context.Background(), nil, "a b.go", 0, 0); !errors.Is(err, ErrNoFile) {
		t.Errorf("without roots: %v", err)
	}
}

// A file that exists but may not be read is linked, with the reason.
func TestReadForbidden(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("everything may be read here")
	}
	dir := t.TempDir()
	put(t, dir, "x=1")
	must.Do(t, os.Chmod(filepath.Join(dir, "x"), 0))
	if m, err := Read(context.Background(), []string{dir}, "x", 0, 0); err == nil || errors.Is(err, ErrNoFile) || m.URI == "" {
		t.Errorf("%+v, %v", m, err)
	}
}
