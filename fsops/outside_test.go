package fsops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestCase121_OutsideIsRefused(t *testing.T) {
	tr := newTree(t, Options{})
	secret := tr.put(tr.out("secret"), "secret")
	tr.put(tr.in("plain"), "plain")
	tr.link(secret, tr.in("abs"))
	tr.link("../outside/secret", tr.in("rel"))
	tr.link(tr.outside, tr.in("dir"))
	tr.link(tr.out("created"), tr.in("dangling"))
	tr.link("abs", tr.in("chain"))
	tr.link(filepath.Join(tr.root, "..", "outside", "created"), tr.in("dotdot"))

	for _, path := range []string{
		secret,
		tr.out("created"),
		tr.root + "/../outside/secret",
		tr.root + "x",
		tr.in("abs"), tr.in("rel"), tr.in("chain"),
		tr.in("dir"), tr.in("dir/secret"), tr.in("dir/created"), tr.in("dir/new/deep"),
		tr.in("dangling"), tr.in("dotdot"),
		string(filepath.Separator),
	} {
		if target, err := tr.Resolve("s", path); err != nil || target.Inside {
			t.Errorf("Resolve(%s) = %+v, %v", path, target, err)
		}
		_, err := tr.Read("s", path, Window{}, false)
		wantErr(t, err, ErrOutsideRoot)
		wantErr(t, err, fs.ErrPermission)
		_, err = tr.Write("s", path, "overwritten", false)
		wantErr(t, err, ErrOutsideRoot)
	}
	tr.wantFile(secret, "secret")
	tr.wantAbsent(tr.out("created"))
	tr.wantAbsent(tr.out("new"))
}

func TestOutsideByTheUsersWord(t *testing.T) {
	tr := newTree(t, Options{})
	file := tr.put(tr.out("f"), "a\nb\n")

	if got, err := tr.Read("s", file, lines(2, 1), true); err != nil || got != "b\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := tr.Write("s", file, "c", true); err != nil {
		t.Error(err)
	}
	tr.wantFile(file, "c")
	if _, err := tr.Write("s", tr.out("x/y/z"), "deep", true); err != nil {
		t.Error(err)
	}
	tr.wantFile(tr.out("x/y/z"), "deep")
	_, err := tr.Read("s", tr.out("missing"), Window{}, true)
	wantErr(t, err, fs.ErrNotExist)
	_, err = tr.Read("s", tr.outside, Window{}, true)
	wantErr(t, err, ErrNotRegular)
	tr.wantNoTemp(tr.outside)

	// The permission is for the file that was shown, not for the target of a link.
	link := tr.link(file, tr.in("link"))
	_, err = tr.Read("s", link, Window{}, true)
	wantErr(t, err, ErrOutsideRoot)
	target, err := tr.Resolve("s", link)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tr.Read("s", target.Resolved, Window{}, true); err != nil || got != "c" {
		t.Errorf("%q, %v", got, err)
	}
	// It changes nothing inside.
	inner := tr.put(tr.in("inner"), "x")
	if got, err := tr.Read("s", inner, Window{}, true); err != nil || got != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

// A resolved path may become a link before it is written.
func TestSwappedBetweenResolveAndWrite(t *testing.T) {
	tr := newTree(t, Options{})
	victim := tr.put(tr.out("victim"), "victim")
	other := tr.put(tr.out("other/victim"), "other")

	file := tr.put(tr.in("dir/victim"), "mine")
	if target, err := tr.Resolve("s", file); err != nil || !target.Inside {
		t.Fatalf("%+v, %v", target, err)
	}
	must.Do(t, os.RemoveAll(tr.in("dir")))
	tr.link(tr.outside, tr.in("dir"))
	_, err := tr.Write("s", file, "overwritten", false)
	wantErr(t, err, ErrOutsideRoot)
	_, err = tr.Read("s", file, Window{}, false)
	wantErr(t, err, ErrOutsideRoot)

	// Outside, with permission for other/victim.
	must.Do(t, os.Rename(tr.out("other"), tr.out("moved")))
	tr.link(tr.outside, tr.out("other"))
	_, err = tr.Write("s", other, "overwritten", true)
	wantErr(t, err, ErrOutsideRoot)
	tr.wantFile(victim, "victim")
	tr.wantFile(tr.out("moved/victim"), "other")
}

// The worst moment for a swap is after the last check: os.Root has to prevent it.
func TestSwappedAfterTheLook(t *testing.T) {
	tr := newTree(t, Options{})
	victim := tr.put(tr.out("victim"), "victim")
	file := tr.put(tr.in("dir/victim"), "mine")
	sess, release, err := tr.use("s")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	p, err := sess.locate(file, false)
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, os.RemoveAll(tr.in("dir")))
	tr.link(tr.outside, tr.in("dir"))
	if _, _, err := p.openRegular(); !errors.Is(cause(err), ErrOutsideRoot) {
		t.Errorf("open: %v", err)
	}
	if _, err := p.old(1 << 20); !errors.Is(err, ErrOutsideRoot) {
		t.Errorf("old: %v", err)
	}
	wantErr(t, p.replace("overwritten", nil), ErrOutsideRoot)
	tr.wantFile(victim, "victim")
	tr.wantNoTemp(tr.outside)
}

// A rename replaces a link, it does not follow it.
func TestLastNameSwappedAfterTheLook(t *testing.T) {
	tr := newTree(t, Options{})
	victim := tr.put(tr.out("victim"), "victim")
	sess, release, err := tr.use("s")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	p, err := sess.locate(tr.in("f"), false)
	if err != nil {
		t.Fatal(err)
	}
	tr.link(victim, tr.in("f"))
	if _, _, err := p.openRegular(); err == nil {
		t.Error("a link that came after the look was read")
	}
	if err := p.replace("text", nil); err != nil {
		t.Error(err)
	}
	tr.wantFile(victim, "victim")
	tr.wantFile(tr.in("f"), "text")
}

func TestLinksInside(t *testing.T) {
	tr := newTree(t, Options{})
	if err := tr.OpenSession("s", []string{tr.root, tr.outside}); err != nil { // now a root too
		t.Fatal(err)
	}
	tr.put(tr.in("real/f"), "one")
	tr.put(tr.out("f"), "two")
	tr.link("real", tr.in("rel"))
	tr.link(tr.in("real"), tr.in("abs"))
	tr.link(tr.out("f"), tr.in("other"))
	tr.link("real/later", tr.in("dangling"))

	for path, leads := range map[string]string{
		tr.in("rel/f"):    tr.in("real/f"),
		tr.in("abs/f"):    tr.in("real/f"),
		tr.in("other"):    tr.out("f"),
		tr.in("dangling"): tr.in("real/later"),
	} {
		target, err := tr.Resolve("s", path)
		if err != nil || !target.Inside || !target.Symlink || target.Resolved != leads {
			t.Errorf("Resolve(%s) = %+v, %v", path, target, err)
		}
		got, err := tr.Write("s", path, path, false)
		if err != nil || got.Path != leads {
			t.Errorf("%+v, %v", got, err)
			continue
		}
		tr.wantFile(leads, path)
		if text, err := tr.Read("s", path, Window{}, false); err != nil || text != path {
			t.Errorf("%q, %v", text, err)
		}
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && filepath.Dir(path) == tr.root {
			t.Errorf("the link %s was replaced", path)
		}
	}
}

func TestLinkLoop(t *testing.T) {
	tr := newTree(t, Options{})
	tr.link("b", tr.in("a"))
	tr.link(tr.in("a"), tr.in("b"))
	_, err := tr.Read("s", tr.in("a"), Window{}, false)
	wantErr(t, err, fs.ErrInvalid)
	if !strings.Contains(err.Error(), "too many symbolic links") {
		t.Error(err)
	}
	_, err = tr.Write("s", tr.in("a/x"), "", false)
	wantErr(t, err, fs.ErrInvalid)
}

// x/.. is the root by its text, and the parent of x's target for the kernel.
func TestDotDotAfterLink(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("f"), "root")
	tr.put(tr.in("a/f"), "a")
	tr.put(tr.in("a/b/f"), "b")
	tr.link("a/b", tr.in("x"))

	_, err := tr.Read("s", tr.root+"/x/../f", Window{}, false)
	wantErr(t, err, ErrAmbiguous)
	if got, err := tr.Read("s", tr.root+"/a/b/../f", Window{}, false); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := tr.Read("s", tr.outside+"/../root/f", Window{}, false); err != nil || got != "root" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestRootThroughLink(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("f"), "x")
	alias := tr.link(tr.root, tr.out("alias"))
	must.Do(t, tr.OpenSession("s", []string{alias}))
	for _, path := range []string{filepath.Join(alias, "f"), tr.in("f")} {
		target, err := tr.Resolve("s", path)
		if err != nil || !target.Inside || !target.Exists || target.Resolved != tr.in("f") {
			t.Errorf("Resolve(%s) = %+v, %v", path, target, err)
		}
	}
	target, err := tr.Resolve("s", filepath.Join(alias, "f"))
	if err != nil || target.Symlink {
		t.Errorf("the user's own link is reported: %+v, %v", target, err)
	}
}

func TestResolve(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in(".git/hooks/pre-commit"), "")
	tr.link(".git/hooks", tr.in("scripts"))

	target, err := tr.Resolve("s", tr.root+"/./scripts//pre-commit")
	want := Target{
		Path: tr.in("scripts/pre-commit"), Resolved: tr.in(".git/hooks/pre-commit"),
		Inside: true, Exists: true, Symlink: true, Secret: "git hook",
	}
	if err != nil || target != want {
		t.Errorf("%+v, %v; want %+v", target, err, want)
	}
	target, err = tr.Resolve("s", tr.in("not/yet"))
	if want := (Target{Path: tr.in("not/yet"), Resolved: tr.in("not/yet"), Inside: true}); err != nil || target != want {
		t.Errorf("%+v, %v; want %+v", target, err, want)
	}
	_, err = tr.Resolve("s", "relative")
	wantErr(t, err, ErrRelative)
}
