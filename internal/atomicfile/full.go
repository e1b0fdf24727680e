package atomicfile

import (
	"errors"
	"syscall"
)

// Full reports whether an error means that there was no room: on the disk, in the user's
// quota, or within the size limit of a file.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) || fullHere(err)
}

// Room returns advice to append to the message of a failed write; "" unless making room
// would help.
func Room(err error) string {
	if Full(err) {
		return "; make room on the disk"
	}
	return ""
}
