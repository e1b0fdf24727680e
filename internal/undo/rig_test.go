package undo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/decoy"
	"parley/internal/gittest"
	"parley/internal/must"
)

// rig is a directory, usually a repository, and the Journal of a session in it.
type rig struct {
	t   testing.TB
	dir string
	j   *Journal

	writes map[int][]Write // by turn: what was written written via parley
	keep   *Options        // of the Journals of a session whose changes are kept; nil: they are not
}

// newRig creates a repository with some committed files.
func newRig(t testing.TB, files map[string]string) *rig {
	t.Helper()
	r := &rig{t: t, dir: gittest.Repository(t, files)}
	trust(t, r.dir)
	r.j = r.journal(Options{})
	return r
}

// trust makes git's index younger than the files, as it is some time after they were written.
func trust(t testing.TB, dir string) {
	t.Helper()
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(dir, ".git", "index"), later, later); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func realTemp(t testing.TB) string {
	t.Helper()
	return must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
}

// outside creates a directory for links to lead to, with a file for each of names that can be one. It fails the
// test if anything there changes.
func outside(t testing.TB) string {
	t.Helper()
	out := &rig{t: t, dir: realTemp(t)}
	for _, name := range names {
		if name != "d" {
			out.write(name, "outside\n")
		}
	}
	decoy.Guard(t, out.dir)
	return out.dir
}

func (r *rig) journal(opts Options) *Journal {
	r.t.Helper()
	if opts.Dir == "" {
		opts.Dir = r.t.TempDir()
	}
	if opts.Roots == nil {
		opts.Roots = []string{r.dir}
	}
	j := must.Get(New(opts))(r.t)
	r.t.Cleanup(func() {
		if err := j.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return j
}

func (r *rig) git(args ...string) string {
	r.t.Helper()
	return gittest.Run(r.t, r.dir, args...)
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *rig) write(name, text string) {
	r.t.Helper()
	gittest.Write(r.t, r.dir, name, text)
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) remove(name string) { r.t.Helper(); r.must(os.RemoveAll(r.path(name))) }

// holds fails unless a file has the text.
func (r *rig) holds(name, text string) {
	r.t.Helper()
	b, err := os.ReadFile(r.path(name))
	if err != nil || string(b) != text {
		r.t.Errorf("%q holds %q, %v; want %q", name, b, err, text)
	}
}

func (r *rig) absent(name string) {
	r.t.Helper()
	if _, err := os.Lstat(r.path(name)); !errors.Is(err, fs.ErrNotExist) {
		r.t.Errorf("%q exists (%v)", name, err)
	}
}

// during runs one turn, which must give no notes.
func (r *rig) during(number int, agent func()) {
	r.t.Helper()
	notes := r.j.BeginTurn(r.t.Context(), number)
	agent()
	notes = append(notes, r.j.EndTurn(r.t.Context(), number)...)
	for _, n := range notes {
		r.t.Errorf("a note: %s: %s: %v", n.Root, n.Text, n.Err)
	}
}

// lines formats changes as "kind name by", with an exclamation mark if they cannot be undone and a minus if
// they were.
func (r *rig) lines(changes []Change) []string {
	var out []string
	for _, c := range changes {
		rel, err := filepath.Rel(r.dir, c.Path)
		r.must(err)
		line := c.Kind.String() + " " + filepath.ToSlash(rel) + " " + c.By.String()
		if c.NoUndoReason != "" {
			line += " !" + c.NoUndoReason
		}
		if c.Undone {
			line += " -"
		}
		out = append(out, line)
	}
	return out
}

func (r *rig) want(number int, want ...string) {
	r.t.Helper()
	if got := r.lines(r.j.Changes(number)); !slices.Equal(got, want) {
		r.t.Errorf("changes of %d:\n%s\nwant:\n%s", number, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// undo reverts a whole turn, and returns the errors by name.
func (r *rig) undo(number int) map[string]error {
	r.t.Helper()
	return r.errors(r.j.Undo(r.t.Context(), r.j.Changes(number)))
}

func (r *rig) errors(results []Result) map[string]error {
	failed := map[string]error{}
	for _, res := range results {
		rel, _ := filepath.Rel(r.dir, res.Change.Path)
		if res.Err != nil {
			failed[filepath.ToSlash(rel)] = res.Err
		}
	}
	return failed
}

func (r *rig) undoAll(number int) {
	r.t.Helper()
	if failed := r.undo(number); len(failed) > 0 {
		r.t.Errorf("left alone: %v", failed)
	}
}

// tree returns everything below a directory, with .git only if asked, with modes and contents.
func tree(t testing.TB, dir string, withGit bool) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" && !withGit {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(name)
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			what += " " + string(b)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			what += " " + to
		}
		all[name] = what
		return nil
	}))
	return all
}
