package programs

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// lists are the environment variables that list directories of programs or libraries. A
// relative or empty entry means another directory in each project.
var lists = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "NODE_PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB",
}

// Environ returns env for a program that works in a project for the user, an agent or an
// editor. PATH then names only absolute directories, so that neither the program nor its
// children find programs in their working directory; the same goes for the variables that
// locate libraries. Absolute directories in a project stay: only the user can have put them
// there, such as those of a virtual environment, which the agent's commands need.
func Environ(env []string) []string {
	return withLists(env, filepath.IsAbs)
}

// OwnEnviron returns env for a program that parley runs for itself: its lists have no
// directory of a project.
func OwnEnviron(env []string) []string {
	all := projects()
	return withLists(env, func(dir string) bool { return filepath.IsAbs(dir) && !within(dir, all) })
}

// withLists returns env with the directories of lists that keep accepts. It removes an
// empty list: an empty PATH means the current directory to some programs. Programs on
// Windows are told not to search there.
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
