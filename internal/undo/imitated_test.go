package undo

import (
	"context"
	"maps"
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

// imitation answers like git in a repository whose index has the committed files, as they are when it is asked
// first. TestImitated compares it with git.
type imitation struct {
	index    *index
	contents map[string]string // of blobs, by their hash
}

func imitated() gitCalls {
	g := &imitation{contents: map[string]string{}}
	return gitCalls{g.tracked, ignored, g.blobs}
}

func (g *imitation) tracked(_ context.Context, dir string, _ *index) (*index, error) {
	if g.index != nil {
		return g.index, nil
	}
	g.index = &index{}
	for _, name := range slices.Sorted(maps.Keys(committed)) {
		t := tracked{name: name}
		info, err := os.Lstat(filepath.Join(dir, name))
		if text, failed := os.ReadFile(filepath.Join(dir, name)); err == nil && failed == nil && info.Mode().IsRegular() && !recently(stampOf(info)) {
			st := stampOf(info)
			t = tracked{name, g.index.blobHash(text), noted(st.mtime), noted(st.ctime), uint32(st.ino), uint32(st.size), st.mode&0o100 != 0, true}
			g.contents[t.blob] = string(text)
		}
		g.index.files = append(g.index.files, t)
	}
	return g.index, nil
}

func (g *imitation) blobs(_ context.Context, _ string, _ *repository, wanted []wantedBlob) error {
	for _, w := range wanted {
		w.got(g.contents[w.hash])
	}
	return nil
}

func ignored(_ context.Context, dir string, names []string) (is []bool, err error) {
	patterns := ignoreFile(dir)
	for _, name := range names {
		any := false
		for at := name; at != "."; at = path.Dir(at) {
			info, err := os.Lstat(filepath.Join(dir, at))
			any = any || ignores(patterns, path.Base(at), err == nil && info.IsDir())
		}
		is = append(is, any)
	}
	return is, nil
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

// ignores matches patterns in the forms that courses use: NAME, *.SUFFIX, DIRECTORY/.
func ignores(patterns []string, base string, dir bool) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern, only := strings.CutSuffix(pattern, "/")
		match, _ := path.Match(pattern, base)
		return match && (dir || !only)
	})
}

// The imitation always agrees with git.
func TestImitated(t *testing.T) {
	r := newRig(t, committed)
	in, err := os.OpenRoot(r.dir)
	r.must(err)
	defer in.Close()
	out := outside(t)
	rnd := rand.New(rand.NewPCG(1, 1))
	for range seeds.Of(1000) {
		for range 1 + rnd.IntN(4) {
			r.randomStep(rnd, in, out, 0)
		}
		var names []string
		for name := range tree(t, r.dir, false) {
			if rel, _ := filepath.Rel(r.dir, name); rel != "." {
				names = append(names, filepath.ToSlash(rel))
			}
		}
		want, err := git(r.j.opts.Git).ignored(t.Context(), r.dir, names)
		r.must(err)
		got, err := ignored(t.Context(), r.dir, names)
		r.must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q with the patterns %q:\n%s", names, ignoreFile(r.dir), diff)
		}
	}
}
