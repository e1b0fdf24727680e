package chat

import (
	"path/filepath"

	"parley/acpclient"
	"parley/internal/safetext"
	"parley/ui/widget"
)

// How much is kept of patches that were taken apart.
const (
	maxPatches    = 50
	maxPatchLines = 200_000
	maxName       = 2000 // runes, as of every name that comes in
)

// patched is what a tool call of v2 has done to files, ready to be drawn.
type patched struct {
	changes        []change // those that are named as changed, then those that are not
	text           []string // stretches of the patch that could not be read
	added, removed int      // lines
	counted        bool     // there are lines to count
	lines          int      // kept
}

// change is what was done to a file: what Files says, which is the truth, and
// what the patch has of it.
type change struct {
	acpclient.FileChange
	stray bool // the patch alone has it
	parts []widget.PatchFile
}

// patched takes a patch apart once and finds out which file each part is of.
func (v *View) patched(c *acpclient.Changes) *patched {
	if p := v.patches[c]; p != nil {
		return p
	}
	if v.patches == nil || len(v.patches) >= maxPatches || v.patchLines > maxPatchLines {
		v.patches, v.patchLines = map[*acpclient.Changes]*patched{}, 0
	}
	p := &patched{}
	for _, f := range c.Files {
		p.changes = append(p.changes, change{FileChange: f})
	}
	switch {
	case c.PatchFormat == "git_patch":
		p.read(c, v.cwd)
	case c.Patch != "":
		p.text = []string{c.Patch}
	}
	v.patches[c] = p
	v.patchLines += p.lines
	return p
}

func (p *patched) read(c *acpclient.Changes, cwd string) {
	names := namesOf(c.Files)
	for _, part := range widget.ParsePatch(c.Patch) {
		if part.Text != "" {
			p.text = append(p.text, part.Text)
			continue
		}
		// Git's quotes can spell out what was made safe before.
		part.OldPath = names.known(safetext.Line(part.OldPath, maxName), cwd)
		part.Path = names.known(safetext.Line(part.Path, maxName), cwd)
		if part.Diff != nil {
			p.counted = true
			p.added, p.removed = p.added+part.Diff.Added, p.removed+part.Diff.Removed
			p.lines += part.Diff.Lines()
		}
		if i, ok := names.find(part.OldPath, part.Path); ok {
			p.changes[i].parts = append(p.changes[i].parts, part)
			continue
		}
		p.changes = append(p.changes, change{FileChange: told(part), stray: true, parts: []widget.PatchFile{part}})
	}
}

// told is what a part of a patch says of its file.
func told(part widget.PatchFile) acpclient.FileChange {
	f := acpclient.FileChange{Operation: "modify", Path: part.Path}
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

// changedNames finds the file that a part of a patch is of, by both names, by
// the one after the change, and by the one before it.
type changedNames struct {
	both   map[[2]string]int
	path   map[string]int
	former map[string]int
}

func namesOf(files []acpclient.FileChange) changedNames {
	n := changedNames{map[[2]string]int{}, map[string]int{}, map[string]int{}}
	for i, f := range files {
		first(n.both, [2]string{f.OldPath, f.Path}, i)
		first(n.path, f.Path, i)
		if f.OldPath != "" {
			first(n.former, f.OldPath, i)
		}
	}
	return n
}

func first[K comparable](m map[K]int, key K, i int) {
	if _, ok := m[key]; !ok {
		m[key] = i
	}
}

// known completes a relative name, unless it is known as it is.
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
