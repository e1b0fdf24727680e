package programs

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// guard is the state of the process.
var guard struct {
	sync.Mutex
	dirs     []string
	skipped  []string // skipped programs, one for each directory
	reported int      // how many of them were reported
	tell     func(file string)
}

// Guard declares directories to be projects: from now on no program is found in them, or in
// the git worktrees that they are in.
func Guard(dirs ...string) {
	guard.Lock()
	defer guard.Unlock()
	for _, dir := range dirs {
		if !slices.Contains(guard.dirs, dir) {
			guard.dirs = append(guard.dirs, dir)
		}
	}
}

// Guarded reports whether a file or directory is in a project.
func Guarded(path string) bool { return within(path, projects()) }

// OnSkipped calls tell with each program that was or will be skipped, but only one for each
// directory. tell must not block, and may be called on any goroutine.
func OnSkipped(tell func(file string)) {
	guard.Lock()
	defer guard.Unlock()
	guard.tell = tell
	report()
}

// recordSkipped records a skipped program.
func recordSkipped(file string) {
	guard.Lock()
	defer guard.Unlock()
	if !slices.ContainsFunc(guard.skipped, func(other string) bool { return filepath.Dir(other) == filepath.Dir(file) }) {
		guard.skipped = append(guard.skipped, file)
		report()
	}
}

// report reports what has not been reported. guard is held.
func report() {
	for ; guard.tell != nil && guard.reported < len(guard.skipped); guard.reported++ {
		guard.tell(guard.skipped[guard.reported])
	}
}

// projects returns the projects of the process.
func projects() []os.FileInfo {
	guard.Lock()
	dirs := slices.Clone(guard.dirs)
	guard.Unlock()
	if here, err := os.Getwd(); err == nil {
		dirs = append(dirs, here)
	}
	var out []os.FileInfo
	for _, dir := range dirs {
		if info := project(dir); info != nil {
			out = append(out, info)
		}
	}
	return out
}

// project returns the directory whose programs are not used because of dir: the nearest one
// with a .git in it, else dir. The user's home, and any directory that contains it, is
// never a project: the user's own programs are there.
func project(dir string) os.FileInfo {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	homes := ancestors(homeDir())
	isProject := func(dir string) os.FileInfo {
		info, err := os.Stat(dir)
		if err != nil || filepath.Dir(dir) == dir || slices.ContainsFunc(homes, func(h os.FileInfo) bool { return os.SameFile(h, info) }) {
			return nil
		}
		return info
	}
	for at := resolved; ; at = filepath.Dir(at) {
		info := isProject(at)
		if info == nil {
			return isProject(resolved)
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return info
		}
	}
}

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// within reports whether a path, with its links resolved, is in one of the directories or
// is one. One that does not exist counts as its parent.
func within(path string, dirs []os.FileInfo) bool {
	if len(dirs) == 0 {
		return false
	}
	return slices.ContainsFunc(ancestors(path), func(a os.FileInfo) bool {
		return slices.ContainsFunc(dirs, func(d os.FileInfo) bool { return os.SameFile(a, d) })
	})
}

// ancestors returns a path, with its links resolved, and all directories above it.
func ancestors(path string) (out []os.FileInfo) {
	if path == "" {
		return nil
	}
	for {
		resolved, err := filepath.EvalSymlinks(path)
		if err == nil {
			path = resolved
			break
		}
		if filepath.Dir(path) == path {
			return nil
		}
		path = filepath.Dir(path)
	}
	for {
		if info, err := os.Stat(path); err == nil {
			out = append(out, info)
		}
		if filepath.Dir(path) == path {
			return out
		}
		path = filepath.Dir(path)
	}
}
