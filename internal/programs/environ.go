package programs

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// lists are the variables that list directories to find programs, or parts of programs,
// in. An entry that is relative, or empty, is another directory in each project.
var lists = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "NODE_PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB",
}

// Environ is env for a program that works in a project for the user, an agent or an
// editor: PATH names absolute directories only, so that neither the program nor what it
// starts finds others in the directory it works in, and so do the variables that tell
// programs where to find parts of theirs. Absolute ones in a project stay: only the user
// can have put them there, such as those of a virtual environment, which the agent's
// commands need.
func Environ(env []string) []string {
	return withLists(env, filepath.IsAbs)
}

// OwnEnviron is env for a program that parley starts for itself: of those variables it has
// what does not lie in a project.
func OwnEnviron(env []string) []string {
	all := projects()
	return withLists(env, func(dir string) bool { return filepath.IsAbs(dir) && !within(dir, all) })
}

// withLists is env with some of the directories of lists. A list of which nothing is left
// goes: an empty PATH is the current directory to some. Programs of Windows are told not to
// look there.
func withLists(env []string, keep func(dir string) bool) []string {
	out := make([]string, 0, len(env)+1)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if isList := slices.ContainsFunc(lists, func(l string) bool { return name == l || runtime.GOOS == "windows" && strings.EqualFold(name, l) }); isList {
			dirs := slices.DeleteFunc(filepath.SplitList(value), func(dir string) bool { return !keep(dir) })
			if len(dirs) == 0 {
				continue
			}
			v = name + "=" + strings.Join(dirs, string(filepath.ListSeparator))
		}
		out = append(out, v)
	}
	if runtime.GOOS == "windows" {
		out = append(out, "NoDefaultCurrentDirectoryInExePath=1")
	}
	return out
}
