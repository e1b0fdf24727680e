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
	began  time.Time
	files  map[string]entry // by slash-separated name; without absent ones
	dirs   map[string]bool  // directories that contain one of files; see findDirs
	hidden hidden           // only in the snapshot before a turn
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

// snapshotBefore takes the snapshot before a turn.
func (j *Journal) snapshotBefore(ctx context.Context, r *root) (*snapshot, error) {
	s := &snapshot{began: time.Now()}
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
	s.hidden = hiddenBy(ignored.names)
	if s.hidden["."] {
		return nil, errIgnored
	}
	if err := j.fill(ctx, r, s, names); err != nil {
		return nil, err
	}
	for name, e := range s.files {
		if e.state.kind == directory { // a nested repository: git does not descend into it
			s.hidden[name] = true
			delete(s.files, name)
		}
	}
	return s, nil
}

func (s *snapshot) findDirs() {
	s.dirs = map[string]bool{}
	for name := range s.files {
		for dir := path.Dir(name); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
}

// snapshotAfter takes the snapshot after a turn: of what git lists now, of what existed before (git may
// ignore it now), and of what was written through parley.
func (j *Journal) snapshotAfter(ctx context.Context, r *root, was *snapshot, written []string) (*snapshot, error) {
	names, err := j.listed(ctx, r)
	if err != nil {
		return nil, err
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
		if found[i].state.kind != absent {
			s.files[strings.TrimSuffix(name, "/")] = found[i]
		}
	}
	r.known = s.files
	return nil
}

func (j *Journal) lookAll(ctx context.Context, top *os.Root, r *root, names []string, found []entry) error {
	w := &walker{top: top}
	defer func() { w.leave(0) }()
	l := &looker{keep: func(of sum, content []byte) error { return j.store.keep(of, content, j.opts.MaxBytes/4) }}
	if r.known != nil { // not the first scan: what is new was likely written in a turn
		l.keep = func(of sum, content []byte) error { return j.store.keep(of, content, 0) }
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

// root is a directory of the session.
type root struct {
	real string // without links
	// apart are slash-separated directories below it that are other roots or ours.
	apart []string
	said  map[string]bool // of notes
	// known is the result of the last scan, whose stamps save reading. It is guarded by
	// Journal.work.
	known map[string]entry
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
			roots = append(roots, &root{real: abs, said: map[string]bool{}})
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
