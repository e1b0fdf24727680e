//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if InUse(path, 0) {
		t.Error("somebody has a file that is not there")
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if InUse(path, 0) {
		t.Error("in use before it is locked")
	}
	if !Lock(f) || !InUse(path, 0) {
		t.Error("not locked")
	}
	again, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if Lock(again) {
		t.Error("locked twice")
	}
	f.Close()
	if InUse(path, 0) || !Lock(again) {
		t.Error("locked by one that is closed")
	}
}
