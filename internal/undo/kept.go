package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/fsops"
	"parley/internal/filelock"
)

const (
	keptPrefix = "kept-"
	// KeptFor is how long changes are kept after the last one.
	KeptFor = 30 * 24 * time.Hour
	// MaxKeptBytes is how much all sessions may take together. The oldest are removed first.
	MaxKeptBytes = 512 << 20
)

// ErrInUse is returned by Keep if another Journal has the session.
var ErrInUse = errors.New("another parley has the session open")

// Session identifies a session. Agents may number their sessions from one in each project.
type Session struct{ Agent, ID, Project string }

// Kept is the part of a Journal that outlives it: the changes, the copies that they need, and the notes. It
// creates nothing before there is one of them.
type Kept struct {
	dir     string
	session Session
	copies  *store
	exists  bool // the directory, which is then locked
	past    saved
}

// Keep finds what Journals of a session have kept below dir, and locks it; Options.Keep continues
// it. If the session is not resumed but new, what a session of the same name has left is removed. If
// there are both a Kept and an error, the earlier changes were dropped because they are damaged.
func Keep(dir string, s Session, resumed bool) (*Kept, error) {
	name := sha256.Sum256([]byte(s.Agent + "\x00" + s.ID + "\x00" + s.Project))
	k := &Kept{dir: filepath.Join(dir, keptPrefix+hex.EncodeToString(name[:12])), session: s}
	empty := func(why error) (*Kept, error) {
		k.copies, k.past = newStore(), saved{}
		if err := os.RemoveAll(k.dir); err != nil {
			return nil, errors.Join(why, fmt.Errorf("remove earlier changes: %w", err))
		}
		return k, why
	}
	if _, err := os.Lstat(k.dir); errors.Is(err, fs.ErrNotExist) {
		return empty(nil)
	}
	pack, err := openRegular(filepath.Join(k.dir, packName), os.O_RDWR)
	if err != nil {
		return empty(dropped(err))
	}
	if !lock(pack) {
		pack.Close()
		return nil, ErrInUse
	}
	if resumed {
		k.copies, k.past, err = load(k.dir, pack)
		if err == nil && (k.past.Agent != s.Agent || k.past.Session != s.ID) {
			err = errDamagedRecord
		}
		if err == nil {
			k.exists = true
			return k, nil
		}
		err = dropped(err)
	}
	pack.Close()
	return empty(err)
}

func dropped(err error) error { return fmt.Errorf("the earlier changes cannot be read: %w", err) }

// lock locks a file. Sweep may have it for an instant, to see whether it is in use.
func lock(f *os.File) bool {
	for range 20 {
		if filelock.Lock(f) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// openRegular opens a file that is no link, pipe or directory.
func openRegular(path string, flags int) (*os.File, error) {
	looked, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !looked.Mode().IsRegular() {
		return nil, errDamagedRecord
	}
	f, err := os.OpenFile(path, flags|fsops.OpenFlags, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(looked, opened) {
		f.Close()
		return nil, errDamagedRecord
	}
	return f, nil
}

// create makes the directory for a session of which nothing was kept before, or which was deleted meanwhile:
// then the copies are still in the open file.
func (k *Kept) create() error {
	if k.exists {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(k.dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(k.dir, 0o700); errors.Is(err, fs.ErrExist) {
		return ErrInUse
	} else if err != nil {
		return err
	}
	pack, err := createPack(k.dir)
	if err != nil {
		return errors.Join(err, os.Remove(k.dir))
	}
	if err := k.copies.moveTo(pack); err != nil {
		pack.Close()
		return errors.Join(err, os.RemoveAll(k.dir))
	}
	k.exists = true
	return nil
}

// deleted reports whether the directory was deleted since it was made. All is then written again.
func (k *Kept) deleted() bool {
	if _, err := os.Lstat(k.dir); !k.exists || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	k.exists, k.past.size = false, 0
	return true
}

// write adds to what is kept, or replaces it if s has all changes. from has the copies, and loses them.
func (k *Kept) write(s saved, from *store) error {
	if err := k.create(); err != nil {
		return err
	}
	var failed error
	var added, moved []sum
	for _, c := range s.Changes {
		for _, is := range []savedState{c.Before, c.After} {
			of, ok := is.content()
			if !ok || k.copies.has(of) {
				continue
			}
			content, err := from.content(of)
			if err != nil { // no copy was kept
				continue
			}
			if err := k.copies.keep(of, content, 0); err != nil {
				failed = err
			} else if k.copies.has(of) {
				moved = append(moved, of)
			}
			added = append(added, of)
		}
	}
	s.Version, s.Agent, s.Session = savedVersion, k.session.Agent, k.session.ID
	if k.past.complete() {
		added = k.copies.sums()
	}
	s.Copies = k.copies.spans(added)
	if err := errors.Join(failed, k.past.write(k.dir, s)); err != nil {
		k.past.size = 0
		return err
	}
	from.forget(moved)
	return nil
}

// Close ends the use of what is kept.
func (k *Kept) Close() error { return k.copies.close() }

// Saved describes the changes of a session that are kept.
type Saved struct {
	Agent, ID string
	Dir       string // of the session
	Updated   time.Time
	Files     int // that were changed and not changed back; 0 if there are only Notes

	path string
}

// List lists the sessions with changes or Notes below dir, the last changed first. It skips what cannot be
// read; a missing directory has none.
func List(dir string) ([]Saved, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the sessions with changes: %w", err)
	}
	var all []Saved
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), keptPrefix) || !e.IsDir() {
			continue
		}
		s := Saved{path: filepath.Join(dir, e.Name())}
		info, err := os.Stat(filepath.Join(s.path, savedName))
		if err != nil {
			continue
		}
		j, past, err := s.open()
		if err != nil {
			continue
		}
		s.Agent, s.ID, s.Updated = past.Agent, past.Session, info.ModTime()
		if len(past.Roots) > 0 {
			s.Dir = string(past.Roots[0])
		}
		s.Files = len(j.Since(0))
		j.Close()
		if s.Files > 0 || len(past.Notes) > 0 {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b Saved) int { return b.Updated.Compare(a.Updated) })
	return all, nil
}

// Open returns a Journal to read: of what it is asked to change it keeps no record.
func (s Saved) Open() (*Journal, error) {
	j, _, err := s.open()
	return j, err
}

func (s Saved) open() (*Journal, saved, error) {
	pack, err := openRegular(filepath.Join(s.path, packName), os.O_RDONLY)
	if err != nil {
		return nil, saved{}, dropped(err)
	}
	copies, past, err := load(s.path, pack)
	if err != nil {
		pack.Close()
		return nil, saved{}, dropped(err)
	}
	j := &Journal{opts: Options{MaxBytes: DefaultMaxBytes}, store: copies}
	for _, r := range past.Roots { // they may be gone
		j.roots = append(j.roots, newRoot(string(r)))
	}
	j.continues(past)
	return j, past, nil
}

// continues adds what an earlier Journal has recorded.
func (j *Journal) continues(past saved) {
	for _, s := range past.Changes {
		c := s.change()
		c.saved = true
		c.outside = !slices.ContainsFunc(j.roots, func(r *root) bool { _, ok := below(r.real, c.path); return ok })
		j.entries = append(j.entries, c)
		j.nextID = c.id + 1
	}
	for _, n := range past.Notes {
		j.notes = append(j.notes, Note{Root: string(n.Root), Text: n.Text})
	}
	j.lastTurn = past.Turn
}

// save writes what was recorded since the last time, if it is to outlive the Journal. The caller holds work.
func (j *Journal) save() error {
	j.mu.Lock()
	k := j.opts.Keep
	if k == nil || !k.deleted() && !j.unsaved || j.closed || len(j.entries)+len(j.notes) == 0 && !k.exists {
		j.mu.Unlock()
		return nil
	}
	s, complete := saved{Turn: j.lastTurn}, k.past.complete()
	for _, c := range j.entries {
		if complete || !c.saved {
			s.Changes, c.saved = append(s.Changes, savedOf(c)), true
		}
	}
	if !complete {
		s.Gone = j.gone
	}
	j.gone = nil
	for _, n := range j.notes {
		s.Notes = append(s.Notes, savedNote{[]byte(n.Root), n.String()})
	}
	j.unsaved = false
	j.mu.Unlock()
	for _, r := range j.roots {
		s.Roots = append(s.Roots, []byte(r.real))
	}
	if err := k.write(s, j.store); err != nil {
		j.mu.Lock()
		j.unsaved = true
		j.mu.Unlock()
		if len(s.Changes)+len(s.Gone) == 0 { // notes alone are worth no warning
			return nil
		}
		return fmt.Errorf("keep changes: %w", err)
	}
	return nil
}

// sweepKept removes changes that are too old, and the oldest of too many.
func sweepKept(dir string, entries []fs.DirEntry, now time.Time) (failed []error) {
	type aged struct {
		path string
		last time.Time
		size int64
	}
	var all []aged
	var total int64
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), keptPrefix) {
			continue
		}
		a := aged{path: filepath.Join(dir, e.Name())}
		if info, err := e.Info(); err == nil {
			a.last = info.ModTime()
		}
		files, _ := os.ReadDir(a.path)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				a.size += info.Size()
				if t := info.ModTime(); t.After(a.last) {
					a.last = t
				}
			}
		}
		total += a.size
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b aged) int { return a.last.Compare(b.last) })
	for _, a := range all {
		age := now.Sub(a.last)
		if age < sweepAfter || age <= KeptFor && total <= MaxKeptBytes {
			continue
		}
		removed, err := removeUnused(a.path)
		if err != nil {
			failed = append(failed, err)
		}
		if removed {
			total -= a.size
		}
	}
	return failed
}
