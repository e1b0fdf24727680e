package linediff

import (
	"cmp"
	"strconv"
	"strings"

	"znkr.io/diff"

	"parley/internal/patch"
)

// PatchFile is a file of a patch, with its hunks.
type PatchFile struct {
	patch.File
	Diff *Diff // nil where there are no hunks
}

// ParsePatch takes a patch apart.
func ParsePatch(text string) []PatchFile {
	var all []PatchFile
	for _, f := range patch.Parse(text) {
		all = append(all, NewPatchFile(f))
	}
	return all
}

// NewPatchFile makes a Diff of the hunks of a file.
func NewPatchFile(f patch.File) PatchFile {
	if len(f.Hunks) == 0 {
		return PatchFile{File: f}
	}
	c := &Diff{Path: cmp.Or(f.Path, f.OldPath), Hunks: f.Hunks, LastOld: f.LastOld, LastNew: f.LastNew}
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
	c.Digits = len(strconv.Itoa(highest))
	c.ShowCR = ends[0] && ends[1]
	return PatchFile{f, c}
}
