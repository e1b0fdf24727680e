package undo

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// leastTick is how far the clock of most file systems lags behind.
const leastTick = 10 * time.Millisecond

// maxNamed is how many files of a root are tracked because they were named.
const maxNamed = 20_000

var errTooManyNamed = errors.New("the agent has named more than 20,000")

// Name tracks files that an agent names, in a tool call or a question, where git does not list them: in a root
// without git, and ignored ones. It examines each at once, so that what it holds can be restored; call
// it before the agent is allowed to write. A file that was changed earlier in the turn is listed
// without what was there before. Paths have their links followed; those outside the roots are ignored.
// It waits for the disk.
func (j *Journal) Name(paths ...string) error {
	j.work.Lock()
	defer j.work.Unlock()
	if j.isClosed() {
		return nil
	}
	var failed error
	for _, path := range paths {
		p, err := j.placeOf(filepath.Clean(path))
		if err != nil || !p.inRoot || holdsDotGit(p.rel) {
			continue
		}
		r := j.roots[slices.IndexFunc(j.roots, func(r *root) bool { return r.real == p.dir })]
		if r.named[p.rel] || slices.ContainsFunc(r.apart, func(dir string) bool { return strings.HasPrefix(p.rel, dir+"/") }) {
			continue
		}
		if err := j.name(r, p.rel); err != nil {
			failed = err
		}
	}
	return failed
}

// name adds a file of a root to those that are tracked. The caller holds work.
func (j *Journal) name(r *root, rel string) error {
	if len(r.named) == maxNamed {
		j.note(nil, Note{r.real, "no further files are recorded", errTooManyNamed})
		return nil
	}
	j.mu.Lock()
	t := j.turn
	j.mu.Unlock()
	if t == nil || t.was[r] == nil {
		r.named[rel] = true // the next scan examines it
		return nil
	}
	was := t.was[r]
	if _, known := was.files[rel]; known || was.listed && !was.hidden.holds(rel) {
		return nil
	}
	top, err := openTop(r.real)
	if err != nil {
		return fmt.Errorf("look at %s: %w", r.real, err)
	}
	defer top.Close()
	w := &walker{top: top}
	defer w.leave(0)
	e, err := j.changedLooker().at(w, rel, nil)
	if e.state.kind == directory {
		return err
	}
	r.named[rel] = true
	if len(j.writesOf(t.number, r)[rel]) > 0 { // which have its content before
		return err
	}
	was.files[rel] = e
	changed := cmp.Or(e.stamp.ctime, e.stamp.mtime)
	was.changedEarly[rel] = e.state.kind != absent && !wellBefore(changed, was.began.Add(tick-leastTick))
	return err
}
