package permissions

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/lazy"
)

// madePath is a file that may be created, or everything below a directory. The names are folded
// for comparison.
type madePath struct {
	names []string
	below bool // the directory itself stays as it is
}

// maxMade bounds the paths kept for one line; above it, every path counts as created.
const maxMade = 500

// before sets f.made to what other parts of the line may have created when part at runs.
func (f *Facts) before(made [][]madePath, at int, unordered bool) {
	f.created = f.created[:0]
	for i, m := range made {
		if i < at || unordered && i != at {
			f.created = append(f.created, m...)
		}
		if len(f.created) > maxMade {
			f.created = append(f.created[:0], madePath{})
			return
		}
	}
}

// makes returns the files that a part of a command line may create.
func (f *Facts) makes(p part) (out []madePath) {
	if p.words == nil {
		return nil
	}
	add := func(path string, below bool) {
		out = append(out, madePath{compared(path), below})
		if f.Resolve != nil && path != "" {
			out = append(out, madePath{compared(f.Resolve(path).Path), below})
		}
	}
	for _, command := range wrappedBy(p.words).commands {
		rd, ok := shallow(command)
		if !ok {
			continue
		}
		all, dir := rd.profile.lists("links", "all"), p.dir
		for _, d := range rd.dirs {
			dir = joinDir(dir, d)
		}
		var operands []string
		for _, it := range rd.items {
			if it.option == "" && slices.Contains([]class{classWrite, classRead, classOther, classOdd, classRev, classRemote}, it.class) {
				if it.class != classRead {
					operands = append(operands, it.text)
				}
				all = all || rd.profile.lists("links", "operands")
			}
		}
		switch {
		case all:
			add(dir, true)
			if f.Resolve != nil && dir != "" {
				for _, root := range f.Resolve(dir).Roots {
					add(root, true)
				}
			}
		case rd.profile.lists("links", "named") || rd.linked:
			if rd.firstUnknown >= 0 { // words that the profile does not know
				operands = append(operands, command[rd.firstUnknown:]...)
			}
			for _, name := range operands {
				add(joinDir(dir, fromHomeDir(name)), false)
				add(joinDir(dir, path.Base(name)), false)
			}
		}
	}
	return out
}

// compared splits and folds a path as rules that deny compare it.
func compared(path string) []string { return lower(splitPath(filepath.Clean("/" + path))) }

// isMade reports whether another part of the line may create one of the paths, or a directory
// above it.
func (f *Facts) isMade(paths ...string) bool {
	if len(f.created) == 0 {
		return false
	}
	for _, path := range paths {
		names := compared(path)
		if slices.ContainsFunc(f.created, func(m madePath) bool {
			return len(names) >= len(m.names) && slices.Equal(m.names, names[:len(m.names)]) && !(m.below && len(names) == len(m.names))
		}) {
			return true
		}
	}
	return false
}

// isMadeIn reports whether another part of the line may create or change files in one of the
// directories.
func (f *Facts) isMadeIn(dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		names := compared(dir)
		return f.isMade(dir) || slices.ContainsFunc(f.created, func(m madePath) bool {
			in := m.names
			if !m.below {
				in = in[:max(0, len(in)-1)]
			}
			return slices.Equal(in, names)
		})
	})
}

// unordered reports whether parts of a line may run out of order, or more than once.
func unordered(line string) bool {
	rest := noBackground.Replace(line)
	return strings.Contains(rest, "&") || again().MatchString(line)
}

// noBackground removes operators that contain & but do not start a background job.
var noBackground = strings.NewReplacer("&&", "", "&>", "", ">&", "", "<&", "", "|&", "")

var again = lazy.Regexp(`\b(do|coproc|trap)\b|\(\)`)

// makesProgram reports whether another part of the line may create the program at a place of a
// command.
func (f *Facts) makesProgram(p part, at int) bool {
	if len(f.created) == 0 || !strings.Contains(p.words[at], "/") {
		return false
	}
	_, known := lookUp(f, p.dir, p.words[at], false)
	return !known
}
