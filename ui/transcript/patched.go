package transcript

import (
	"parley/internal/linediff"
	"parley/internal/patch"
)

// patched holds the changes of a v2 tool call, ready to be drawn.
type patched struct {
	changes        []change // those that are named as changed, then those that are not
	text           []string // stretches of the patch that could not be read
	added, removed int      // lines
	counted        bool     // there are lines to count
	lines          int      // kept
}

// change is the change of one file, with its diffs ready to be drawn.
type change struct {
	patch.Change
	parts []linediff.PatchFile
}

// add adds a change and counts its lines.
func (p *patched) add(c patch.Change) {
	drawn := change{Change: c}
	for _, part := range c.Parts {
		file := linediff.NewPatchFile(part)
		if d := file.Diff; d != nil {
			p.counted = true
			p.added, p.removed, p.lines = p.added+d.Added, p.removed+d.Removed, p.lines+d.Lines()
		}
		drawn.parts = append(drawn.parts, file)
	}
	p.changes = append(p.changes, drawn)
}
