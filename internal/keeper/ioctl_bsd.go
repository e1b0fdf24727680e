//go:build unix && !linux

package keeper

import "golang.org/x/sys/unix"

// dropInput drops what was typed and not read yet.
func dropInput(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }

// signalForeground tells the program in the foreground of a pseudo terminal that its size has changed.
func signalForeground(fd int) {
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil && group > 0 {
		_ = unix.Kill(-group, unix.SIGWINCH)
	}
}
