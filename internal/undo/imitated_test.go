package undo

import (
	"context"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/seeds"
)

// imitated answers like git in a repository whose index holds the committed names. TestImitated compares it
// with git.
func imitated(_ context.Context, dir string, _ int, args ...string) ([]string, error) {
	w := &worktree{dir: dir, patterns: ignoreFile(dir)}
	if err := w.walk(".", false); err != nil {
		return nil, err
	}
	names := w.ignored
	if args[0] == "--cached" {
		names = w.others
		for name := range committed {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// ignoreFile returns the patterns of .gitignore. Git does not follow a link of that name.
func ignoreFile(dir string) []string {
	name := filepath.Join(dir, ".gitignore")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, _ := os.ReadFile(name)
	return strings.Fields(string(text))
}

// worktree sorts the files that are not in the index.
type worktree struct {
	dir             string
	patterns        []string // in the forms that courses use: NAME, *.SUFFIX, DIRECTORY/
	others, ignored []string
}

func (w *worktree) walk(at string, ignored bool) error {
	entries, err := os.ReadDir(filepath.Join(w.dir, at))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		ignored := ignored || w.ignores(e.Name(), e.IsDir())
		_, tracked := committed[name]
		switch {
		case name == ".git":
		case e.IsDir() && ignored && !holdsTracked(name):
			if !tracked { // git does not list a directory that replaced a tracked file
				w.ignored = append(w.ignored, name+"/")
			}
		case e.IsDir():
			if err := w.walk(name, ignored); err != nil {
				return err
			}
		case tracked:
		case ignored:
			w.ignored = append(w.ignored, name)
		default:
			w.others = append(w.others, name)
		}
	}
	return nil
}

func (w *worktree) ignores(base string, dir bool) bool {
	return slices.ContainsFunc(w.patterns, func(pattern string) bool {
		pattern, only := strings.CutSuffix(pattern, "/")
		match, _ := path.Match(pattern, base)
		return match && (dir || !only)
	})
}

func holdsTracked(dir string) bool {
	for name := range committed {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// The imitation always agrees with git.
func TestImitated(t *testing.T) {
	r := newRig(t, committed)
	in, err := os.OpenRoot(r.dir)
	r.must(err)
	defer in.Close()
	out := outside(t)
	rnd := rand.New(rand.NewPCG(1, 1))
	for range seeds.Of(3000) {
		for range 1 + rnd.IntN(4) {
			r.randomStep(rnd, in, out, 0)
		}
		for _, args := range [][]string{{"--cached", "--others"}, {"--others", "--ignored", "--directory"}} {
			want, err := list(t.Context(), r.j.opts.Git, r.dir, MaxFiles, args...)
			r.must(err)
			got, err := imitated(t.Context(), r.dir, MaxFiles, args...)
			r.must(err)
			diff := cmp.Diff(want, got)
			if args[0] == "--others" {
				diff = cmp.Diff(hiddenBy(want), hiddenBy(got))
			}
			if diff != "" {
				t.Fatalf("%q, of %q with the patterns %q:\n%s", args, leaves(t, r.dir), ignoreFile(r.dir), diff)
			}
		}
	}
}
