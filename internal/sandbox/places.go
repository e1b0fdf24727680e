package sandbox

import (
	"os"
	"path/filepath"
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
	"go/pkg/mod", ".cargo/registry", ".cargo/git", ".gradle/caches", ".m2/repository", ".nuget/packages",
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
