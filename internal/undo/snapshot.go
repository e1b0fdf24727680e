package undo

import (
	"context"
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

// MaxFiles is how many files a root may have; a larger one is not tracked.
const MaxFiles = 50_000

// snapshot is the content of a root at one time.
type snapshot struct {
	began time.Time
	files map[string]entry // by slash-separated name; without absent ones, except named ones
	dirs  map[string]bool  // directories that contain one of files; see findDirs

	// Only in the snapshot before a turn:
	listed bool            // git has listed the files; else they are those that were named
	hidden hidden          // what git does not list
	late   map[string]bool // files that had changed in the turn when they were named; see Name
}

// listed returns the files that git lists in a root, without those of a nested root and our own.
func (j *Journal) listed(ctx context.Context, r *root) ([]string, error) {
	names, err := j.names(ctx, r.real, MaxFiles, "--cached", "--others")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(r.apart, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") })
	}), nil
}

// snapshotBefore takes the snapshot before a turn. gap is why it has only the files that were named.
func (j *Journal) snapshotBefore(ctx context.Context, r *root) (s *snapshot, gap, err error) {
	s = &snapshot{began: time.Now(), late: map[string]bool{}}
	names, gap := j.listedBefore(ctx, r, s)
	s.listed = gap == nil
	for name := range r.named {
		names = append(names, name)
	}
	slices.Sort(names)
	if err := j.fill(ctx, r, s, slices.Compact(names)); err != nil {
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

// listedBefore returns the files that git lists before a turn, and finds out what it hides.
func (j *Journal) listedBefore(ctx context.Context, r *root, s *snapshot) ([]string, error) {
	s.hidden = hidden{}
	if j.opts.Git == "" {
		return nil, errNoGit
	}
	type answer struct {
		names []string
		err   error
	}
	second := make(chan answer, 1)
	go func() {
		names, err := j.names(ctx, r.real, MaxFiles, "--others", "--ignored", "--directory")
		second <- answer{names, err}
	}()
	names, err := j.listed(ctx, r)
	ignored := <-second
	if err == nil {
		err = ignored.err
	}
	if err != nil {
		return nil, err
	}
	if h := hiddenBy(ignored.names); !h["."] {
		s.hidden = h
		return names, nil
	}
	return nil, errIgnored
}

func (s *snapshot) findDirs() {
	s.dirs = map[string]bool{}
	for name, e := range s.files {
		if e.state.kind == absent {
			continue
		}
		for dir := path.Dir(name); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
}

// snapshotAfter takes the snapshot after a turn: of what git lists now, of what existed before (git may
// ignore it now), and of what was written through parley.
func (j *Journal) snapshotAfter(ctx context.Context, r *root, was *snapshot, written []string) (*snapshot, error) {
	var names []string
	if was.listed {
		var err error
		if names, err = j.listed(ctx, r); err != nil {
			return nil, err
		}
	}
	names = slices.Concat(names, slices.Collect(maps.Keys(was.files)), written)
	slices.Sort(names)
	s := &snapshot{began: time.Now()}
	if err := j.fill(ctx, r, s, slices.Compact(names)); err != nil {
		return nil, err
	}
	return s, nil
}

// fill examines sorted names with several goroutines.
func (j *Journal) fill(ctx context.Context, r *root, s *snapshot, names []string) error {
	s.files = make(map[string]entry, len(names))
	top, err := openTop(r.real)
	if err != nil {
		return err
	}
	defer top.Close()
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
		name = strings.TrimSuffix(name, "/")
		if found[i].state.kind != absent || r.named[name] {
			s.files[name] = found[i]
		}
	}
	r.known = s.files
	return nil
}

func (j *Journal) lookAll(ctx context.Context, top *os.Root, r *root, names []string, found []entry) error {
	w := &walker{top: top}
	defer func() { w.leave(0) }()
	l := j.changedLooker()
	if r.known == nil { // the first scan: what is new later was likely written in a turn
		l.keep = func(of sum, content []byte) error { return j.store.keep(of, content, j.opts.MaxBytes/4) }
	}
	for i, name := range names {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		name = strings.TrimSuffix(name, "/")
		var known *entry
		if e, ok := r.known[name]; ok {
			known = &e
		}
		var err error
		if found[i], err = l.at(w, name, known); err != nil {
			return err
		}
	}
	return nil
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
	// known is the result of the last scan, whose stamps save reading, and named the files that Name
	// has added. Both are guarded by Journal.work.
	known map[string]entry
	named map[string]bool
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
