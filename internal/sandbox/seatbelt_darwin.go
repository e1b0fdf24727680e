package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// seatbelt is the program that starts others confined. It follows a profile, which names places by their
// real paths.
const seatbelt = "/usr/bin/sandbox-exec"

// version returns the version of Landlock whose promises the profile keeps; an error if it cannot be followed.
func version() (int, error) {
	_, err := os.Stat(seatbelt)
	return minABI, err
}

// become executes path, with env, in a sandbox in which it can write only below places.
func become(places []string, path string, argv, env []string) error {
	args := []string{seatbelt, "-p", profile(confinable(places, filepath.EvalSymlinks), isDirectory), path}
	if len(argv) > 0 { // the program's own name is lost: seatbelt gives it its path
		args = append(args, argv[1:]...)
	}
	return fmt.Errorf("start %s: %w", path, syscall.Exec(seatbelt, args, env))
}

func isDirectory(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeType == fs.ModeDir
}
