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

// states are where agents keep their sessions, logins and settings, below the home directory.
// Settings can name programs to start; directories of programs are not listed.
var states = []string{
	".claude", ".claude.json", ".codex", ".gemini", ".qwen", ".copilot", ".cursor", ".kimi", ".vibe", ".augment", ".factory",
	".config/claude", ".config/codex", ".config/opencode", ".config/goose", ".config/github-copilot", ".config/cursor", ".config/amp",
	".local/share/opencode", ".local/share/goose", ".local/share/amp",
	".local/state/claude", ".local/state/opencode", ".local/state/goose",
}

// Caches returns the paths that commands write to besides the user's files, for the own parameter
// of Wrap.
func Caches() []string { return belowHome(caches) }

// States returns the paths that agents write to besides the user's files, including those of
// Caches, for the own parameter of Wrap.
func States() []string { return append(belowHome(states), Caches()...) }

func belowHome(names []string) []string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return nil
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(home, name)
	}
	return paths
}
