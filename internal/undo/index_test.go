package undo

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/gittest"
	"parley/internal/must"
)

// indexed describes the files of an index as `git ls-files --stage` does.
func indexed(ix *index) (lines []string) {
	for _, t := range ix.files {
		lines = append(lines, fmt.Sprint(hex.EncodeToString([]byte(t.blob)), " ", t.name))
	}
	return lines
}

func (r *rig) tracked() *index {
	r.t.Helper()
	ix, err := git(r.j.opts.Git).tracked(r.t.Context(), r.dir, nil)
	r.must(err)
	return ix
}

// Every version of the index is read as git reads it, also below a subdirectory.
func TestIndex(t *testing.T) {
	files := map[string]string{}
	for i := 1; i < 60; i += 4 {
		files[fmt.Sprintf("d%d/%s/f", i%7, strings.Repeat("x", i))] = fmt.Sprint(i)
	}
	for name, prepare := range map[string][][]string{
		"2":               {{"update-index", "--index-version", "2"}},
		"3":               {{"add", "-N", "later"}, {"update-index", "--skip-worktree", "d1/x/f"}, {"update-index", "--index-version", "3"}},
		"4":               {{"update-index", "--index-version", "4"}},
		"split":           {{"update-index", "--split-index"}},
		"sparse":          {{"config", "index.sparse", "true"}, {"sparse-checkout", "set", "--cone", "--sparse-index", "d1"}},
		"without a hash":  {{"config", "index.skipHash", "true"}, {"update-index", "--force-write-index"}},
		"a deleted file":  {{"rm", "-q", "d1/x/f"}},
		"an odd name":     {{"mv", "d1/x/f", "d1/li\nne \xff"}},
		"nothing tracked": {{"rm", "-rq", "--cached", "."}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, files)
			r.write("later", "1")
			for _, args := range prepare {
				if out, err := gittest.Command(t, r.dir, args...).CombinedOutput(); err != nil {
					t.Skipf("git %q: %s", args, out)
				}
			}
			trust(t, r.dir)
			for _, dir := range []string{"", "d1"} {
				var want []string
				for line := range strings.SplitSeq(gittest.Run(t, r.path(dir), "ls-files", "-z", "--stage"), "\x00") {
					if head, name, ok := strings.Cut(line, "\t"); ok {
						want = append(want, strings.Fields(head)[1]+" "+name)
					}
				}
				ix, err := git(r.j.opts.Git).tracked(t.Context(), r.path(dir), nil)
				r.must(err)
				got := indexed(ix)
				if name == "split" || name == "sparse" { // git lists them, without their blobs
					for i := range want {
						_, want[i], _ = strings.Cut(want[i], " ")
						want[i] = " " + want[i]
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("in %q:\n%s", dir, diff)
				}
				for _, f := range ix.files {
					info, err := os.Lstat(r.path(dir + "/" + f.name))
					clean := err == nil && f.is(stampOf(info))
					if untrusted := name == "split" || name == "sparse" || f.name == "later"; clean == untrusted && err == nil && name != "an odd name" { // it was moved since
						t.Errorf("%s: is clean: %v, %+v", f.name, clean, f)
					}
				}
			}
		})
	}
}

// The hashes of a repository may be longer.
func TestIndexOfSHA256(t *testing.T) {
	gittest.Isolate(t)
	r := &rig{t: t, dir: realTemp(t)}
	if err := gittest.Command(t, r.dir, "init", "-q", "--object-format=sha256").Run(); err != nil {
		t.Skip("this git knows no SHA-256")
	}
	r.write("a", "1\n")
	r.git("add", "a")
	trust(t, r.dir)
	r.j = r.journal(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	if len(r.tracked().files[0].blob) != 32 {
		t.Error("the hash is short")
	}
	r.want(1, "changed a changed on disk")
	r.undoAll(1)
	r.holds("a", "1\n")
}

// What was in tracked files is known from git, without a copy of them, even if the agent removes the repository.
func TestFromBlobs(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "1\n", "b": "1\n", "d/gone": "1\n", "run": "1\n", "same": "1\n"})
	before := tree(t, r.dir, false)
	r.during(1, func() {
		r.write("a", "2\n")
		r.remove("d")
		r.must(os.Chmod(r.path("run"), 0o755))
		r.write("same", "1\n")
		if size := r.j.store.used; size != 0 {
			t.Errorf("%d bytes of copies", size)
		}
	})
	by := " changed on disk"
	r.want(1, "changed a"+by, "deleted d/gone"+by, "mode run"+by)
	r.during(2, func() { r.write("b", "2\n"); r.write("a", "3\n") })
	r.j.BeginTurn(t.Context(), 3)
	r.write("same", "2\n")
	r.remove(".git")
	r.j.EndTurn(t.Context(), 3)
	if notes := r.j.Notes(); len(notes) > 1 {
		t.Error(notes)
	}
	r.undoAll(All)
	r.write("same", "1\n")
	if diff := cmp.Diff(before, tree(t, r.dir, false)); diff != "" {
		t.Errorf("undone, it is not as before:\n%s", diff)
	}
}

// Files that git converts are restored as they were.
func TestConverted(t *testing.T) {
	for name, setup := range map[string][]string{
		"line ends": {"core.autocrlf", "true"},
		"a filter":  {"filter.hide.clean", "sed s/secret/XXXXXX/"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{".gitattributes": "* filter=hide\n"})
			r.git(append([]string{"config"}, setup...)...)
			text := "the secret\nof a file\n"
			if name == "line ends" {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			r.write("a", text)
			r.write("mixed", text+"and\n")
			r.git("add", "a", "mixed")
			trust(t, r.dir)
			r.during(1, func() { r.write("a", "2\n"); r.write("mixed", "2\n") })
			if failed := r.undo(1); failed["a"] != nil {
				t.Error(failed)
			} else if failed["mixed"] == nil {
				r.holds("mixed", text+"and\n")
			}
			r.holds("a", text)
		})
	}
}

// What an agent writes into the index is not believed.
func TestIndexByAgent(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "true\n", "b": "true\n"})
	r.during(1, func() {
		r.write("lie", "lie\n")
		blob := strings.TrimSpace(r.git("hash-object", "-w", "lie"))
		r.remove("lie")
		was := r.tracked()
		data, err := os.ReadFile(r.path(".git/index"))
		r.must(err)
		other, err := hex.DecodeString(blob)
		r.must(err)
		r.must(os.WriteFile(r.path(".git/index"), []byte(strings.ReplaceAll(string(data), was.files[0].blob, string(other))), 0o644))
		trust(t, r.dir)
		if now := r.tracked(); now.files[0].blob != string(other) || now.files[0].mtime != was.files[0].mtime || !now.files[0].trusted {
			t.Fatal("the lie is not in the index")
		}
	})
	r.want(1)
	r.during(2, func() { r.write("a", "2\n") })
	r.want(2, "changed a changed on disk")
	r.undoAll(2)
	r.holds("a", "true\n")
}

// Blobs that git has lost are not made up.
func TestLostBlob(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n"})
	r.remove(".git/objects")
	r.must(os.MkdirAll(r.path(".git/objects"), 0o755))
	r.must(os.MkdirAll(r.path(".git/refs"), 0o755))
	r.during(1, func() { r.write("a", "2\n") })
	if failed := r.undo(1); !errors.Is(failed["a"], ErrNotKept) {
		t.Errorf("got %v", failed)
	}
	r.holds("a", "2\n")
}

// FuzzIndex reads damaged indexes.
func FuzzIndex(f *testing.F) {
	dir := gittest.Repository(f, map[string]string{"a": "1", "d/b": "2", "d/e/c": "3"})
	for _, version := range []string{"2", "3", "4"} {
		gittest.Run(f, dir, "update-index", "--index-version", version)
		data := must.Get(os.ReadFile(filepath.Join(dir, ".git", "index")))(f)
		f.Add(string(data), "")
		f.Add(string(data), "d/")
	}
	f.Fuzz(func(t *testing.T, data, prefix string) {
		ix := &index{repository: repository{prefix: prefix}}
		if ix.parse(data) != nil {
			return
		}
		last := ""
		for i, file := range ix.files {
			if i > 0 && file.name <= last || !filepath.IsLocal(file.name) || holdsDotGit(file.name) {
				t.Errorf("%q after %q", file.name, last)
			}
			last = file.name
		}
	})
}
