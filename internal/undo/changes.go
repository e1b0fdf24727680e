package undo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// Kind says what happened to a file.
type Kind uint8

// The kinds of a change.
const (
	Same    Kind = iota // nothing; never listed
	Created             // it did not exist before
	Changed             // its content, or what it is: a file, a link
	Deleted             // it is gone, or a directory has its name
	Mode                // only its permission bits
	Renamed             // it has another name, and the same content
)

func (k Kind) String() string {
	return [...]string{"same", "created", "changed", "deleted", "mode", "renamed"}[k]
}

// By says how a change happened, as far as that can be known.
type By uint8

// How a change can happen.
const (
	ThroughParley By = iota // only by writes that the agent requested from parley
	OnDisk                  // on disk during the turn: by the agent's commands, or by anybody else
	Both                    // by writes through parley, and on disk before or after them
)

func (b By) String() string {
	return [...]string{"written via parley", "changed on disk", "written via parley and changed on disk"}[b]
}

// All means every turn.
const All = -1

// Change is what happened to one file, once or in an unbroken chain in which each change begins
// with the result of the one before. A change by somebody else breaks the chain.
type Change struct {
	Turn         int    // the last turn that contributed
	Path         string // absolute, with the links of its directories followed
	From         string // its old path, if it was renamed
	Kind         Kind
	By           By
	Before       int64  // size before; -1 if there was no file
	After        int64  // size after; -1 if there is no file
	NoUndoReason string // why it cannot be undone, or ""; safe to show
	Undone       bool   // it was undone, and can be redone
	Version      string // differs if the change does
	Modes        string // how its permission bits changed: "644 → 755"; "" if they did not
	Link         bool   // it was or is a symbolic link, whose text is where it points

	before, after state
	newDirs       int // as of change
	goneDirs      int
	ids           []int
	removal       *Change // of the old name, if the file was renamed
}

// change is one change in a Journal.
type change struct {
	id, turn      int
	path          string
	before, after state
	by            By
	newDirs       int    // how many of its directories, from the innermost, had no files before
	goneDirs      int    // and after
	doubt         string // see noUndo
	undone        bool
	early         bool // a write that the scan before its turn may have found done
	outside       bool // recorded by an earlier Journal, and not in the roots of this one
	saved         bool // it is kept as it is
}

// Reasons to doubt that a change can be undone.
const (
	doubtHidden = "git did not show it before the turn, so what was there is not known"
	doubtUnseen = "it was there before the turn, where it was not seen"
	doubtTwin   = "it is another name of a file that was there before"
	doubtLate   = "it was written before parley could look at it"
)

// noUndo returns why the change cannot be undone, even if the states allow it.
func (c *change) noUndo() string {
	if c.outside {
		return "it is not in the directories of the session"
	}
	return c.doubt
}

func (c *change) kind() Kind { return kindOf(c.before, c.after) }

func kindOf(before, after state) Kind {
	switch {
	case same(before, after), before.kind == absent && noFile(after):
		return Same
	case before.kind == absent:
		return Created
	case noFile(after):
		return Deleted
	case sameText(before, after):
		return Mode
	}
	return Changed
}

// Write is what parley wrote for the agent (fs/write_text_file).
type Write struct {
	Path    string // absolute, links followed
	Existed bool   // there was a file
	Before  string // its text, if Known
	Known   bool   // of a file that existed
	After   string // what was written
}

// Written records a completed write. It hashes the texts and appends those up to MaxKept bytes to a
// file, without waiting for work on the disk by other methods. An error means that no copy could be
// kept; the write is recorded anyway.
func (j *Journal) Written(number int, w Write) error {
	if j.isClosed() {
		return nil
	}
	c := &change{turn: number, path: filepath.Clean(w.Path), after: textState(w.After), by: ThroughParley, newDirs: anyDirs}
	failed := j.keepText(c.after, w.After)
	switch {
	case !w.Existed: // its mode is the agent's as well, so a later chmod breaks the chain
		if info, err := os.Lstat(c.path); err == nil && info.Mode().IsRegular() {
			c.after.mode, c.after.noMode = info.Mode().Perm(), false
		}
	case !w.Known:
		c.before = state{kind: unknowable, size: -1}
	default:
		c.before = textState(w.Before)
		if err := j.keepText(c.before, w.Before); err != nil {
			failed = err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c.early = j.turn == nil || j.turn.number != number
	if c.kind() != Same && !j.closed {
		j.add(c)
	}
	return failed
}

func (j *Journal) keepText(of state, text string) error {
	if len(text) > MaxKept {
		return nil
	}
	return j.store.keep(of.sum, []byte(text), 0)
}

// Changes lists the changes of a turn, or of All turns, in the order in which they were found. For
// a running turn it lists the writes through parley. It omits what was changed and changed back,
// and includes what was undone.
func (j *Journal) Changes(number int) []Change {
	return j.list(func(turn int) bool { return number == All || turn == number })
}

// Since lists the changes of a turn and all later ones, like Changes, but a file that has only got
// another name is one change, in the place of the new name.
func (j *Journal) Since(first int) []Change {
	return withRenames(j.list(func(turn int) bool { return turn >= first }))
}

// Turns returns the numbers of the turns in which something was recorded, in order.
func (j *Journal) Turns() (numbers []int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.entries {
		numbers = append(numbers, c.turn)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

func (j *Journal) list(ofTurn func(int) bool) []Change {
	var list []Change
	last := map[string]int{} // by path, in list
	j.mu.Lock()
	for _, c := range j.entries {
		if !ofTurn(c.turn) {
			continue
		}
		i, ok := last[c.path]
		if ok && c.undone == list[i].Undone && c.noUndo() == "" && list[i].NoUndoReason == "" && same(list[i].after, c.before) {
			list[i].extend(c)
			continue
		}
		last[c.path] = len(list)
		list = append(list, c.shown())
	}
	j.mu.Unlock()
	kept := list[:0]
	for _, c := range list {
		if c.Kind = kindOf(c.before, c.after); c.Kind == Same {
			continue
		}
		if c.NoUndoReason == "" {
			c.NoUndoReason = j.whyNot(c.before, c.after)
		}
		c.Version, c.Modes = fmt.Sprint(c.ids[len(c.ids)-1], c.Undone), modes(c.before, c.after)
		c.Link = c.before.kind == link || c.after.kind == link
		kept = append(kept, c)
	}
	return kept
}

func (c *change) shown() Change {
	return Change{
		Turn: c.turn, Path: c.path, By: c.by, Before: sizeOf(c.before), After: sizeOf(c.after), NoUndoReason: c.noUndo(), Undone: c.undone,
		before: c.before, after: c.after, newDirs: c.newDirs, goneDirs: c.goneDirs, ids: []int{c.id},
	}
}

func (c *Change) extend(by *change) {
	c.Turn, c.after, c.After, c.goneDirs = by.turn, by.after, sizeOf(by.after), by.goneDirs
	c.ids = append(c.ids, by.id)
	if c.By != by.by {
		c.By = Both
	}
}

func sizeOf(s state) int64 {
	switch s.kind {
	case file, link, opaque:
		return s.size
	}
	return -1
}

// whyNot returns why one state cannot replace the other. The state that is lost must be kept, too,
// so that undoing can be undone.
func (j *Journal) whyNot(before, after state) string {
	switch before.kind {
	case unknowable, unsettled:
		return "what was there before is not known"
	case opaque:
		return j.noCopy(before)
	case odd, directory:
		return "what was there before was no file"
	}
	switch after.kind {
	case opaque:
		return j.noCopy(after)
	case odd:
		return "what is there now is no file"
	case unsettled:
		return "it changed while it was looked at"
	}
	if sameText(before, after) {
		return ""
	}
	for _, s := range []state{before, after} {
		if s.kind == file && !j.store.has(s.sum) {
			return j.noCopy(s)
		}
	}
	return ""
}

func (j *Journal) noCopy(s state) string {
	switch {
	case s.size > MaxKept:
		return fmt.Sprintf("it is larger than %d KiB, so no copy is kept", MaxKept>>10)
	case s.kind == opaque:
		return "it could not be read"
	case j.store.hasLost(s.sum):
		return "no copy of it could be written"
	}
	return fmt.Sprintf("the copies of this session take all of their %d MiB", j.opts.MaxBytes>>20)
}

// Texts returns what the file of a change contained before and after it, "" if there was no file;
// for a link its target. ok is false if one of them is unknown or not text.
func (j *Journal) Texts(c Change) (before, after string, ok bool) {
	before, ok = j.text(c.Parts()[0].before)
	if !ok {
		return "", "", false
	}
	after, ok = j.text(c.after)
	if !ok {
		return "", "", false
	}
	return before, after, true
}

func (j *Journal) text(s state) (string, bool) {
	switch s.kind {
	case absent, directory:
		return "", true
	case link:
		return s.target, true
	case file:
	default:
		return "", false
	}
	b, err := j.store.content(s.sum)
	if err != nil || bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b) {
		return "", false
	}
	return string(b), true
}
