package npx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// become runs the program to its end.
func become(cmd *exec.Cmd) (int, error) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return cmd.ProcessState.ExitCode(), nil
}

// owned reports whether a file belongs to the user. The state directory is in the profile,
// where others cannot write.
func owned(fs.FileInfo) bool { return true }
