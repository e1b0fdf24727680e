package patch

import (
	"path/filepath"

	"parley/internal/safetext"
)

const maxName = 2000 // runes, as for every received name

// Named is what an agent says about a changed file beside the patch; it takes precedence.
// Operation: add, delete, modify, move, copy, or something newer. FileType: text, binary,
// directory, symlink, or "".
type Named struct {
	Operation, Path, OldPath, FileType string
}

// Change is the change of a file, with its part of the patch.
type Change struct {
	Named
	Stray bool // only the patch mentions the file
	Parts []File
}

// Match assigns each part of a patch to its file, and adds a change for parts of files that
// are not named. Relative names are below dir. unread are the parts of the patch that could
// not be parsed: all of it, unless format is "git_patch".
func Match[F ~struct{ Operation, Path, OldPath, FileType string }](files []F, format, text, dir string) (changes []Change, unread []string) {
	named := make([]Named, 0, len(files))
	for _, f := range files {
		named = append(named, Named(f))
		changes = append(changes, Change{Named: Named(f)})
	}
	if format != "git_patch" {
		if text != "" {
			unread = []string{text}
		}
		return changes, unread
	}
	names := namesOf(named)
	for _, part := range Parse(text) {
		if part.Text != "" {
			unread = append(unread, part.Text)
			continue
		}
		// Git's quotes can spell out characters that were made safe before.
		part.OldPath = names.known(safetext.Line(part.OldPath, maxName), dir)
		part.Path = names.known(safetext.Line(part.Path, maxName), dir)
		i, ok := names.find(part.OldPath, part.Path)
		if !ok {
			i, changes = len(changes), append(changes, changeOf(part))
		}
		changes[i].Parts = append(changes[i].Parts, part)
	}
	return changes, unread
}

// changeOf returns what a part of a patch says about its file.
func changeOf(part File) Change {
	f := Change{Named: Named{Operation: "modify", Path: part.Path}, Stray: true}
	switch {
	case part.Path == "" && part.OldPath == "":
		f.Path = "a file without a name"
	case part.OldPath == "":
		f.Operation = "add"
	case part.Path == "":
		f.Operation, f.Path = "delete", part.OldPath
	case part.OldPath != part.Path && part.Copied:
		f.Operation, f.OldPath = "copy", part.OldPath
	case part.OldPath != part.Path:
		f.Operation, f.OldPath = "move", part.OldPath
	}
	return f
}

// changedNames finds the file of a part of a patch: by both names, by the name after the
// change, and by the name before it.
type changedNames struct {
	both   map[[2]string]int
	path   map[string]int
	former map[string]int
}

func namesOf(files []Named) changedNames {
	n := changedNames{map[[2]string]int{}, map[string]int{}, map[string]int{}}
	for i, f := range files {
		setFirst(n.both, [2]string{f.OldPath, f.Path}, i)
		setFirst(n.path, f.Path, i)
		if f.OldPath != "" {
			setFirst(n.former, f.OldPath, i)
		}
	}
	return n
}

func setFirst[K comparable](m map[K]int, key K, i int) {
	if _, ok := m[key]; !ok {
		m[key] = i
	}
}

// known makes a relative name absolute, unless it is known as it is.
func (n changedNames) known(name, cwd string) string {
	_, is := n.path[name]
	_, was := n.former[name]
	if is || was || name == "" || cwd == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cwd, name)
}

func (n changedNames) find(before, after string) (int, bool) {
	switch {
	case after == "" && before == "":
		return 0, false
	case after == "":
		if i, ok := n.path[before]; ok {
			return i, true
		}
		i, ok := n.former[before]
		return i, ok
	case before == "" || before == after:
		if i, ok := n.both[[2]string{"", after}]; ok {
			return i, true
		}
		i, ok := n.path[after]
		return i, ok
	}
	i, ok := n.both[[2]string{before, after}]
	return i, ok
}
