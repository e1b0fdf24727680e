package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// LookPath returns the program that a process with the environment env would run as name in dir. A
// name without a separator is looked up in env's PATH; a relative path is relative to dir ("" is
// the current directory). PATH never leads to the current directory. The error wraps
// exec.ErrNotFound, fs.ErrNotExist or fs.ErrPermission.
func LookPath(name, dir string, env []string) (string, error) {
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return "", fmt.Errorf("find program %q: %w", name, exec.ErrNotFound)
	}
	if hasSeparator(name) {
		if !filepath.IsAbs(name) && dir != "" {
			name = filepath.Join(dir, name)
		}
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("find program: %w", err)
		}
		return filepath.Abs(path)
	}
	path, _ := Getenv(env, "PATH")
	var denied error
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(folder, name))
		if err == nil {
			return found, nil
		}
		if denied == nil && errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	if denied != nil {
		return "", fmt.Errorf("find program: %w", denied)
	}
	return "", fmt.Errorf("find program %q: %w", name, exec.ErrNotFound)
}

func hasSeparator(name string) bool {
	if runtime.GOOS == "windows" {
		return strings.ContainsAny(name, `\/:`)
	}
	return strings.Contains(name, "/")
}

// Getenv returns the value of a variable in a list of "NAME=value". The last one wins, as when a
// process is started with the list. Names ignore case on Windows.
func Getenv(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		key, value, ok := strings.Cut(env[i], "=")
		if ok && (key == name || (runtime.GOOS == "windows" && strings.EqualFold(key, name))) {
			return value, true
		}
	}
	return "", false
}
