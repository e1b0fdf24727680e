package undo

import (
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

// saved is the file that describes kept changes. Names are bytes, which JSON encodes in base64: not
// every name is text.
type saved struct {
	Version int           `json:"parley"`
	Agent   string        `json:"agent"`
	Session string        `json:"session"`
	Roots   [][]byte      `json:"roots"` // the first is the session's directory
	Turn    int           `json:"turn"`  // the latest
	Changes []savedChange `json:"changes"`
	Copies  []savedCopy   `json:"copies"`
	Notes   []savedNote   `json:"notes,omitempty"`
}

// savedNote is a Note in words.
type savedNote struct {
	Root []byte `json:"root"`
	Text string `json:"text"`
}

// savedCopy says where a content is in the pack.
type savedCopy struct {
	Sum []byte `json:"sum"`
	Off int64  `json:"off"`
	N   int64  `json:"n"`
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

// write replaces the file in a directory.
func (s saved) write(dir string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if len(data) > maxSaved {
		return errTooManyChanges
	}
	return atomicfile.Write(filepath.Join(dir, savedName), data)
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
	var s saved
	if len(data) > maxSaved || json.Unmarshal(data, &s) != nil {
		return nil, saved{}, errDamagedRecord
	}
	if s.Version != savedVersion {
		return nil, saved{}, fmt.Errorf("the record has version %d, not %d", s.Version, savedVersion)
	}
	if !s.valid() {
		return nil, saved{}, errDamagedRecord
	}
	info, err := pack.Stat()
	if err != nil {
		return nil, saved{}, err
	}
	copies := newStore()
	copies.pack = pack
	for _, c := range s.Copies {
		copies.size = max(copies.size, c.Off+c.N)
		if c.Off+c.N <= info.Size() { // the end may be missing after a power failure
			copies.at[sum(c.Sum)] = span{c.Off, c.N}
		} else {
			copies.lost[sum(c.Sum)] = true
		}
	}
	copies.size = min(copies.size, info.Size())
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
		if len(c.Sum) != len(sum{}) || c.Off < 0 || c.N < 0 || c.N > MaxKept || c.Off > MaxKeptBytes {
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
