package permissions

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// links says what a command may turn into links, or into directories with links in them:
// where the files below lead is not known before it has run.
type links struct {
	all      bool     // any file of the session's directories
	operands bool     // the same, where it has operands
	named    bool     // what its operands name
	with     []string // the same, with one of these options
}

func (l *links) fill(words []string) bool {
	for _, w := range words {
		switch {
		case w == "all":
			l.all = true
		case w == "operands":
			l.operands = true
		case w == "named":
			l.named = true
		case strings.HasPrefix(w, "-"):
			l.with = append(l.with, w)
		default:
			return false
		}
	}
	return len(words) > 0
}

// madePath is a file that may be made, or all files below a directory: names, as they are compared.
type madePath struct {
	names []string
	below bool // it stays what it is itself
}

// maxMade bounds what is kept of one line; above that it is everything.
const maxMade = 500

// before has f know what parts of a line may have made before, or while, one of them runs.
func (f *Facts) before(made [][]madePath, at int, unordered bool) {
	f.made = f.made[:0]
	for i, m := range made {
		if i < at || unordered && i != at {
			f.made = append(f.made, m...)
		}
		if len(f.made) > maxMade {
			f.made = append(f.made[:0], madePath{})
			return
		}
	}
}

// makes are the files that a part of a command line may make.
func (f *Facts) makes(p part) (out []madePath) {
	if p.words == nil {
		return nil
	}
	add := func(path string, below bool) {
		out = append(out, madePath{compared(path), below})
		if f.Look != nil && path != "" {
			out = append(out, madePath{compared(f.Look(path).Path), below})
		}
	}
	for _, command := range carriedBy(p.words).commands {
		rd, ok := shallow(command)
		if !ok {
			continue
		}
		l, dir := rd.profile.links, p.dir
		for _, d := range rd.dirs {
			dir = joinDir(dir, d)
		}
		var operands []string
		for _, it := range rd.items {
			if it.option == "" && slices.Contains([]class{classWrite, classRead, classOther, classOdd, classRev, classRemote}, it.class) {
				if it.class != classRead {
					operands = append(operands, it.text)
				}
				l.all = l.all || l.operands
			}
		}
		switch {
		case l.all:
			add(dir, true)
			if f.Look != nil && dir != "" {
				for _, root := range f.Look(dir).Roots {
					add(root, true)
				}
			}
		case l.named || rd.linked:
			if rd.odd >= 0 { // words that no profile explains
				operands = append(operands, command[rd.odd:]...)
			}
			for _, name := range operands {
				add(joinDir(dir, fromHomeDir(name)), false)
				add(joinDir(dir, path.Base(name)), false)
			}
		}
	}
	return out
}

// compared are the names of a path as a rule that denies compares them.
func compared(path string) []string { return lower(splitPath(filepath.Clean("/" + path))) }

// isMade tells whether another part of the command line may make a file, or a directory
// above it.
func (f *Facts) isMade(paths ...string) bool {
	if len(f.made) == 0 {
		return false
	}
	for _, path := range paths {
		names := compared(path)
		if slices.ContainsFunc(f.made, func(m madePath) bool {
			return len(names) >= len(m.names) && slices.Equal(m.names, names[:len(m.names)]) && !(m.below && len(names) == len(m.names))
		}) {
			return true
		}
	}
	return false
}

// isMadeIn tells whether another part of the command line may make files in a directory that
// are not there yet, or change those that are.
func (f *Facts) isMadeIn(dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		names := compared(dir)
		return f.isMade(dir) || slices.ContainsFunc(f.made, func(m madePath) bool {
			in := m.names
			if !m.below {
				in = in[:max(0, len(in)-1)]
			}
			return slices.Equal(in, names)
		})
	})
}

// whyMade is said of a file that an earlier part of the line may have made.
const whyMade = "another part of the line may change where it leads"

// unordered tells whether parts of a line may run before those that stand before them, or
// once more.
func unordered(line string) bool {
	rest := noBackground.Replace(line)
	return strings.Contains(rest, "&") || again().MatchString(line)
}

// noBackground removes the operators with an & that does not run what precedes it in the
// background.
var noBackground = strings.NewReplacer("&&", "", "&>", "", ">&", "", "<&", "", "|&", "")

var again = late(`\b(do|coproc|trap)\b|\(\)`)

// makesProgram tells whether another part of the command line may make the program at a
// place of a command.
func (f *Facts) makesProgram(p part, at int) bool {
	if len(f.made) == 0 || !strings.Contains(p.words[at], "/") {
		return false
	}
	_, known := lookUp(f, p.dir, p.words[at], false)
	return !known
}
