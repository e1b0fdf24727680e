package chat

import (
	"parley/acpclient/event"
	"parley/internal/patch"
	"parley/ui/widget"
)

// How much is kept of patches that were taken apart.
const (
	maxPatches    = 50
	maxPatchLines = 200_000
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
	parts []widget.PatchFile
}

// patched takes a patch apart once and finds out which file each part is of.
func (v *View) patched(c *event.Changes) *patched {
	if p := v.patches[c]; p != nil {
		return p
	}
	if v.patches == nil || len(v.patches) >= maxPatches || v.patchLines > maxPatchLines {
		v.patches, v.patchLines = map[*event.Changes]*patched{}, 0
	}
	p := &patched{}
	changes, unread := patch.Match(c.Files, c.PatchFormat, c.Patch, v.cwd)
	p.text = unread
	for _, change := range changes {
		p.add(change)
	}
	v.patches[c] = p
	v.patchLines += p.lines
	return p
}

// add takes a change and counts its lines.
func (p *patched) add(c patch.Change) {
	drawn := change{Change: c}
	for _, part := range c.Parts {
		file := widget.NewPatchFile(part)
		if d := file.Diff; d != nil {
			p.counted = true
			p.added, p.removed, p.lines = p.added+d.Added, p.removed+d.Removed, p.lines+d.Lines()
		}
		drawn.parts = append(drawn.parts, file)
	}
	p.changes = append(p.changes, drawn)
}
