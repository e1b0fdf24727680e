package fsops

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// becomeUnprivileged takes the rights of root over files from the thread of this
// test, until it ends, and makes what is below dir the property of the user that
// it becomes.
func becomeUnprivileged(t *testing.T, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		runtime.UnlockOSThread()
		t.Skip("cannot drop the rights of root: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Setfsuid(0); err == nil {
			runtime.UnlockOSThread()
		}
	})
}
