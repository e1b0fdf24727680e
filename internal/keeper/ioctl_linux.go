package keeper

import "golang.org/x/sys/unix"

// dropInput drops what was typed and not read yet.
func dropInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
