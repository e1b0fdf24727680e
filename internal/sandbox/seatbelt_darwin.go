package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

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
