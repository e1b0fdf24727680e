package sandbox

import (
	"fmt"
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

// become restricts this process to writing below places, which are free of links, and executes path, with
// env.
func become(places []string, path string, argv, env []string) error {
	var rules []landlock.Rule
	for _, place := range places {
		// Opened without following links, since somebody may have put one there meanwhile. The exec closes it.
		how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
		fd, err := unix.Openat2(unix.AT_FDCWD, place, how)
		if err != nil {
			continue
		}
		var info unix.Stat_t
		if err := unix.Fstat(fd, &info); err != nil {
			return fmt.Errorf("let it write %s: %w", place, err)
		}
		rights := landlock.AccessFSSet(toTree)
		if info.Mode&unix.S_IFMT != unix.S_IFDIR {
			rights = toFile
		}
		rules = append(rules, landlock.PathAccess(rights, fmt.Sprintf("/proc/self/fd/%d", fd)))
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
