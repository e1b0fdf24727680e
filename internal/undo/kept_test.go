package undo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"
)

var aSession = Session{Agent: "ada", ID: "s-1", Project: "/p"}

// keeping gives the rig a Journal whose changes are kept.
func (r *rig) keeping(opts Options) {
	r.t.Helper()
	if opts.Dir == "" {
		opts.Dir = r.t.TempDir()
	}
	r.keep = &opts
	r.again()
}

// again closes the Journal and opens one that continues it.
func (r *rig) again() {
	r.t.Helper()
	if r.j != nil {
		r.must(r.j.Close())
	}
	opts := *r.keep
	k, err := Keep(opts.Dir, aSession, true)
	r.must(err)
	opts.Keep = k
	r.j = r.journal(opts)
}

// kept returns the directory with the changes of the session.
func (r *rig) kept() string {
	r.t.Helper()
	all, err := filepath.Glob(filepath.Join(r.keep.Dir, keptPrefix+"*"))
	r.must(err)
	if len(all) != 1 {
		r.t.Fatalf("directories: %q", all)
	}
	return all[0]
}

// Another Journal of the session lists what the first one has recorded, undoes it, and continues its turns.
func TestKept(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n", "b": "1\n", "gone": "1\n", "later": "1\n"})
	r.keeping(Options{})
	if left, err := os.ReadDir(r.keep.Dir); len(left) != 1 || err != nil {
		t.Errorf("before there is a change: %v, %v", left, err)
	}
	r.during(1, func() {
		r.write("a", "2\n")
		r.must(r.j.Written(1, Write{Path: r.path("a"), Existed: true, Known: true, Before: "1\n", After: "2\n"}))
		r.write("b", "2\n")
		r.remove("gone")
		r.write("d/new", "x")
	})
	r.during(2, func() {})
	r.during(3, func() { r.write("b", "3\n") })
	r.during(4, func() {})
	before := r.lines(r.j.Changes(All))
	r.again()
	if diff := cmp.Diff(before, r.lines(r.j.Changes(All))); diff != "" {
		t.Error(diff)
	}
	if got := r.j.LastTurn(); got != 4 {
		t.Errorf("the last turn is %d", got)
	}
	if got := r.j.Turns(); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("turns with changes: %d", got)
	}
	if from, to, ok := r.j.Texts(r.j.Changes(3)[0]); from != "2\n" || to != "3\n" || !ok {
		t.Errorf("%q, %q, %v", from, to, ok)
	}
	r.during(5, func() { r.write("b", "4\n"); r.write("later", "2\n") })
	r.write("later", "mine\n")
	if failed := r.errors(r.j.Undo(t.Context(), r.j.Since(0))); len(failed) != 1 || !errors.Is(failed["later"], ErrChangedSince) {
		t.Error(failed)
	}
	for name, text := range map[string]string{"a": "1\n", "b": "1\n", "gone": "1\n", "later": "mine\n"} {
		r.holds(name, text)
	}
	r.absent("d")
	r.again()
	for _, c := range r.j.Since(0) {
		if c.Undone == (c.Path == r.path("later")) {
			t.Errorf("%s: undone is %v", c.Path, c.Undone)
		}
	}
	if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
		t.Error(failed)
	}
	r.holds("d/new", "x")
}

// Courses lead to the same when each turn has a Journal of its own.
func TestKeptCourses(t *testing.T) {
	out, base := outside(t), realTemp(t)
	dirs := beginnings(t, base, len(courses))
	for i, c := range courses {
		t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
			r := &rig{t: t, dir: dirs[i]}
			r.keeping(Options{Git: "imitated"})
			r.j.git = imitated()
			c.follow(r, out)
		})
	}
}

// What a killed process has recorded until the end of its last turn is kept, for the user alone.
func TestKeptByKilled(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	r.during(2, func() { r.write("a", "3\n") })
	r.j.BeginTurn(t.Context(), 3)
	elsewhere := t.TempDir() // here it is locked
	r.must(os.CopyFS(filepath.Join(elsewhere, filepath.Base(r.kept())), os.DirFS(r.kept())))
	if runtime.GOOS != "windows" {
		for path, mode := range map[string]os.FileMode{r.kept(): 0o700, filepath.Join(r.kept(), packName): 0o600, filepath.Join(r.kept(), savedName): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	r.must(r.j.Close())
	r.keep.Dir = elsewhere
	r.again()
	r.want(2, "changed a changed on disk")
	if failed := r.errors(r.j.Undo(t.Context(), r.j.Since(0))); len(failed) > 0 {
		t.Error(failed)
	}
	r.holds("a", "1\n")
}

// What is kept is written again if somebody deletes it before the session ends.
func TestKeptAgain(t *testing.T) {
	unixOnly(t) // elsewhere an open file cannot be deleted
	r := newRig(t, map[string]string{"a": "1\n", "c": "1\n", "d": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	r.must(os.RemoveAll(r.keep.Dir))
	r.during(2, func() { r.write("c", "2\n") })
	r.during(3, func() { r.write("a", "3\n") })
	r.must(os.RemoveAll(r.keep.Dir))
	r.during(4, func() { r.write("b", "1\n"); r.must(os.RemoveAll(r.keep.Dir)); r.write("d", "2\n") })
	r.again()
	r.want(1, "changed a changed on disk")
	r.want(2, "changed c changed on disk")
	r.want(3, "changed a changed on disk")
	r.want(4, "created b changed on disk", "changed d changed on disk")
	r.undoAll(All)
	for _, name := range []string{"a", "c", "d"} {
		r.holds(name, "1\n")
	}
	r.absent("b")
}

// Only what the changes need is kept.
func TestKeptCopies(t *testing.T) {
	r := newRig(t, map[string]string{"a": "before\n", "secret": "never changed\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "after\n") })
	pack, err := os.ReadFile(filepath.Join(r.kept(), packName))
	r.must(err)
	if !bytes.Contains(pack, []byte("before\n")) || !bytes.Contains(pack, []byte("after\n")) || bytes.Contains(pack, []byte("never")) {
		t.Errorf("%q", pack)
	}
}

func TestKeptInUse(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	for _, resumed := range []bool{true, false} {
		if k, err := Keep(r.keep.Dir, aSession, resumed); k != nil || !errors.Is(err, ErrInUse) {
			t.Errorf("got %v, %v", k, err)
		}
	}
	for _, other := range []Session{{"bob", "s-1", "/p"}, {"ada", "s-2", "/p"}, {"ada", "s-1", "/q"}} {
		k, err := Keep(r.keep.Dir, other, true)
		if err != nil || len(k.past.Changes) > 0 {
			t.Errorf("%v: %v, %+v", other, err, k)
		}
	}
	r.want(1, "changed a changed on disk")

	// Two that begin without changes: the second is told so.
	first, err := Keep(r.keep.Dir, Session{"ada", "s-3", "/p"}, true)
	r.must(err)
	second, err := Keep(r.keep.Dir, Session{"ada", "s-3", "/p"}, true)
	r.must(err)
	one, two := r.journal(Options{Dir: r.keep.Dir, Keep: first}), r.journal(Options{Dir: r.keep.Dir, Keep: second})
	one.BeginTurn(t.Context(), 1)
	two.BeginTurn(t.Context(), 1)
	r.write("a", "3\n")
	if notes := one.EndTurn(t.Context(), 1); len(notes) > 0 {
		t.Error(notes)
	}
	if notes := two.EndTurn(t.Context(), 1); len(notes) != 1 || !errors.Is(notes[0].Err, ErrInUse) {
		t.Error(notes)
	}
	two.opts.Keep = nil // it could not be closed without the error
}

// If changes cannot be kept, EndTurn says so, and they can be undone until the Journal is closed.
func TestKeptNotWritten(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	inTheWay := r.kept()
	r.must(os.RemoveAll(inTheWay))
	r.must(os.WriteFile(inTheWay, nil, 0o600))
	for turn := 2; turn <= 3; turn++ {
		r.j.BeginTurn(t.Context(), turn)
		r.write("a", fmt.Sprint(turn+1, "\n"))
		if notes := r.j.EndTurn(t.Context(), turn); len(notes) != 1 || !strings.Contains(fmt.Sprint(notes[0].Err), "keep changes: ") {
			t.Errorf("turn %d: %v", turn, notes)
		}
	}
	if failed := r.errors(r.j.Undo(t.Context(), r.j.Since(0))); len(failed) > 0 {
		t.Error(failed)
	}
	r.holds("a", "1\n")
	if err := r.j.Close(); err == nil || !strings.Contains(err.Error(), "keep changes: ") {
		t.Errorf("close: %v", err)
	}
}

// A new session does not get the changes of an earlier one with its name.
func TestKeptOfNewSession(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	r.must(r.j.Close())
	k, err := Keep(r.keep.Dir, aSession, false)
	r.must(err)
	r.must(k.Close())
	if all, err := List(r.keep.Dir); len(all) > 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	r.again()
	if got := r.j.Changes(All); len(got) > 0 || r.j.LastTurn() != 0 {
		t.Errorf("%+v", got)
	}
}

// What is damaged is dropped, with the reason; a damaged copy is not restored.
func TestKeptDamaged(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	r.must(r.j.Close())
	dir := r.kept()
	file, pack := filepath.Join(dir, savedName), filepath.Join(dir, packName)
	good, err := os.ReadFile(file)
	r.must(err)
	contents, err := os.ReadFile(pack)
	r.must(err)
	edit := func(change func(*saved)) func() {
		return func() {
			var s saved
			r.must(json.Unmarshal(good, &s))
			change(&s)
			data, err := json.Marshal(s)
			r.must(err)
			r.must(os.WriteFile(file, data, 0o600))
		}
	}
	for name, damage := range map[string]func(){
		"truncated":        func() { r.must(os.WriteFile(file, good[:len(good)/2], 0o600)) },
		"empty":            func() { r.must(os.WriteFile(file, nil, 0o600)) },
		"missing":          func() { r.must(os.Remove(file)) },
		"no copies":        func() { r.must(os.Remove(pack)) },
		"a directory":      func() { r.must(os.Remove(file)); r.must(os.Mkdir(file, 0o700)) },
		"a later line":     func() { r.must(os.WriteFile(file, slices.Concat(good, []byte("{\n")), 0o600)) },
		"version":          edit(func(s *saved) { s.Version = 2 }),
		"other session":    edit(func(s *saved) { s.Session = "s-2" }),
		"relative":         edit(func(s *saved) { s.Changes[0].Path = []byte("a") }),
		"not clean":        edit(func(s *saved) { s.Changes[0].Path = []byte(r.path("a") + "/../../x") }),
		"turn":             edit(func(s *saved) { s.Changes[0].Turn = 2 }),
		"late turn":        edit(func(s *saved) { s.Turn = math.MaxInt }),
		"no turn":          edit(func(s *saved) { s.Changes[0].Turn = 0 }),
		"number":           edit(func(s *saved) { s.Changes = append(s.Changes, s.Changes[0]) }),
		"kind":             edit(func(s *saved) { s.Changes[0].Before.Kind = 99 }),
		"mode":             edit(func(s *saved) { s.Changes[0].After.Mode = os.ModeSetuid | 0o755 }),
		"short hash":       edit(func(s *saved) { s.Changes[0].After.Sum = []byte("x") }),
		"no stamp":         edit(func(s *saved) { s.Changes[0].After = savedState{Kind: opaque} }),
		"by":               edit(func(s *saved) { s.Changes[0].By = 9 }),
		"reason":           edit(func(s *saved) { s.Changes[0].Doubt = "\x1b[31mred" }),
		"directories":      edit(func(s *saved) { s.Changes[0].NewDirs = -1 }),
		"hash of a copy":   edit(func(s *saved) { s.Copies[0].Sum = nil }),
		"place of a copy":  edit(func(s *saved) { s.Copies[0].Off = -1 }),
		"length of a copy": edit(func(s *saved) { s.Copies[0].N = math.MaxInt64 }),
		"no roots":         edit(func(s *saved) { s.Roots = nil }),
		"a relative root":  edit(func(s *saved) { s.Roots = [][]byte{[]byte("p")} }),
	} {
		t.Run(name, func(t *testing.T) {
			r.must(os.RemoveAll(dir))
			r.must(os.Mkdir(dir, 0o700))
			r.must(os.WriteFile(file, good, 0o600))
			r.must(os.WriteFile(pack, contents, 0o600))
			damage()
			if all, err := List(r.keep.Dir); err != nil || len(all) > 0 && name != "other session" {
				t.Errorf("listed: %+v, %v", all, err)
			}
			k, err := Keep(r.keep.Dir, aSession, true)
			if k == nil || err == nil || strings.Contains(err.Error(), "\n") || len(k.past.Changes) > 0 {
				t.Fatalf("got %+v, %v", k, err)
			}
			r.must(k.Close())
			if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("what is damaged is still there: %v", err)
			}
		})
	}
	restore := func(contents []byte) {
		r.must(os.RemoveAll(dir))
		r.must(os.Mkdir(dir, 0o700))
		r.must(os.WriteFile(file, good, 0o600))
		r.must(os.WriteFile(pack, contents, 0o600))
		r.again()
	}
	restore(bytes.Repeat([]byte("X"), len(contents)))
	if failed := r.undo(1); !errors.Is(failed["a"], errDamaged) {
		t.Error(failed)
	}
	r.must(r.j.Close())
	restore(nil)
	r.want(1, "changed a changed on disk !no copy of it could be written")
	r.holds("a", "2\n")
}

// A link in the place of a file of the record is not followed.
func TestKeptLink(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "1\n"})
	for _, name := range []string{savedName, packName} {
		r.keeping(Options{})
		r.during(1, func() { r.write("a", r.t.Name()+name) })
		r.must(r.j.Close())
		moved := filepath.Join(t.TempDir(), name)
		r.must(os.Rename(filepath.Join(r.kept(), name), moved))
		r.must(os.Symlink(moved, filepath.Join(r.kept(), name)))
		was, err := os.ReadFile(moved)
		r.must(err)
		if k, err := Keep(r.keep.Dir, aSession, true); err == nil || len(k.past.Changes) > 0 {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
		if is, err := os.ReadFile(moved); err != nil || !bytes.Equal(was, is) {
			t.Errorf("%s: what the link leads to has changed: %v", name, err)
		}
		r.j = nil
	}
}

// Changes that are not in the directories of the resumed session are listed, and not undone.
func TestKeptOtherRoots(t *testing.T) {
	r := newRig(t, map[string]string{"in/a": "1\n", "b": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("in/a", "2\n"); r.write("b", "2\n") })
	r.keep.Roots = []string{r.path("in")}
	r.again()
	by := " changed on disk"
	r.want(1, "changed b"+by+" !it is not in the directories of the session", "changed in/a"+by)
	if failed := r.undo(1); len(failed) != 1 || !errors.Is(failed["b"], ErrNotKept) {
		t.Error(failed)
	}
	r.holds("b", "2\n")
	r.holds("in/a", "1\n")
	r.during(2, func() {})
	r.keep.Roots = nil
	r.again()
	r.want(1, "changed b"+by, "changed in/a"+by+" -")
}

// A name that is not text is kept as it is.
func TestKeptNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names are text here")
	}
	r := newRig(t, map[string]string{"a\xff": "1\n"})
	r.keeping(Options{})
	r.during(1, func() {
		r.write("a\xff", "2\n")
		r.must(os.Symlink("to\xfe", r.path("l")))
	})
	r.again()
	r.undoAll(1)
	r.holds("a\xff", "1\n")
	r.absent("l")
	if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
		t.Error(failed)
	}
	if to, err := os.Readlink(r.path("l")); to != "to\xfe" {
		t.Errorf("%q, %v", to, err)
	}
}

// Changes are listed and read by others while a Journal has them.
func TestList(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n", "b": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n"); r.write("b", "2\n") })
	r.write("b", "mine\n")
	all, err := List(r.keep.Dir)
	if err != nil || len(all) != 1 || all[0].Agent != "ada" || all[0].ID != "s-1" || all[0].Dir != r.dir || all[0].Files != 2 || time.Since(all[0].Updated) > time.Minute {
		t.Fatalf("%+v, %v", all, err)
	}
	j, err := all[0].Open()
	r.must(err)
	defer j.Close()
	could := r.errors(j.Preview(t.Context(), j.Since(0)))
	if len(could) != 1 || !errors.Is(could["b"], ErrChangedSince) {
		t.Error(could)
	}
	if before, after, ok := j.Texts(j.Since(0)[0]); before != "1\n" || after != "2\n" || !ok {
		t.Errorf("%q, %q, %v", before, after, ok)
	}
	if none, err := List(filepath.Join(r.keep.Dir, "none")); len(none) > 0 || err != nil {
		t.Error(none, err)
	}
}

// Sweep removes what is too old or too much, the oldest first, and nothing that is in use.
func TestSweepKept(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	put := func(name string, age time.Duration, size int64) *os.File {
		path := filepath.Join(dir, keptPrefix+name)
		must.Do(t, os.Mkdir(path, 0o700))
		f := must.Get(createPack(path))(t)
		must.Do(t, f.Truncate(size))
		for _, path := range []string{f.Name(), path} {
			must.Do(t, os.Chtimes(path, now, now.Add(-age)))
		}
		return f
	}
	day := 24 * time.Hour
	defer put("used", 40*day, 1).Close()
	put("old", 31*day, 1).Close()
	put("large1", 20*day, MaxKeptBytes/2).Close()
	put("large2", 10*day, MaxKeptBytes/2).Close()
	put("small", 5*day, 1).Close()
	put("made now", 0, 1).Close()
	must.Do(t, Sweep(dir, now))
	entries := must.Get(os.ReadDir(dir))(t)
	var left []string
	for _, e := range entries {
		left = append(left, strings.TrimPrefix(e.Name(), keptPrefix))
	}
	want := []string{"large2", "made now", "small", "used"}
	if !slices.Equal(left, want) {
		t.Errorf("left: %q, want %q", left, want)
	}
}
