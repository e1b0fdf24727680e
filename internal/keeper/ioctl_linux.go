package keeper

import "golang.org/x/sys/unix"

// dropInput drops what was typed and not read yet.
func dropInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// signalForeground tells the program in the foreground of a pseudo terminal that its size has changed.
func signalForeground(fd int) { _ = unix.IoctlSetInt(fd, unix.TIOCSIG, int(unix.SIGWINCH)) }
