package undo

import (
	"fmt"
	"path/filepath"
)

// Parts returns the changes that a change consists of: of a renamed file, that its old name went and
// that its new one came; else itself.
func (c Change) Parts() []Change {
	if c.removal == nil {
		return []Change{c}
	}
	came := c
	came.Kind, came.From, came.removal, came.Before = Created, "", nil, -1
	return []Change{*c.removal, came}
}

// withRenames makes one change of the two of each renamed file.
func withRenames(changes []Change) (out []Change) {
	from := renamed(changes)
	moved := map[int]bool{}
	for _, i := range from {
		moved[i] = true
	}
	for i, c := range changes {
		if moved[i] {
			continue
		}
		if old, ok := from[i]; ok {
			gone := changes[old]
			c.Kind, c.From, c.Before, c.removal = Renamed, gone.Path, gone.Before, &gone
			c.Turn, c.Version = max(c.Turn, gone.Turn), gone.Version+" "+c.Version
			c.Modes, c.Link = modes(gone.before, c.after), c.Link || gone.Link
			if c.By != gone.By {
				c.By = Both
			}
			if c.NoUndoReason == "" {
				c.NoUndoReason = gone.NoUndoReason
			}
		}
		out = append(out, c)
	}
	return out
}

// renamed finds files that have only got another name: a deleted file and a created one with the
// same content. It returns the index of the deleted one by that of the created one.
func renamed(changes []Change) map[int]int {
	type content struct {
		sum    sum
		undone bool
	}
	deleted := map[content][]int{}
	for i, c := range changes {
		if c.Kind == Deleted && c.before.kind == file && c.before.size > 0 && c.after.kind == absent {
			of := content{c.before.sum, c.Undone}
			deleted[of] = append(deleted[of], i)
		}
	}
	from := map[int]int{}
	for i, c := range changes {
		if c.Kind != Created || c.after.kind != file {
			continue
		}
		of := content{c.after.sum, c.Undone}
		candidates := deleted[of]
		if len(candidates) == 0 {
			continue
		}
		best := 0
		for k, at := range candidates { // a file that was moved to another directory
			if filepath.Base(changes[at].Path) == filepath.Base(c.Path) {
				best = k
				break
			}
		}
		from[i] = candidates[best]
		deleted[of] = append(candidates[:best:best], candidates[best+1:]...)
	}
	return from
}

// GitModes returns the modes of a change as git writes them: 100644, 100755 for an executable file,
// 120000 for a link, and "" where there is no file or the mode is not known.
func (c Change) GitModes() (before, after string) {
	return gitMode(c.Parts()[0].before), gitMode(c.after)
}

func gitMode(s state) string {
	switch {
	case s.kind == link:
		return "120000"
	case s.kind != file || s.noMode:
		return ""
	case s.mode&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// modes says how permission bits have changed: "644 → 755"; "" if they have not, or are not known.
func modes(before, after state) string {
	known := func(s state) bool { return s.kind == file && !s.noMode }
	if !known(before) || !known(after) || before.mode == after.mode {
		return ""
	}
	return fmt.Sprintf("%03o → %03o", before.mode, after.mode)
}

// OnDisk reports whether something other than parley wrote the file.
func (c Change) OnDisk() bool { return c.By != ThroughParley }
