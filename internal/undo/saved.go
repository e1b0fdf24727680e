package undo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/atomicfile"
)

const (
	savedName    = "changes.json"
	savedVersion = 1
	maxSaved     = 64 << 20 // bytes of the file
	maxTurn      = 1 << 30
)

var (
	errDamagedRecord  = errors.New("the record is damaged")
	errTooManyChanges = errors.New("there are too many")
)

// saved is a line of the file that describes kept changes: the first has all of them, each later one
// what differs. Names are bytes, which JSON encodes in base64: not every name is text.
type saved struct {
	Version int           `json:"parley"`
	Agent   string        `json:"agent"`
	Session string        `json:"session"`
	Roots   [][]byte      `json:"roots"` // the first is the session's directory
	Turn    int           `json:"turn"`  // the latest
	Changes []savedChange `json:"changes"`
	Copies  []savedCopy   `json:"copies"`
	Notes   []savedNote   `json:"notes,omitempty"`
	Gone    []int         `json:"gone,omitempty"` // changes of earlier lines that are no longer listed

	first, size int // bytes of the file's first line, and of all; size 0: the next line replaces all
}

// savedNote is a Note in words.
type savedNote struct {
	Root []byte `json:"root"`
	Text string `json:"text"`
}

// savedCopy says where a content is in the pack.
type savedCopy struct {
	Sum  []byte `json:"sum"`
	Off  int64  `json:"off"`
	N    int64  `json:"n"`
	Size int64  `json:"size,omitempty"` // of the content if the copy is compressed
}

// savedChange is a change.
type savedChange struct {
	ID       int        `json:"id"`
	Turn     int        `json:"turn"`
	Path     []byte     `json:"path"`
	Before   savedState `json:"before"`
	After    savedState `json:"after"`
	By       By         `json:"by"`
	NewDirs  int        `json:"newDirs"`
	GoneDirs int        `json:"goneDirs"`
	Doubt    string     `json:"doubt,omitempty"`
	Undone   bool       `json:"undone,omitempty"`
}

// savedState is a state.
type savedState struct {
	Kind   kind        `json:"kind"`
	Mode   fs.FileMode `json:"mode,omitempty"`
	NoMode bool        `json:"noMode,omitempty"`
	Size   int64       `json:"size,omitempty"`
	Sum    []byte      `json:"sum,omitempty"`
	Target []byte      `json:"target,omitempty"`
	Stamp  *savedStamp `json:"stamp,omitempty"` // of an opaque file
}

type savedStamp struct {
	Size, MTime, CTime int64
	Dev, Ino           uint64
	Mode               fs.FileMode
}

func savedOf(c *change) savedChange {
	return savedChange{ID: c.id, Turn: c.turn, Path: []byte(c.path), Before: savedStateOf(c.before), After: savedStateOf(c.after), By: c.by,
		NewDirs: c.newDirs, GoneDirs: c.goneDirs, Doubt: c.doubt, Undone: c.undone}
}

func savedStateOf(s state) savedState {
	out := savedState{Kind: s.kind, Mode: s.mode, NoMode: s.noMode, Size: s.size, Target: []byte(s.target)}
	switch s.kind {
	case file:
		out.Sum = s.sum[:]
	case opaque:
		st := savedStamp{s.stamp.size, s.stamp.mtime, s.stamp.ctime, s.stamp.dev, s.stamp.ino, s.stamp.mode}
		out.Stamp = &st
	}
	return out
}

func (s savedChange) change() *change {
	return &change{id: s.ID, turn: s.Turn, path: string(s.Path), before: s.Before.state(), after: s.After.state(), by: s.By,
		newDirs: s.NewDirs, goneDirs: s.GoneDirs, doubt: s.Doubt, undone: s.Undone}
}

func (s savedState) state() state {
	out := state{kind: s.Kind, mode: s.Mode, noMode: s.NoMode, size: s.Size, target: string(s.Target)}
	copy(out.sum[:], s.Sum)
	if st := s.Stamp; st != nil {
		out.stamp = stamp{st.Size, st.MTime, st.CTime, st.Dev, st.Ino, st.Mode}
	}
	return out
}

// content returns the hash of a file of which a copy may be kept.
func (s savedState) content() (of sum, ok bool) {
	copy(of[:], s.Sum)
	return of, s.Kind == file
}

// complete reports whether the next line must have all changes. Otherwise the time to save a turn and the
// bytes written would grow with the session.
func (s *saved) complete() bool { return s.size == 0 || s.size > min(2*s.first+64<<10, maxSaved/2) }

// write writes the next line of the file in a directory.
func (s *saved) write(dir string, next saved) error {
	line, err := json.Marshal(next)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	path, complete, size := filepath.Join(dir, savedName), s.complete(), s.size+len(line)
	s.size = 0
	if complete {
		size = len(line)
	}
	if size > maxSaved {
		return errTooManyChanges
	}
	if complete {
		s.first = size
		err = atomicfile.Write(path, line)
	} else {
		err = appendTo(path, line)
	}
	if err == nil {
		s.size, s.Turn = size, next.Turn
	}
	return err
}

// appendTo appends to a file that exists.
func appendTo(path string, line []byte) error {
	f, err := openRegular(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Sync(), f.Close())
}

// parse reads the lines of a file. What follows the last newline of several lines was not written as a
// whole, and is dropped.
func parse(data []byte) (s saved, err error) {
	for rest := data; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if s.first > 0 && !whole {
			break
		}
		var next saved
		if json.Unmarshal(line, &next) != nil {
			return saved{}, errDamagedRecord
		}
		if next.Version != savedVersion {
			return saved{}, fmt.Errorf("the record has version %d, not %d", next.Version, savedVersion)
		}
		if s.first == 0 {
			s, s.first = next, len(line)+1
		} else {
			s.add(next)
		}
		rest = after
	}
	gone := map[int]bool{}
	for _, id := range s.Gone {
		gone[id] = true
	}
	s.Changes = slices.DeleteFunc(s.Changes, func(c savedChange) bool { return gone[c.ID] })
	if !s.valid() {
		return saved{}, errDamagedRecord
	}
	if bytes.HasSuffix(data, []byte("\n")) && len(gone) == 0 { // another change could get the number of one that is gone
		s.size = len(data)
	}
	return s, nil
}

// add adds a later line.
func (s *saved) add(next saved) {
	for _, c := range next.Changes {
		i, ok := slices.BinarySearchFunc(s.Changes, c.ID, func(c savedChange, id int) int { return cmp.Compare(c.ID, id) })
		if ok {
			s.Changes[i] = c
		} else {
			s.Changes = append(s.Changes, c)
		}
	}
	s.Copies, s.Gone = append(s.Copies, next.Copies...), append(s.Gone, next.Gone...)
	s.Turn, s.Roots, s.Notes = next.Turn, next.Roots, next.Notes
}

// load reads the file of a directory, and returns the copies in pack that it names. It accepts
// nothing that write would not have written.
func load(dir string, pack *os.File) (*store, saved, error) {
	f, err := openRegular(filepath.Join(dir, savedName), os.O_RDONLY)
	if err != nil {
		return nil, saved{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSaved+1))
	if err != nil {
		return nil, saved{}, err
	}
	if len(data) > maxSaved {
		return nil, saved{}, errDamagedRecord
	}
	s, err := parse(data)
	if err != nil {
		return nil, saved{}, err
	}
	info, err := pack.Stat()
	if err != nil {
		return nil, saved{}, err
	}
	copies := newStore()
	copies.pack = pack
	for _, c := range s.Copies {
		if c.Off+c.N <= info.Size() { // the end may be missing after a power failure
			copies.at[sum(c.Sum)] = span{c.Off, c.N, max(c.N, c.Size)}
			copies.used += c.N
		} else {
			copies.lost[sum(c.Sum)] = true
		}
	}
	copies.findGaps()
	return copies, s, nil
}

// doubts are the values of change.doubt, which are shown.
var doubts = []string{"", doubtHidden, doubtUnseen, doubtTwin, doubtLate}

func (s saved) valid() bool {
	last := -1
	for _, c := range s.Changes {
		path := string(c.Path)
		if c.ID <= last || c.Turn < 1 || c.Turn > s.Turn || !filepath.IsAbs(path) || filepath.Clean(path) != path ||
			c.By > Both || !slices.Contains(doubts, c.Doubt) || c.NewDirs < 0 || c.GoneDirs < 0 || !c.Before.valid() || !c.After.valid() {
			return false
		}
		last = c.ID
	}
	for _, c := range s.Copies {
		if len(c.Sum) != len(sum{}) || c.Off < 0 || c.N < 0 || c.N > MaxKept || c.Size < 0 || c.Size > MaxKept || c.Off > MaxKeptBytes {
			return false
		}
	}
	for _, r := range s.Roots {
		if path := string(r); !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return false
		}
	}
	for _, n := range s.Notes {
		if root := string(n.Root); root != "" && !filepath.IsAbs(root) {
			return false
		}
	}
	return len(s.Notes) <= maxNotes && len(s.Changes) <= maxEntries && len(s.Roots) > 0 && s.Turn >= 0 && s.Turn < maxTurn
}

func (s savedState) valid() bool {
	return s.Kind <= unknowable && s.Mode&^fs.ModePerm == 0 && s.Size >= -1 &&
		(s.Kind == file) == (len(s.Sum) == len(sum{})) && (s.Kind == opaque) == (s.Stamp != nil)
}
