package undo

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/gittest"
	"parley/internal/seeds"
)

// listed returns the files that a scan of the only root has found.
func (r *rig) listed() []string {
	r.t.Helper()
	if notes := r.j.BeginTurn(r.t.Context(), 1); len(notes) > 0 {
		r.t.Fatal(notes)
	}
	s := r.j.turn.was[r.j.roots[0]]
	names := slices.Collect(maps.Keys(s.files))
	for i, clean := range s.clean {
		if clean != 0 {
			names = append(names, s.index.files[i].name)
		}
	}
	slices.Sort(names)
	return names
}

// listedByGit returns those that git lists and that exist.
func (r *rig) listedByGit() []string {
	r.t.Helper()
	out, err := gittest.Command(r.t, r.dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	r.must(err)
	var names []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		info, err := os.Lstat(r.path(name))
		real, _ := filepath.EvalSymlinks(filepath.Dir(r.path(name)))
		if err == nil && name != "" && !info.IsDir() && real == filepath.Dir(r.path(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A scan finds the files that git lists, whatever has changed since the one before.
func TestListsLikeGit(t *testing.T) {
	unixOnly(t)
	rnd := rand.New(rand.NewPCG(6, 1))
	bases := []string{"a", "b.ign", "c", "d", "e", ".gitignore"}
	rules := []string{"*.ign\n", "d/\n", "/e\n!b.ign\n", "c\n", "*\n!.gitignore\n!a\n", "\n", "d/*\n!d/a\n"}
	for range seeds.Of(100) {
		r := newRig(t, map[string]string{"a": "1", "d/a": "1", "d/e/c": "1", "c/d/b.ign": "1", ".gitignore": "*.ign\n"})
		for step := range 12 {
			for range 1 + rnd.IntN(5) {
				name := bases[rnd.IntN(len(bases))]
				for range rnd.IntN(3) {
					name = bases[rnd.IntN(5)] + "/" + name
				}
				text := fmt.Sprint(rnd.IntN(5))
				if path.Base(name) == ".gitignore" {
					text = rules[rnd.IntN(len(rules))]
				}
				switch rnd.IntN(9) {
				case 0, 1, 2, 3:
					if os.MkdirAll(filepath.Dir(r.path(name)), 0o755) == nil {
						os.WriteFile(r.path(name), []byte(text), 0o644)
					}
				case 4:
					os.RemoveAll(r.path(name))
				case 5:
					os.Rename(r.path(name), r.path(bases[rnd.IntN(len(bases))]))
				case 6:
					os.MkdirAll(r.path(name+"/"), 0o755)
				case 7:
					os.Symlink("a", r.path(name))
				case 8:
					switch rnd.IntN(4) {
					case 0:
						gittest.Command(t, r.dir, "add", "-A").Run() // fails where a nested repository has no commit
					case 1:
						r.git("commit", "-q", "--allow-empty", "-m", "x")
					case 2:
						if info, err := os.Stat(r.path(name)); err == nil && info.IsDir() {
							r.git("init", "-q", r.path(name))
						}
					case 3:
						r.git("rm", "-rq", "--cached", "--ignore-unmatch", name)
					}
				}
			}
			if diff := cmp.Diff(r.listedByGit(), r.listed()); diff != "" {
				t.Fatalf("after %d steps:\n%s", step+1, diff)
			}
		}
	}
}
