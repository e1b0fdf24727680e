package fsops

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"parley/internal/must"
)

// becomeUnprivileged drops root's rights over files from the thread of this test, and gives what is
// below dir to the user that it becomes.
func becomeUnprivileged(t *testing.T, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	must.Do(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	}))
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
