package record

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// StateDir returns the directory for data of this user that outlives a parley:
// $PARLEY_STATE, else $XDG_STATE_HOME/parley, else the usual place of the system. It need
// not exist.
func StateDir() (string, error) {
	dir, err := stateDir(runtime.GOOS, os.Getenv, os.UserHomeDir)
	if err != nil {
		return "", fmt.Errorf("find the state directory: %w", err)
	}
	return dir, nil
}

// MakePrivate makes a directory in the StateDir, whose name begins with prefix. An agent in the sandbox can
// replace files in the directory for temporary files, but not here.
func MakePrivate(prefix string) (string, error) {
	state, err := StateDir()
	if err == nil && !filepath.IsAbs(state) {
		err = fmt.Errorf("the state directory %s is not absolute: set HOME or PARLEY_STATE", state)
	}
	if err == nil {
		err = os.MkdirAll(state, 0o700)
	}
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(state, prefix) // 0700
}

// Dir returns the directory of the logs: "sessions" in the StateDir.
func Dir() (string, error) {
	dir, err := StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "sessions"), nil
}

func stateDir(system string, getenv func(string) string, home func() (string, error)) (string, error) {
	if dir := getenv("PARLEY_STATE"); dir != "" {
		return filepath.Abs(dir)
	}
	// The XDG specification says to ignore a relative path.
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "parley"), nil
	}
	if dir := getenv("LocalAppData"); system == "windows" && dir != "" {
		return filepath.Join(dir, "parley"), nil
	}
	dir, err := home()
	if err != nil {
		return "", err
	}
	switch system {
	case "windows":
		return filepath.Join(dir, "AppData", "Local", "parley"), nil
	case "darwin", "ios":
		return filepath.Join(dir, "Library", "Application Support", "parley"), nil
	}
	return filepath.Join(dir, ".local", "state", "parley"), nil
}
