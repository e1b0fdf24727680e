package stage

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
)

// rig is a repository.
type rig struct {
	t   *testing.T
	dir string
}

func newRig(t *testing.T, files map[string]string) *rig {
	t.Helper()
	return &rig{t, gittest.Repository(t, files)}
}

func (r *rig) run(args ...string) string {
	r.t.Helper()
	return gittest.Run(r.t, r.dir, args...)
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *rig) write(name, text string) {
	r.t.Helper()
	gittest.Write(r.t, r.dir, name, text)
}

func (r *rig) stage(files ...File) error {
	r.t.Helper()
	for i := range files {
		files[i].Path = r.path(files[i].Path)
	}
	return Stage(r.t.Context(), gittest.Program(r.t), files...)
}

// index returns the index, and what git says about its state.
func (r *rig) index() string { return r.run("ls-files", "--stage") + r.run("status", "--porcelain") }

const (
	ten    = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	second = "1\nII\n3\n4\n5\n6\n7\n8\n9\n10\n"
	both   = "1\nII\n3\nIV\n5\n6\n7\n8\n9\n10\n"
	fourth = "1\n2\n3\nIV\n5\n6\n7\n8\n9\n10\n"
)

// What is staged is the change, whatever else the index holds.
func TestStage(t *testing.T) {
	for name, c := range map[string]struct {
		index string // what the user has staged before; "" is Before
		f     File
		want  string
	}{
		"a file":              {"", File{Before: ten, After: both}, both},
		"a hunk beside one":   {second, File{Before: ten, After: fourth}, both},
		"part is staged":      {second, File{Before: ten, After: both}, both},
		"all of it":           {"", File{Before: "a\nb\n", After: ""}, ""},
		"no newline":          {"", File{Before: "a\nb", After: "a\nc"}, "a\nc"},
		"newline added":       {"", File{Before: "a\nb", After: "a\nb\n"}, "a\nb\n"},
		"CRLF":                {"", File{Before: "a\r\nb\r\n", After: "a\r\nc\r\n"}, "a\r\nc\r\n"},
		"CRLF on disk only":   {"a\nb\n", File{Before: "a\r\nb\r\n", After: "a\r\nc\r\n"}, "a\nc\n"},
		"huge line":           {"", File{Before: strings.Repeat("x", 900_000), After: strings.Repeat("y", 900_000)}, strings.Repeat("y", 900_000)},
		"like a patch":        {"", File{Before: "--- a\n+++ b\n", After: "--- a\n@@ -1 +1 @@\n\\ No\n"}, "--- a\n@@ -1 +1 @@\n\\ No\n"},
		"not UTF-8":           {"", File{Before: "\xff\n", After: "\xfe\n"}, "\xfe\n"},
		"blank at line end":   {"", File{Before: "a\n", After: "a  \t\n\n\n"}, "a  \t\n\n\n"},
		"user's lines remain": {"0\n" + ten, File{Before: ten, After: fourth}, "0\n" + fourth},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"d/f": c.f.Before})
			if c.index != "" {
				r.write("d/f", c.index)
				r.run("add", "-A")
			}
			r.write("d/f", "what is on the disk does not matter\n")
			c.f.Path = "d/f"
			must.Do(t, r.stage(c.f))
			if got := r.run("cat-file", "blob", ":d/f"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if b, _ := os.ReadFile(r.path("d/f")); string(b) != "what is on the disk does not matter\n" {
				t.Errorf("the file was changed: %q", b)
			}
			before := r.index()
			c.f.Path = "d/f"
			if err := r.stage(c.f); !errors.Is(err, ErrStaged) || r.index() != before {
				t.Errorf("once more: got %v and the index\n%swant %v and\n%s", err, r.index(), ErrStaged, before)
			}
		})
	}
}

func TestStageNames(t *testing.T) {
	for _, name := range []string{"a b", "ä", "d/-x", "q\"uote", "tab\there", "back\\slash", "new\nline", ":(top)x", "[a]*"} {
		t.Run(name, func(t *testing.T) {
			if strings.ContainsAny(name, "\"\t\\\n:*") && os.PathSeparator == '\\' {
				t.Skip("no such name on Windows")
			}
			r := newRig(t, map[string]string{"other": "o\n"})
			must.Do(t, r.stage(File{Path: name, After: "new\n", Created: true}))
			if got := r.run("diff", "--cached", "--name-only", "-z"); got != name+"\x00" {
				t.Errorf("staged %q, want %q", got, name)
			}
		})
	}
}

func TestStageKinds(t *testing.T) {
	r := newRig(t, map[string]string{"gone": "g\n", "old": "moved\n", "run": "#!\n", "f": "f\n"})
	for _, files := range [][]File{
		{{Path: "new/deep", After: "n\n", Created: true, AfterMode: "100755"}},
		{{Path: "empty", Created: true}},
		{{Path: "gone", Before: "g\n", Deleted: true}},
		{{Path: "old", Before: "moved\n", Deleted: true}, {Path: "moved", After: "moved\n", Created: true}},
		{{Path: "run", Before: "#!\n", After: "#!\n", BeforeMode: "100644", AfterMode: "100755"}},
		{{Path: "link", After: "f", Created: true, AfterMode: "120000"}},
	} {
		if err := r.stage(files...); err != nil {
			t.Errorf("%s: %v", files[0].Path, err)
		}
	}
	want := "A\tempty\nD\tgone\nA\tlink\nR100\told\tmoved\nA\tnew/deep\nM\trun\n"
	if got := r.run("diff", "--cached", "-M", "--name-status"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := r.run("diff", "--cached", "--summary"); !strings.Contains(got, "mode change 100644 => 100755 run") || !strings.Contains(got, "create mode 120000 link") || !strings.Contains(got, "create mode 100755 new/deep") {
		t.Errorf("staged\n%swant run to be executable, new/deep as well, and a link", got)
	}
}

// Where the change does not fit, nothing is staged, not even of other files.
func TestStageRefused(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(r *rig)
		f    File
		want error
	}{
		"same lines":        {func(r *rig) { r.write("f", "1\nother\n3\n"); r.run("add", "f") }, File{Before: "1\n2\n3\n", After: "1\nII\n3\n"}, ErrConflict},
		"not in the index":  {func(r *rig) { r.run("rm", "-q", "--cached", "f") }, File{Before: "1\n2\n3\n", After: "1\n"}, ErrUntracked},
		"there already":     {nil, File{After: "new\n", Created: true}, ErrConflict},
		"deleted, changed":  {func(r *rig) { r.write("f", "mine\n"); r.run("add", "f") }, File{Before: "1\n2\n3\n", Deleted: true}, ErrConflict},
		"binary":            {nil, File{Before: "1\n2\n3\n", After: "\x00"}, ErrNoText},
		"binary in index":   {func(r *rig) { r.write("f", "\x00"); r.run("add", "f") }, File{Before: "1\n2\n3\n", After: "1\n"}, ErrNoText},
		"became a link":     {nil, File{Before: "1\n2\n3\n", BeforeMode: "100644", After: "x", AfterMode: "120000"}, ErrNoText},
		"merge":             {func(r *rig) { r.write(".git/MERGE_HEAD", r.run("rev-parse", "HEAD")) }, File{Before: "1\n2\n3\n", After: "1\n"}, ErrInProgress},
		"rebase":            {func(r *rig) { r.write(".git/rebase-merge/done", "") }, File{Before: "1\n2\n3\n", After: "1\n"}, ErrInProgress},
		"no repository":     {func(r *rig) { _ = os.RemoveAll(r.path(".git")) }, File{Before: "1\n2\n3\n", After: "1\n"}, ErrNoRepository},
		"bare look-alike":   {func(r *rig) { _ = os.Rename(r.path(".git"), r.path("d")) }, File{Path: "d/f", After: "1\n", Created: true}, ErrNoRepository},
		"in the repository": {nil, File{Path: ".git/x", After: "1\n", Created: true}, ErrNoRepository},
		"gitlink":           {func(r *rig) { r.run("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub") }, File{Path: "sub", Before: "1\n", After: "2\n"}, ErrNoText},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"f": "1\n2\n3\n"})
			if c.set != nil {
				c.set(r)
			}
			if c.f.Path == "" {
				c.f.Path = "f"
			}
			before, _ := os.ReadFile(r.path(".git/index"))
			err := r.stage(File{Path: "fine", After: "x\n", Created: true}, c.f)
			if name == "bare look-alike" || name == "in the repository" {
				err = r.stage(c.f)
			}
			if err == nil || !errors.Is(err, c.want) && c.want != ErrNoRepository || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %v", err, c.want)
			}
			if after, _ := os.ReadFile(r.path(".git/index")); string(after) != string(before) {
				t.Error("the index was changed")
			}
		})
	}
}

// A new file that git would convert is left to git; one that it takes as it is, is staged.
func TestStageConverted(t *testing.T) {
	const crlf = "a\r\nb\r\n"
	for name, c := range map[string]struct {
		attributes, autocrlf, text string
		converts                   bool
	}{
		"nothing set":             {"", "false", crlf, false},
		"autocrlf":                {"", "true", crlf, true},
		"autocrlf=input":          {"", "input", crlf, true},
		"autocrlf, LF":            {"", "true", "a\nb\n", false},
		"autocrlf, not for it":    {"*.txt -text", "true", crlf, false},
		"text":                    {"*.txt text", "false", crlf, true},
		"text=auto":               {"* text=auto", "false", crlf, true},
		"eol=crlf":                {"*.txt eol=crlf", "false", crlf, true},
		"of other files":          {"*.c text", "false", crlf, false},
		"ident":                   {"*.txt ident", "false", "$Id: 1 $\n", true},
		"ident, nothing to do":    {"*.txt ident", "false", "a\n", false},
		"another encoding":        {"*.txt working-tree-encoding=UTF-16LE", "false", "abcd", true},
		"a filter":                {"*.txt filter=lfs", "false", "a\n", true},
		"a filter of other files": {"*.bin filter=lfs", "false", "a\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{".gitattributes": c.attributes + "\n"})
			r.run("config", "core.autocrlf", c.autocrlf)
			r.write("d/new.txt", c.text)
			before := r.index()
			err := r.stage(File{Path: "d/new.txt", After: c.text, Created: true})
			if c.converts {
				if !errors.Is(err, ErrConverted) || strings.Contains(err.Error(), "\n") || r.index() != before {
					t.Errorf("got %v and the index\n%swant %v and\n%s", err, r.index(), ErrConverted, before)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := r.run("cat-file", "blob", ":d/new.txt"); got != c.text {
				t.Errorf("staged %q, want %q", got, c.text)
			}
			if r.run("add", "d/new.txt"); r.run("cat-file", "blob", ":d/new.txt") != c.text {
				t.Errorf("git add stages %q, want %q", r.run("cat-file", "blob", ":d/new.txt"), c.text)
			}
		})
	}
}

// A real merge with conflicts is left alone.
func TestStageInAMerge(t *testing.T) {
	r := newRig(t, map[string]string{"f": "1\n", "g": "1\n"})
	r.run("checkout", "-q", "-b", "other")
	r.write("f", "other\n")
	r.run("commit", "-qam", "other")
	r.run("checkout", "-q", "-")
	r.write("f", "mine\n")
	r.run("commit", "-qam", "mine")
	if gittest.Command(t, r.dir, "merge", "-q", "other").Run() == nil {
		t.Fatal("the merge has no conflict, want one")
	}
	before := r.index()
	if err := r.stage(File{Path: "g", Before: "1\n", After: "2\n"}); !errors.Is(err, ErrInProgress) || r.index() != before {
		t.Errorf("got %v and the index\n%swant %v and\n%s", err, r.index(), ErrInProgress, before)
	}
}

// Nothing that the repository names is run.
func TestStageRunsNothing(t *testing.T) {
	r := newRig(t, map[string]string{"f": "1\n", ".gitattributes": "* filter=evil diff=evil merge=evil\n"})
	ran := r.path("ran")
	evil := "touch '" + ran + "'"
	for _, hook := range []string{"post-index-change", "pre-commit", "post-applypatch", "applypatch-msg", "pre-applypatch", "fsmonitor-watchman"} {
		r.write(".git/hooks/"+hook, "#!/bin/sh\n"+evil+"\n")
		must.Do(t, os.Chmod(r.path(".git/hooks/"+hook), 0o755))
	}
	for _, name := range []string{"core.fsmonitor", "diff.evil.textconv", "diff.evil.command", "core.pager"} {
		r.run("config", name, evil)
	}
	r.run("config", "apply.whitespace", "error-all")
	if err := r.stage(File{Path: "f", Before: "1\n", After: "2 \n"}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ran); err == nil {
		_ = os.Remove(ran)
		t.Error("something was run by staging")
	}
	r.run("config", "filter.evil.clean", evil)
	if err := r.stage(File{Path: "f", Before: "1\n", After: "3\n"}); !errors.Is(err, ErrConflict) {
		t.Errorf("with a filter: got %v, want %v", err, ErrConflict)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the filter was run")
	}
}

// A .git file may lead to the repository of a linked worktree, which leads back. Any other may have
// been written by an agent, to change the index of another repository.
func TestStageElsewhere(t *testing.T) {
	change := func(dir string) File { return File{Path: filepath.Join(dir, "f"), Before: "1\n", After: "2\n"} }
	link := func(r *rig, dir, to string) {
		r.t.Helper()
		must.Do(r.t, os.MkdirAll(r.path(dir), 0o755))
		r.write(dir+"/.git", "gitdir: "+to+"\n")
	}
	for name, make := range map[string]func(r *rig) (dir string){
		"another repository": func(r *rig) string { link(r, "p", r.path(".git")); return "p" },
		"another worktree's": func(r *rig) string {
			r.run("worktree", "add", "-q", "w")
			link(r, "p", r.path(".git/worktrees/w"))
			return "p"
		},
		"relative": func(r *rig) string { link(r, "p", "../.git"); return "p" },
		"a directory that leads back": func(r *rig) string {
			r.run("worktree", "add", "-q", "w")
			must.Do(r.t, os.CopyFS(r.path("fake"), os.DirFS(r.path(".git/worktrees/w"))))
			r.write("fake/commondir", r.path(".git")+"\n")
			r.write("fake/gitdir", r.path("p/.git")+"\n")
			link(r, "p", r.path("fake"))
			return "p"
		},
		"a link": func(r *rig) string {
			must.Do(r.t, os.Mkdir(r.path("p"), 0o755))
			if err := os.Symlink(r.path(".git"), r.path("p/.git")); err != nil {
				r.t.Skip(err)
			}
			return "p"
		},
		"an index that is a link": func(r *rig) string {
			r.run("init", "-q", "p")
			if err := os.Symlink(r.path(".git/index"), r.path("p/.git/index")); err != nil {
				r.t.Skip(err)
			}
			return "p"
		},
		"a submodule": func(r *rig) string {
			must.Do(r.t, os.Mkdir(r.path(".git/modules"), 0o755))
			r.run("init", "-q", "--separate-git-dir", r.path(".git/modules/p"), "p")
			r.run("-C", "p", "config", "core.worktree", "../../../p")
			return "p"
		},
		"another place by its configuration": func(r *rig) string {
			r.run("init", "-q", "p")
			r.run("-C", "p", "config", "core.worktree", r.dir)
			return "p"
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"f": "1\n"})
			dir := make(r)
			before := r.run("ls-files", "--stage")
			err := r.stage(change(dir))
			if !errors.Is(err, ErrElsewhere) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %v, in one line", err, ErrElsewhere)
			}
			if after := r.run("ls-files", "--stage"); after != before {
				t.Errorf("the index is\n%swant\n%s", after, before)
			}
		})
	}
	r := newRig(t, map[string]string{"f": "1\n", "d/f": "1\n"})
	r.run("worktree", "add", "-q", "w")
	before := r.run("ls-files", "--stage")
	if err := r.stage(change("w"), change("w/d")); err != nil {
		t.Errorf("a linked worktree: %v", err)
	}
	if got := r.run("-C", "w", "diff", "--cached", "--name-only"); got != "d/f\nf\n" || r.run("ls-files", "--stage") != before {
		t.Errorf("staged %q in the linked worktree, want d/f and f, and nothing in the main one", got)
	}
}
