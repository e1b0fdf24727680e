//go:build unix

package npx

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func become(file string, argv, env []string) (int, error) {
	return 0, fmt.Errorf("start %s: %w", file, syscall.Exec(file, argv, env))
}

// owned tells whether a file is the user's.
func owned(info fs.FileInfo) bool {
	is, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(is.Uid) == os.Geteuid()
}
