package editor

// Bounds of the undo log.
const (
	maxUndo      = 1000    // edits
	maxUndoBytes = 4 << 20 // of text in them
	maxJoined    = 1 << 10 // bytes of an edit that more typing may join, because joining copies them
)

// undoLog holds the edits for undo and redo. Edits belong to one step until seal.
type undoLog struct {
	done, undone []edit
	bytes        int
	sealed       bool // the next edit begins a step
	replaying    bool
}

// edit replaced old by new at a place.
type edit struct {
	at       place
	old, new string
	first    bool // of a step
}

// seal ends a step.
func (u *undoLog) seal() { u.sealed = true }

func (u *undoLog) note(at place, old, new string) {
	if u.replaying || old == "" && new == "" {
		return
	}
	u.undone = u.undone[:0]
	if n := len(u.done); n > 0 && !u.sealed && old == "" {
		if last := &u.done[n-1]; len(last.new) < maxJoined && last.at.endOf(last.new) == at { // typed on
			last.new += new
			u.bytes += len(new)
			u.bound()
			return
		}
	}
	u.done = append(u.done, edit{at, old, new, u.sealed || len(u.done) == 0})
	u.bytes += len(old) + len(new)
	u.sealed = false
	u.bound()
}

// bound drops the oldest steps beyond the bounds.
func (u *undoLog) bound() {
	n := 0
	for n < len(u.done) && (len(u.done)-n > maxUndo || u.bytes > maxUndoBytes) {
		u.bytes -= len(u.done[n].old) + len(u.done[n].new)
		n++
	}
	if n > 0 {
		u.done = append(u.done[:0], u.done[n:]...)
	}
}

func (u *undoLog) reset() { *u = undoLog{} }

// undo undoes the last step; false if there is none.
func (c *Editor) undo() bool {
	u := &c.edits
	if len(u.done) == 0 {
		return false
	}
	u.replaying = true
	for more := true; more; {
		e := u.done[len(u.done)-1]
		u.done = u.done[:len(u.done)-1]
		c.replace(e.at, e.at.endOf(e.new), e.old)
		if e.old == "" || c.vim.on {
			c.moveTo(e.at)
		}
		u.undone = append(u.undone, e)
		more = !e.first && len(u.done) > 0
	}
	u.replaying = false
	u.seal()
	return true
}

// redo redoes the last undone step; false if there is none.
func (c *Editor) redo() bool {
	u := &c.edits
	if len(u.undone) == 0 {
		return false
	}
	u.replaying = true
	for first := true; len(u.undone) > 0; first = false {
		e := u.undone[len(u.undone)-1]
		if e.first && !first {
			break
		}
		u.undone = u.undone[:len(u.undone)-1]
		c.replace(e.at, e.at.endOf(e.old), e.new)
		u.done = append(u.done, e)
	}
	u.replaying = false
	u.seal()
	return true
}
