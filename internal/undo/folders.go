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
)

// folder is a directory of a root that git does not ignore, with what was in it when it was last read.
type folder struct {
	name  string
	files []int32         // of it, in index.files
	links map[string]bool // nested repositories that the index names
	inner bool            // the index names files in it or below it

	stamp  stamp // when it was read; a directory with this stamp has the same names
	read   bool
	nested bool            // it is the top of another repository
	others []string        // files that git does not track
	inside []string        // folders without tracked files
	hidden map[string]bool // what git ignores; true for directories
	ruled  bool            // it has a .gitignore, with the stamp
	rules  stamp
}

// in returns the name of something in the folder.
func (f *folder) in(base string) string { return path.Join(f.name, base) }

// forget makes the next visit read the folder.
func (f *folder) forget() {
	*f = folder{name: f.name, files: f.files, links: f.links, inner: f.inner}
}

// folders returns the folders of an index by name, none of which was read, without files that are skipped.
func (ix *index) folders(skip func(name string) bool) map[string]*folder {
	all := map[string]*folder{".": {name: ".", inner: true}}
	last := all["."]
	in := func(name string) *folder {
		dir := path.Dir(name)
		if last.name == dir {
			return last
		}
		for above := dir; all[above] == nil; above = path.Dir(above) {
			all[above] = &folder{name: above, inner: true}
		}
		last = all[dir]
		return last
	}
	for i := range ix.files {
		if name := ix.files[i].name; !skip(name) {
			f := in(name)
			f.files = append(f.files, int32(i))
		}
	}
	for _, name := range ix.links {
		f := in(name)
		if f.links == nil {
			f.links = map[string]bool{}
		}
		f.links[path.Base(name)] = true
	}
	return all
}

// sighting is a name that was found in a folder.
type sighting struct {
	folder *folder
	base   string
	dir    bool
}

// visitor visits folders for a scan, on one goroutine.
type visitor struct {
	stats  *statter
	walker *walker // for files that are read
	looker *looker
	root   *root
	scan   *snapshot
	was    *snapshot // before the turn, for the scan after it

	most    int      // names in a folder
	names   []string // of what was examined, with
	found   []entry  // the results
	unknown []sighting
	nested  []*folder // that were read
}

// visit examines the tracked files of a folder, and finds the other names in it unless it is as it was
// when it was read.
func (v *visitor) visit(f *folder) error {
	st, err := v.stats.enter(f.name)
	if err != nil {
		f.forget()
		if !gone(err) {
			for _, id := range f.files {
				v.add(v.scan.index.files[id].name, entry{state: state{kind: opaque}})
			}
		}
		return nil
	}
	var dirs []string // in the place of tracked files
	for _, id := range f.files {
		kind, err := v.examine(id)
		if err != nil {
			return err
		}
		if kind == directory {
			dirs = append(dirs, v.base(id))
		}
	}
	if !f.read || f.stamp != st || st.ctime == 0 {
		if err := v.readNames(f, dirs); err != nil {
			return err
		}
		f.stamp, f.read = st, !recently(st)
	}
	if f.ruled {
		f.rules, _ = v.stats.lstat(".gitignore")
	}
	return nil
}

func (v *visitor) add(name string, e entry) {
	v.names, v.found = append(v.names, name), append(v.found, e)
}

// examine looks at a tracked file. One that is as git noted it is not read.
func (v *visitor) examine(id int32) (kind, error) {
	t := &v.scan.index.files[id]
	st, err := v.stats.lstat(v.base(id))
	if err != nil && gone(err) {
		return absent, nil
	}
	if clean := isClean | uint16(st.mode.Perm()); err == nil && t.is(st) && (v.was == nil || v.was.clean[id] == clean) {
		v.scan.clean[id] = clean
		return file, nil
	}
	v.looker.blob = t.blob
	e, err := v.looker.at(v.walker, t.name, v.root.knownAt(t.name))
	v.looker.blob = ""
	if e.state.kind != absent {
		v.add(t.name, e)
	}
	return e.state.kind, err
}

// readNames finds the names in a folder that git does not track, or that are directories although it does.
func (v *visitor) readNames(f *folder, dirs []string) error {
	names, err := v.stats.list(v.most)
	if err != nil && !gone(err) {
		return err
	}
	f.forget()
	if f.nested = !f.inner && v.holdsRepository(); f.nested {
		v.nested = append(v.nested, f)
		return nil
	}
	slices.Sort(names)
	_, f.ruled = slices.BinarySearch(names, ".gitignore")
	k := 0
	for _, base := range names {
		for k < len(f.files) && v.base(f.files[k]) < base {
			k++
		}
		if k < len(f.files) && v.base(f.files[k]) == base && !slices.Contains(dirs, base) || f.links[base] || strings.EqualFold(base, ".git") {
			continue
		}
		name := f.in(base)
		st, err := v.stats.lstat(base)
		switch mode := st.mode; {
		case err != nil, v.root.apartFrom(name):
		case mode.IsDir():
			if known := v.root.folders[name]; known == nil || !known.inner {
				v.unknown = append(v.unknown, sighting{f, base, true})
			}
		case mode.IsRegular(), mode&os.ModeSymlink != 0:
			v.unknown = append(v.unknown, sighting{f, base, false})
		}
	}
	return nil
}

// base returns the name of a tracked file in its folder.
func (v *visitor) base(id int32) string {
	name := v.scan.index.files[id].name
	return name[strings.LastIndexByte(name, '/')+1:]
}

// holdsRepository reports whether the directory is the top of a repository.
func (v *visitor) holdsRepository() bool {
	st, err := v.stats.lstat(".git")
	if err == nil && st.mode.IsDir() {
		_, err = v.stats.lstat(".git/HEAD")
	}
	return err == nil
}

// visitAll visits folders with several goroutines, adds what it finds to the scan, and returns the names that
// git does not track.
func (j *Journal) visitAll(ctx context.Context, top *os.Root, r *root, s, was *snapshot, todo []*folder) ([]sighting, error) {
	const atLeast = 32 // folders for a goroutine
	workers := min(max(1, len(todo)/atLeast), runtime.GOMAXPROCS(0), 4)
	visitors := make([]visitor, workers)
	failed := make([]error, workers)
	var wait sync.WaitGroup
	for i := range visitors {
		v := &visitors[i]
		*v = visitor{walker: &walker{top: top}, looker: j.lookerFor(r), root: r, scan: s, was: was, most: j.most}
		wait.Go(func() {
			if v.stats, failed[i] = newStatter(top); failed[i] != nil {
				return
			}
			defer v.stats.close()
			defer v.walker.leave(0)
			for _, f := range todo[i*len(todo)/workers : (i+1)*len(todo)/workers] {
				if failed[i] = context.Cause(ctx); failed[i] == nil {
					failed[i] = v.visit(f)
				}
				if failed[i] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	var unknown []sighting
	for i, v := range visitors {
		if failed[i] == nil && len(v.unknown)+len(unknown) > j.most {
			failed[i] = tooMany(j.most)
		}
		if failed[i] != nil {
			return nil, failed[i]
		}
		for k, name := range v.names {
			s.add(name, v.found[k])
		}
		unknown = append(unknown, v.unknown...)
		for _, f := range v.nested {
			maps.DeleteFunc(r.folders, func(name string, in *folder) bool { return !in.inner && strings.HasPrefix(name, f.name+"/") })
		}
	}
	return unknown, nil
}

// walk visits all folders of a root, and new ones in them, and returns the files that git does not track and does
// not ignore.
func (j *Journal) walk(ctx context.Context, top *os.Root, r *root, s, was *snapshot) (others []string, err error) {
	todo := sortedFolders(r.folders)
	for first := true; len(todo) > 0; first = false {
		unknown, err := j.visitAll(ctx, top, r, s, was, todo)
		if err != nil {
			return nil, err
		}
		if first && r.rulesChanged(s.index) {
			unknown = append(unknown, r.unsettle()...)
			if s.index.prefix != "" {
				unknown = append(unknown, sighting{r.folders["."], ".", true})
			}
		}
		if todo, err = j.judge(ctx, r, unknown); err != nil {
			return nil, err
		}
		if r.ignored && was == nil {
			return nil, errIgnored
		}
	}
	maps.DeleteFunc(r.rules, func(file string, _ stamp) bool { return !filepath.IsAbs(file) })
	r.addRules(r.rules)
	s.hidden = hidden{}
	count := len(s.index.files)
	for name, f := range r.folders {
		switch {
		case f.nested:
			s.hidden[name] = true
			continue
		case !f.read && !f.inner && f.stamp == (stamp{}): // it is gone
			delete(r.folders, name)
			continue
		}
		for base := range f.hidden {
			s.hidden[f.in(base)] = true
		}
		for base := range f.links {
			s.hidden[f.in(base)] = true
		}
		for _, base := range f.others {
			others = append(others, f.in(base))
		}
	}
	if count+len(others) > j.most {
		return nil, tooMany(j.most)
	}
	return others, nil
}

func sortedFolders(all map[string]*folder) []*folder {
	list := make([]*folder, 0, len(all))
	for _, f := range all {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *folder) int { return strings.Compare(a.name, b.name) })
	return list
}

// judge asks git which of some names it ignores, and returns the folders among the others.
func (j *Journal) judge(ctx context.Context, r *root, unknown []sighting) (todo []*folder, err error) {
	if len(unknown) == 0 {
		return nil, nil
	}
	names := make([]string, len(unknown))
	for i, n := range unknown {
		names[i] = n.folder.in(n.base)
	}
	ignored, err := j.git.ignored(ctx, r.real, names)
	if err != nil {
		return nil, err
	}
	for i, n := range unknown {
		f := n.folder
		switch known := r.folders[names[i]]; {
		case names[i] == ".":
			r.ignored = ignored[i]
		case ignored[i]:
			if f.hidden == nil {
				f.hidden = map[string]bool{}
			}
			f.hidden[n.base] = n.dir
			r.drop(names[i])
		case !n.dir:
			f.others = append(f.others, n.base)
		case known == nil:
			known = &folder{name: names[i]}
			r.folders[names[i]] = known
			todo = append(todo, known)
			fallthrough
		default:
			f.inside = append(f.inside, n.base)
		}
	}
	return todo, nil
}

// drop forgets a folder without tracked files, and those in it.
func (r *root) drop(name string) {
	f := r.folders[name]
	if f == nil || f.inner {
		return
	}
	delete(r.folders, name)
	for _, base := range f.inside {
		r.drop(f.in(base))
	}
}

// rulesChanged reports whether a file that says what git ignores has changed since the last scan.
func (r *root) rulesChanged(ix *index) bool {
	rules := map[string]stamp{}
	for _, file := range ix.rules {
		if info, err := os.Lstat(file); err == nil {
			rules[file] = stampOf(info)
		}
	}
	r.addRules(rules)
	same := r.rules != nil && len(rules) == len(r.rules)
	for name, st := range rules {
		same = same && r.rules[name] == st && !recently(st)
	}
	r.rules = rules
	return !same
}

// addRules adds the stamps of the files in the folders that say what git ignores.
func (r *root) addRules(rules map[string]stamp) {
	for name, f := range r.folders {
		if f.ruled {
			rules[name] = f.rules
		}
	}
}

// unsettle returns all names that git does not track, to be judged again.
func (r *root) unsettle() (all []sighting) {
	for _, f := range r.folders {
		for _, base := range f.others {
			all = append(all, sighting{f, base, false})
		}
		for _, base := range f.inside {
			all = append(all, sighting{f, base, true})
		}
		for base, dir := range f.hidden {
			all = append(all, sighting{f, base, dir})
		}
		f.others, f.inside, f.hidden = nil, nil, nil
	}
	return all
}
