package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// devices are what all kinds of programs write to. The pseudo terminal devices are for programs
// that open one; none of them is parley's.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm", "/dev/tty", "/dev/ptmx", "/dev/pts",
}

// caches are where build tools and package managers keep what they can download again, below the
// home directory. Programs are not started from there.
var caches = []string{
	".cache", ".npm", ".yarn/berry/cache", ".pnpm-store", ".local/share/pnpm/store", ".bun/install/cache",
	"go/pkg/mod", ".cargo/registry", ".cargo/git", ".gradle/caches", ".m2/repository", ".nuget/packages", "Library/Caches",
}

// Own returns the paths that an agent or command writes to besides the user's files, for the own parameter
// of Wrap: the caches, and those with the given names below the home directory.
func Own(names ...string) []string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return nil
	}
	var paths []string
	for _, name := range append(names, caches...) {
		paths = append(paths, filepath.Join(home, name))
	}
	return paths
}

// errPlanted is the error of a link that a confined program could have made.
var errPlanted = errors.New("a link that a program in the sandbox could have put there; name where it leads")

// resolve returns where the places lead: those of must, and those of try that exist. A link that is inside
// of one of them is not followed. Otherwise a program could replace a directory that it may write to by a
// link, and the next program could write where that leads.
func resolve(must, try []string) ([]string, error) {
	var writable, out []string
	for _, path := range slices.Concat(must, try) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			writable = append(writable, real)
		}
	}
	for _, path := range must {
		real, err := follow(path, writable)
		if err != nil {
			return nil, err
		}
		out = append(out, real)
	}
	missing := []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, errPlanted}
	for _, path := range try {
		real, err := follow(path, writable)
		if err == nil {
			out = append(out, real)
		} else if !slices.ContainsFunc(missing, func(m error) bool { return errors.Is(err, m) }) {
			return nil, err
		}
	}
	return out, nil
}

// follow returns where an absolute path leads, without a link inside of the directories writable.
func follow(path string, writable []string) (string, error) {
	at, rest := filepath.VolumeName(path)+string(filepath.Separator), strings.Split(path, string(filepath.Separator))
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		case below(at, writable):
			return "", fmt.Errorf("%s is %w", next, errPlanted)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if links++; links > 40 {
			return "", &fs.PathError{Op: "follow", Path: path, Err: syscall.ELOOP}
		}
		if filepath.IsAbs(target) {
			at = string(filepath.Separator)
		}
		rest = append(strings.Split(target, string(filepath.Separator)), rest...)
	}
	return at, nil
}

// below reports whether a path is one of the places or below one.
func below(path string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		rel, err := filepath.Rel(place, path)
		return err == nil && filepath.IsLocal(rel)
	})
}
