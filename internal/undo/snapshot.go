package undo

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// tooMany is why a root is not tracked.
func tooMany(most int) error { return fmt.Errorf("more than %d files here", most) }

// MaxFiles is how many files git may list in a root; of a larger one, only named files are tracked.
const MaxFiles = 1_000_000

// snapshot is the content of a root at one time.
type snapshot struct {
	began time.Time
	files map[string]entry // by slash-separated name; without absent ones, except named ones
	dirs  map[string]bool  // directories that contain one of files; see findDirs

	index *index   // of the snapshot before the turn; empty if git does not list the files
	clean []uint16 // of each of its files that is as git noted it: isClean and its mode. It is not in files.

	// Only in the snapshot before a turn:
	listed       bool            // git lists the files; else they are those that were named
	hidden       hidden          // what git does not list
	changedEarly map[string]bool // files that had changed in the turn when they were looked at
}

const isClean = 1 << 15

// snapshotBefore takes the snapshot before a turn. gap is why it has only the files that were named.
func (j *Journal) snapshotBefore(ctx context.Context, r *root) (s *snapshot, gap, err error) {
	s = &snapshot{began: time.Now(), files: map[string]entry{}, hidden: hidden{}, changedEarly: map[string]bool{}, index: &index{}}
	top, err := openTop(r.real)
	if err != nil {
		return nil, nil, err
	}
	defer top.Close()
	var names []string
	if gap = j.refresh(ctx, r); gap == nil {
		s.index, s.clean = r.index, make([]uint16, len(r.index.files))
		names, gap = j.walk(ctx, top, r, s, nil)
	}
	if s.listed = gap == nil; !s.listed {
		s.files, s.changedEarly, s.hidden, s.index, s.clean, names = map[string]entry{}, map[string]bool{}, hidden{}, &index{}, nil, nil
	}
	for name := range r.named {
		names = append(names, name)
	}
	if err := j.fill(ctx, top, r, s, names); err != nil {
		return nil, gap, err
	}
	for name, e := range s.files {
		if e.state.kind == directory { // a nested repository: git does not descend into it
			s.hidden[name] = true
			delete(s.files, name)
		}
	}
	return s, gap, nil
}

// refresh reads the index of a root if it has changed.
func (j *Journal) refresh(ctx context.Context, r *root) error {
	was := r.index
	if was == nil && r.known != nil {
		was = &index{} // an agent may have written the index since
	}
	ix, err := j.git.tracked(ctx, r.real, was)
	switch {
	case err != nil:
		return err
	case len(ix.files) > j.most:
		return tooMany(j.most)
	case r.index == nil || !slices.EqualFunc(ix.files, r.index.files, func(a, b tracked) bool { return a.name == b.name }) || !slices.Equal(ix.links, r.index.links):
		r.folders, r.rules = ix.folders(r.apartFrom), nil
	}
	if r.index = ix; r.objects == ix.objects {
		return nil
	}
	r.objects, r.blobs = ix.objects, filepath.Join(j.store.dir, "git-"+rand.Text())
	return openObjects(r.blobs, ix.repository)
}

func (s *snapshot) findDirs() {
	s.dirs = map[string]bool{}
	add := func(name string) {
		for dir := path.Dir(name); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
	for name, e := range s.files {
		if e.state.kind != absent {
			add(name)
		}
	}
	last := ""
	for i, clean := range s.clean {
		name := s.index.files[i].name
		if in := name[:strings.LastIndexByte(name, '/')+1]; clean != 0 && in != last {
			last = in
			add(name)
		}
	}
}

// snapshotAfter takes the snapshot after a turn: of what git lists now, of what existed before (git may
// ignore it now), and of what was written through parley.
func (j *Journal) snapshotAfter(ctx context.Context, r *root, was *snapshot, written []string) (*snapshot, error) {
	s := &snapshot{began: time.Now(), files: map[string]entry{}, index: was.index, clean: make([]uint16, len(was.clean))}
	top, err := openTop(r.real)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	names := slices.Concat(slices.Collect(maps.Keys(was.files)), written)
	if was.listed {
		others, err := j.walk(ctx, top, r, s, was)
		if err != nil {
			return nil, err
		}
		names = append(names, others...)
		now, err := j.git.tracked(ctx, r.real, was.index)
		if err != nil {
			return nil, err
		}
		for _, t := range now.files { // which git may ignore
			if now != was.index && was.index.find(t.name) < 0 {
				names = append(names, t.name)
			}
		}
	}
	if err := j.fill(ctx, top, r, s, names); err != nil {
		return nil, err
	}
	return s, nil
}

// fill examines names with several goroutines, unless that was done, and lets the next scan know what was found.
func (j *Journal) fill(ctx context.Context, top *os.Root, r *root, s *snapshot, names []string) error {
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, done := s.files[name]
		return done || s.isClean(name)
	})
	const atLeast = 256 // names for a goroutine
	workers := min(max(1, len(names)/atLeast), runtime.GOMAXPROCS(0), 4)
	found := make([]entry, len(names))
	failed := make([]error, workers)
	var wait sync.WaitGroup
	for i := range workers {
		from, to := i*len(names)/workers, (i+1)*len(names)/workers
		wait.Go(func() { failed[i] = j.lookAll(ctx, top, r, names[from:to], found[from:to]) })
	}
	wait.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	for i, name := range names {
		if found[i].state.kind != absent || r.named[name] {
			s.add(name, found[i])
		}
	}
	r.known = s.files
	return nil
}

// add adds a file that the scan has found. One that has changed since the scan before a turn began may have been
// changed by the agent.
func (s *snapshot) add(name string, e entry) {
	s.files[name] = e
	if s.changedEarly != nil && e.stamp.ctime > s.began.UnixNano() {
		s.changedEarly[name] = true
	}
}

// set notes the state of a file.
func (s *snapshot) set(name string, e entry) {
	s.files[name] = e
	if i := s.index.find(name); i >= 0 {
		s.clean[i] = 0
	}
}

// isClean reports whether a file is as git noted it.
func (s *snapshot) isClean(name string) bool {
	i := s.index.find(name)
	return i >= 0 && s.clean[i] != 0
}

func (j *Journal) lookAll(ctx context.Context, top *os.Root, r *root, names []string, found []entry) error {
	w := &walker{top: top}
	defer func() { w.leave(0) }()
	l := j.lookerFor(r)
	for i, name := range names {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var err error
		if found[i], err = l.at(w, name, r.knownAt(name)); err != nil {
			return err
		}
	}
	return nil
}

// lookerFor returns a looker for a scan of a root.
func (j *Journal) lookerFor(r *root) *looker {
	l := j.changedLooker()
	if r.known == nil { // the first scan: what is new later was likely written in a turn
		l.keep = func(of sum, content []byte) error { return j.store.keep(of, content, j.opts.MaxBytes/4) }
	}
	if r.index != nil {
		l.repo = r.index.repository
	}
	return l
}

// changedLooker returns a looker for files that a turn has changed, or may be about to change.
func (j *Journal) changedLooker() *looker {
	return &looker{keep: func(of sum, content []byte) error { return j.store.keep(of, content, 0) }}
}

// root is a directory of the session.
type root struct {
	real string // without links
	// apart are slash-separated directories below it that are other roots or ours.
	apart []string
	// These are guarded by Journal.work:
	known   map[string]entry // the result of the last scan, whose stamps save reading
	named   map[string]bool  // the files that Name has added
	index   *index           // of the last scan before a turn; nil if there is none
	folders map[string]*folder
	rules   map[string]stamp // of files that say what git ignores
	ignored bool             // git ignores the root
	blobs   string           // the repository that openObjects has made, of
	objects string           // these objects
}

// knownAt returns what the last scan has found under a name, or nil.
func (r *root) knownAt(name string) *entry {
	if e, ok := r.known[name]; ok {
		return &e
	}
	return nil
}

// apartFrom reports whether a name is not the root's: another root is there, or the copies are.
func (r *root) apartFrom(name string) bool {
	return slices.ContainsFunc(r.apart, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") })
}

func newRoot(real string) *root {
	return &root{real: real, named: map[string]bool{}}
}

func openRoots(dirs []string, store string) ([]*root, error) {
	var roots []*root
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(roots, func(r *root) bool { return r.real == abs }) {
			roots = append(roots, newRoot(abs))
		}
	}
	if real, err := filepath.EvalSymlinks(store); err == nil {
		store = real
	}
	for _, r := range roots {
		for _, other := range append(slices.Clone(roots), &root{real: store}) {
			if rel, ok := below(r.real, other.real); ok && rel != "." {
				r.apart = append(r.apart, filepath.ToSlash(rel))
			}
		}
	}
	return roots, nil
}
