package undo

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/decoy"
	"parley/internal/must"
)

// names are few, so that operations collide; some are directories of others.
var names = []string{"a", "b", "d", "d/a", "d/b", "d/e/c", "e/f/g", ".gitignore", "x.ign", "d/y.ign", "ign/z"}

// randomStep does one random operation on the files. All of it uses in, so no link leads outside.
func (r *rig) randomStep(rnd *rand.Rand, in *os.Root, out string, through int) {
	name := names[rnd.IntN(len(names))]
	text := fmt.Sprintf("%d\n", rnd.IntN(4))
	if name == ".gitignore" {
		text = []string{"*.ign\nign/\n", "", "a\n", "d/\n"}[rnd.IntN(4)]
	}
	switch rnd.IntN(8) {
	case 0, 1, 2:
		if in.MkdirAll(path.Dir(name), 0o755) == nil {
			old, err := in.ReadFile(name)
			if in.WriteFile(name, []byte(text), 0o644) == nil && through != 0 && rnd.IntN(2) == 0 {
				w := Write{Path: r.path(name), Existed: err == nil, Known: true, Before: string(old), After: text}
				r.must(r.j.Written(through, w))
				r.writes[through] = append(r.writes[through], w)
			}
		}
	case 3:
		in.RemoveAll(name)
	case 4:
		in.Remove(name)
	case 5:
		if info, err := in.Lstat(name); err == nil && info.Mode().IsRegular() {
			in.Chmod(name, []os.FileMode{0o600, 0o644, 0o755}[rnd.IntN(3)])
		}
	case 6:
		if in.Remove(name) == nil && runtime.GOOS != "windows" {
			in.Symlink([]string{"a", "d", filepath.Join(out, name), "nowhere"}[rnd.IntN(4)], name)
		}
	case 7:
		in.Rename(name, names[rnd.IntN(len(names))])
	}
}

// leaves returns the files and links of a tree.
func leaves(t testing.TB, dir string) map[string]string {
	all := tree(t, dir, false)
	maps.DeleteFunc(all, func(_, what string) bool { return what[0] == 'd' })
	return all
}

// text returns the content of a leaf, or the target of a link.
func text(leaf string) string {
	_, text, _ := strings.Cut(leaf, " ")
	return text
}

// mode returns the mode of a leaf.
func mode(leaf string) string {
	mode, _, _ := strings.Cut(leaf, " ")
	return mode
}

// committed is the first content of the repository.
var committed = map[string]string{"a": "0\n", "d/a": "0\n", "d/e/c": "1\n", ".gitignore": "*.ign\nign/\n"}

// course is a random sequence, with or without a user's changes.
type course struct {
	seed uint64
	user bool
}

var courses = []course{
	{0, true}, {1, false}, {2, true}, {3, false}, {4, true}, {5, false}, {6, true}, {7, false},
	{346, true},    // a user changes the mode of what was written written via parley
	{202, true},    // of a file that it made
	{9941, false},  // a created file became a directory with unknown files
	{33461, false}, // a file that git begins to see is written and deleted
	{42709, false}, // the mode of an ignored file changes
	{62021, true},  // a user writes what the agent wrote where git ignores it
	{89173, false}, // a file replaces a directory that is empty when recreated
}

// FuzzUndo follows courses in directories where git is imitated, because running git and waiting for clocks
// would take most of the time. It is several times faster if TMPDIR is in memory.
func FuzzUndo(f *testing.F) {
	for _, c := range courses {
		f.Add(c.seed, c.user)
	}
	out, base := outside(f), realTemp(f)
	untouched := must.Get(decoy.Tree(out))(f)
	var ready []string // directories in their first state
	f.Fuzz(func(t *testing.T, seed uint64, user bool) {
		if len(ready) == 0 {
			ready = beginnings(t, base, len(courses))
		}
		r := &rig{t: t, dir: ready[0]}
		ready = ready[1:]
		t.Cleanup(func() { os.RemoveAll(r.dir) })
		r.j = r.journal(Options{Dir: filepath.Join(base, "copies"), Git: "imitated"})
		r.j.git = imitated()
		course{seed, user}.follow(r, out)
		after, err := decoy.Tree(out)
		r.must(err)
		if diff := cmp.Diff(untouched, after); diff != "" {
			t.Errorf("changed outside:\n%s", diff)
		}
	})
}

// beginnings creates n directories in which a course can begin.
func beginnings(t testing.TB, base string, n int) []string {
	var dirs []string
	for range n {
		dir, err := os.MkdirTemp(base, "")
		r := &rig{t: t, dir: dir}
		r.must(err)
		for name, text := range committed {
			r.write(name, text)
		}
		r.begin()
		dirs = append(dirs, dir)
	}
	waitTick()
	return dirs
}

// begin adds what is not committed.
func (r *rig) begin() { r.write("x.ign", "2\n") }

// TestUndoInRepository follows some courses with git.
func TestUndoInRepository(t *testing.T) {
	for _, c := range courses[4:] {
		t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
			r := newRig(t, committed)
			r.begin()
			waitTick()
			c.follow(r, outside(t))
		})
	}
}

// follow lets an agent and a user change files in turn. Undo must never change a file that is not as the agent
// left it. Without a user, everything that can be undone must be as it was, and Redo must lead back. Nothing
// outside the repository may change, wherever links lead.
func (c course) follow(r *rig, out string) {
	t, rnd := r.t, rand.New(rand.NewPCG(c.seed, 1))
	r.writes = map[int][]Write{}
	in, err := os.OpenRoot(r.dir)
	r.must(err)
	defer in.Close()
	first := leaves(t, r.dir)
	user, tracked := c.user, map[string]bool{r.path("a"): true, r.path("d/a"): true, r.path("d/e/c"): true, r.path(".gitignore"): true}
	turns := 1 + rnd.IntN(3)
	left := map[int]map[string]string{} // by turn: what the agent left
	for n := range turns {
		r.during(n+1, func() {
			for range 1 + rnd.IntN(8) {
				r.randomStep(rnd, in, out, n+1)
			}
		})
		left[n+1] = leaves(t, r.dir)
		if r.keep != nil {
			r.again()
			r.j.git = imitated()
		}
		for range rnd.IntN(4) {
			if user {
				r.randomStep(rnd, in, out, 0)
			}
		}
	}
	before := leaves(t, r.dir)
	for n := range turns {
		t.Logf("turn %d left %q\n%v", n+1, left[n+1], r.lines(r.j.Changes(n+1)))
	}
	changes := r.j.Changes(All)
	rnd.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	results := r.j.Undo(t.Context(), changes)
	after := leaves(t, r.dir)
	for path, was := range before {
		if is, ok := after[path]; ok && is == was {
			continue
		}
		// Undo changed it, so it must have been as some turn that names it left it, except for
		// an unknown mode, or as it was written written via parley if git ignored the result.
		is, there := after[path]
		named := slices.ContainsFunc(results, func(res Result) bool {
			as := left[res.Change.Turn][path]
			return res.Err == nil && res.Change.Path == path && (as == was || there && mode(is) == mode(was) && text(as) == text(was) ||
				slices.ContainsFunc(r.writes[res.Change.Turn], func(w Write) bool { return w.Path == path && w.After == text(was) }))
		})
		if !named {
			t.Errorf("%s held %q, which no agent left there; now %q", path, was, after[path])
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok && !slices.ContainsFunc(results, func(res Result) bool { return res.Err == nil && res.Change.Path == path }) {
			t.Errorf("%s came from nowhere", path)
		}
	}
	if user {
		return
	}
	for _, res := range results {
		if res.Err != nil && !errors.Is(res.Err, ErrNotKept) && !errors.Is(res.Err, ErrChangedSince) {
			t.Errorf("%s: got %v", res.Change.Path, res.Err)
		}
		// Untracked files may appear and disappear unnoticed while git ignores them.
		if !tracked[res.Change.Path] {
			continue
		}
		if res.Err == nil && first[res.Change.Path] != after[res.Change.Path] && !severalOf(changes, res.Change.Path) {
			t.Errorf("%s was %q, undone it is %q", res.Change.Path, first[res.Change.Path], after[res.Change.Path])
		}
	}
	var undone []Change
	for _, c := range r.j.Changes(All) {
		if c.Undone {
			undone = append(undone, c)
		}
	}
	for _, res := range r.j.Redo(t.Context(), undone) {
		if res.Err != nil {
			t.Errorf("redo %s: %v", res.Change.Path, res.Err)
		}
	}
	if diff := cmp.Diff(before, leaves(t, r.dir)); diff != "" {
		t.Errorf("done again, it is not as it was:\n%s", diff)
	}
}

func severalOf(changes []Change, path string) bool {
	n := 0
	for _, c := range changes {
		if c.Path == path {
			n++
		}
	}
	return n > 1
}
