package atomicfile

import (
	"errors"
	"syscall"
)

// IsDiskFull reports whether an error means that there was no room: on the disk, in the user's
// quota, or within the size limit of a file.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) || fullHere(err)
}

// FreeSpaceAdvice returns advice to append to the message of a failed write; "" unless making room
// would help.
func FreeSpaceAdvice(err error) string {
	if IsDiskFull(err) {
		return "; make room on the disk"
	}
	return ""
}
