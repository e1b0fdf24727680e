package diff

import (
	"cmp"
	"strconv"
	"strings"

	"znkr.io/diff"

	"parley/internal/patch"
)

// PatchFile is a file of a patch, with its hunks ready to be drawn.
type PatchFile struct {
	patch.File
	Diff *Computed // nil where there are no hunks
}

// ParsePatch takes a patch apart to be drawn.
func ParsePatch(text string) []PatchFile {
	var all []PatchFile
	for _, f := range patch.Parse(text) {
		all = append(all, NewPatchFile(f))
	}
	return all
}

// NewPatchFile makes the hunks of a file ready to be drawn.
func NewPatchFile(f patch.File) PatchFile {
	if len(f.Hunks) == 0 {
		return PatchFile{File: f}
	}
	c := &Computed{Path: cmp.Or(f.Path, f.OldPath), hunks: f.Hunks, lastOld: f.LastOld, lastNew: f.LastNew}
	c.count()
	highest := 1
	ends := [2]bool{} // of changed lines: without a carriage return, and with one
	for _, h := range f.Hunks {
		highest = max(highest, h.EndLineNoX, h.EndLineNoY)
		for _, e := range h.Edits {
			if e.Op == diff.Match {
				continue
			}
			if strings.HasSuffix(e.Line, "\r") {
				ends[1] = true
			} else {
				ends[0] = true
			}
		}
	}
	c.lineNumber = len(strconv.Itoa(highest))
	c.showCR = ends[0] && ends[1]
	return PatchFile{f, c}
}
