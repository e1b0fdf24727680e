package transcript

import (
	"parley/internal/patch"
	"parley/ui/widget/diff"
)

// patched is what a tool call of v2 has done to files, ready to be drawn.
type patched struct {
	changes        []change // those that are named as changed, then those that are not
	text           []string // stretches of the patch that could not be read
	added, removed int      // lines
	counted        bool     // there are lines to count
	lines          int      // kept
}

// change is what was done to a file, with what is to be drawn of each part.
type change struct {
	patch.Change
	parts []diff.PatchFile
}

// add takes a change and counts its lines.
func (p *patched) add(c patch.Change) {
	drawn := change{Change: c}
	for _, part := range c.Parts {
		file := diff.NewPatchFile(part)
		if d := file.Diff; d != nil {
			p.counted = true
			p.added, p.removed, p.lines = p.added+d.Added, p.removed+d.Removed, p.lines+d.Lines()
		}
		drawn.parts = append(drawn.parts, file)
	}
	p.changes = append(p.changes, drawn)
}
