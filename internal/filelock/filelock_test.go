//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if InUse(path, 0) {
		t.Error("somebody has a file that is not there")
	}
	f := must.Get(os.Create(path))(t)
	if InUse(path, 0) {
		t.Error("in use before it is locked")
	}
	if !Lock(f) || !InUse(path, 0) {
		t.Error("not locked")
	}
	if !Locked(path) {
		t.Error("not seen to be locked")
	}
	again := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer again.Close()
	if Lock(again) {
		t.Error("locked twice")
	}
	f.Close()
	asking := must.Get(os.Open(path))(t)
	Share(asking)
	if Locked(path) {
		t.Error("one that only asks has locked it")
	}
	asking.Close()
	if InUse(path, 0) || !Lock(again) {
		t.Error("locked by one that is closed")
	}
}
