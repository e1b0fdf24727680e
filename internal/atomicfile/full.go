package atomicfile

import (
	"errors"
	"syscall"
)

// Full tells whether an error says that there is no room for what was to be written:
// on the disk, of what the user may have of it, or of what a file may hold.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) || fullHere(err)
}

// Room is what there is to do about an error of writing, to be put behind what was not
// written; "" where that is not to make room.
func Room(err error) string {
	if Full(err) {
		return "; make room on the disk"
	}
	return ""
}
