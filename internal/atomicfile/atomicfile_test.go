package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"parley/internal/must"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"one", "", "a longer one"} {
		must.Do(t, Write(path, []byte(text)))
		if data, _ := os.ReadFile(path); string(data) != text {
			t.Errorf("%q, not %q", data, text)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

func TestWriteThatFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	must.Do(t, os.MkdirAll(filepath.Join(path, "by a directory"), 0o700))
	if Write(path, []byte("x")) == nil || Write(filepath.Join(dir, "no", "directory"), nil) == nil {
		t.Error("no error")
	}
	if there, _ := filepath.Glob(filepath.Join(dir, "*")); len(there) != 1 {
		t.Errorf("not removed: %v", there)
	}
}
