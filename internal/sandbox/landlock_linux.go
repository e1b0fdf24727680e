package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	kernel "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	// toFile are the write rights that a rule for a single file can grant.
	toFile = kernel.AccessFSWriteFile | kernel.AccessFSTruncate
	// toTree are all write rights. Rights not listed here, such as reading and executing, are not restricted.
	toTree = toFile | kernel.AccessFSRemoveDir | kernel.AccessFSRemoveFile | kernel.AccessFSMakeChar | kernel.AccessFSMakeDir |
		kernel.AccessFSMakeReg | kernel.AccessFSMakeSock | kernel.AccessFSMakeFifo | kernel.AccessFSMakeBlock | kernel.AccessFSMakeSym | kernel.AccessFSRefer
)

// version returns the ABI version of the kernel's Landlock.
func version() (int, error) { return kernel.LandlockGetABIVersion() }

// become restricts this process and executes path, with env. A missing path of must is an error.
func become(must, try, exact []string, path string, argv, env []string) error {
	for _, path := range exact { // opened here, and closed by the exec
		how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
		if fd, err := unix.Openat2(unix.AT_FDCWD, path, how); err == nil {
			try = append(try, fmt.Sprintf("/proc/self/fd/%d", fd))
		}
	}
	rules, err := rules(must, try)
	if err != nil {
		return err
	}
	config, err := landlock.NewConfig(landlock.AccessFSSet(toTree))
	if err != nil {
		return fmt.Errorf("set up Landlock: %w", err)
	}
	// The rules restrict all threads, of which this one calls exec.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := config.Restrict(rules...); err != nil {
		return fmt.Errorf("bind by Landlock: %w", err)
	}
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, argv, env))
}

func rules(must, try []string) ([]landlock.Rule, error) {
	var out []landlock.Rule
	add := func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		rights := landlock.AccessFSSet(toTree)
		if !info.IsDir() {
			rights = toFile
		}
		out = append(out, landlock.PathAccess(rights, path).IgnoreIfMissing())
		return nil
	}
	for _, path := range must {
		if err := add(path); err != nil {
			return nil, fmt.Errorf("let it write: %w", err)
		}
	}
	for _, path := range try {
		if err := add(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, fmt.Errorf("let it write: %w", err)
		}
	}
	return out, nil
}
