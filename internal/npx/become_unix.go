//go:build unix

package npx

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

func become(cmd *exec.Cmd) (int, error) {
	return 0, fmt.Errorf("start %s: %w", cmd.Path, syscall.Exec(cmd.Path, cmd.Args, cmd.Env))
}

// owned reports whether a file belongs to the user.
func owned(info fs.FileInfo) bool {
	is, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(is.Uid) == os.Geteuid()
}
