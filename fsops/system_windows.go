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

const openFlags = 0

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func keepOwner(*os.File, fs.FileInfo) {}

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
