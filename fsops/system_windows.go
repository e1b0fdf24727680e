package fsops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// OpenFlags are those that an open needs on Unix.
const OpenFlags = 0

// IsNotDir reports whether a path goes through something that is no directory.
func IsNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// KeepOwner does nothing: Windows gives a new file the owner of its process.
func KeepOwner(*os.File, fs.FileInfo) {}

// isRemote reports whether a path names another host or a device.
func isRemote(clean string) bool {
	return strings.HasPrefix(filepath.VolumeName(clean), `\\`)
}

// checkNames refuses alternate streams ("a.txt:b") and names that Windows reads as other names
// ("a.txt.", "a.txt ").
func checkNames(clean string) error {
	for part := range strings.FieldsFuncSeq(clean[len(filepath.VolumeName(clean)):], isSeparator) {
		if strings.Contains(part, ":") || part != strings.TrimRight(part, ". ") {
			return fmt.Errorf("%q is no file name on Windows: %w", part, fs.ErrInvalid)
		}
	}
	return nil
}
