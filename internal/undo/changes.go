package undo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// Kind is what happened to a file.
type Kind uint8

// The kinds of a change.
const (
	Same    Kind = iota // nothing; never listed
	Created             // it was not there
	Changed             // its content, or what it is: a file, a link
	Deleted             // it is not there, or a directory has its name
	Mode                // its permission bits alone
)

func (k Kind) String() string {
	return [...]string{"same", "created", "changed", "deleted", "mode"}[k]
}

// By is how a change came about, as far as that can be known.
type By uint8

// The ways of a change.
const (
	ThroughParley By = iota // by writes that the agent asked parley for, and nothing else
	OnDisk                  // on the disk during the turn: by the agent's commands, or anybody
	Both                    // by writes through parley, and on the disk before or after them
)

func (b By) String() string {
	return [...]string{"through parley", "on disk during the turn", "through parley and on disk"}[b]
}

// All stands for every turn.
const All = -1

// Change is what happened to one file, once or in an unbroken chain: the next
// begins with what the one before left. What breaks a chain is somebody else.
type Change struct {
	Turn   int    // the last one that had a part in it
	Path   string // absolute, links of its directories followed, as the disk has it
	Kind   Kind
	By     By
	Before int64  // bytes before; -1 where there was no file
	After  int64  // bytes after; -1 where there is no file
	Why    string // "" or why it cannot be put back
	Undone bool   // it was put back, and can be done again

	before, after state
	newDirs       int // as of change
	goneDirs      int
	ids           []int
}

// change is one that a Journal remembers.
type change struct {
	id, turn      int
	path          string
	before, after state
	by            By
	newDirs       int    // how many of its directories, from the innermost, held no file before
	goneDirs      int    // and after
	doubt         string // why it cannot be put back, whatever the states say
	undone        bool
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

// Written records a write that has been done. It hashes the texts and appends
// those up to MaxKept bytes to a file; it waits for no look at the disk. The error
// says that no copy could be kept; the write is recorded all the same.
func (j *Journal) Written(number int, w Write) error {
	if j.isClosed() {
		return nil
	}
	c := &change{turn: number, path: filepath.Clean(w.Path), after: textState(w.After), by: ThroughParley, newDirs: anyDirs}
	failed := j.keepText(c.after, w.After)
	switch {
	case !w.Existed: // its mode is the agent's as well: who changes that has made the file his own
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

// Changes lists what changed in a turn, or All of them, in the order in which it
// was found; a turn that is under way has what was written through parley. What
// was changed and changed back is not listed, what was undone is.
func (j *Journal) Changes(number int) []Change {
	j.mu.Lock()
	var chosen []change
	for _, c := range j.entries {
		if number == All || c.turn == number {
			chosen = append(chosen, *c)
		}
	}
	j.mu.Unlock()
	var list []Change
	last := map[string]int{} // by path, in list
	for _, c := range chosen {
		i, ok := last[c.path]
		if ok && c.undone == list[i].Undone && c.doubt == "" && list[i].Why == "" && same(list[i].after, c.before) {
			list[i].extend(c)
			continue
		}
		last[c.path] = len(list)
		list = append(list, c.shown())
	}
	kept := list[:0]
	for _, c := range list {
		if c.Kind = kindOf(c.before, c.after); c.Kind == Same {
			continue
		}
		if c.Why == "" {
			c.Why = j.whyNot(c.before, c.after)
		}
		kept = append(kept, c)
	}
	return kept
}

func (c *change) shown() Change {
	return Change{
		Turn: c.turn, Path: c.path, By: c.by, Before: sizeOf(c.before), After: sizeOf(c.after), Why: c.doubt, Undone: c.undone,
		before: c.before, after: c.after, newDirs: c.newDirs, goneDirs: c.goneDirs, ids: []int{c.id},
	}
}

func (c *Change) extend(by change) {
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

// whyNot says why one state cannot take the place of the other. What is lost by
// that must be kept too: undoing can be undone.
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
	return fmt.Sprintf("the copies of this session take all of their %d MiB", j.opts.Room>>20)
}

// Texts returns what the file of a change held before and after it, "" where
// there was none; of a link the name it leads to. ok is false where one of them is
// not known or no text.
func (j *Journal) Texts(c Change) (before, after string, ok bool) {
	before, ok = j.text(c.before)
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
