package finder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/gittest"
	"parley/internal/must"
)

// put writes files below a directory; a name that ends in a slash is a directory.
func put(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must.Do(t, os.MkdirAll(path, 0o755))
			continue
		}
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// all searches a tree until its list is complete, and returns the results, sorted.
func all(t *testing.T, tr *Tree) string {
	t.Helper()
	must.Get(tr.Find(context.Background(), ""))(t)
	<-tr.list.done
	var out []string
	for _, p := range tr.list.paths {
		out = append(out, string(p))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestGit(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".gitignore=*.log\nbuild/\n", "a.go", "sub/b.go", "sub/deep/c.go")
	gittest.Isolate(t)
	gittest.Init(t, dir)
	put(t, dir, "new file.txt", "x.log", "build/out", "sub/ignored.log") // not added to git
	tr := New(dir)
	defer tr.Close()
	if got, want := all(t, tr), ".gitignore a.go new file.txt sub/ sub/b.go sub/deep/ sub/deep/c.go"; got != want {
		t.Errorf("listed %s, want %s", got, want)
	}
	sub := New(filepath.Join(dir, "sub")) // only what is below the root
	defer sub.Close()
	if got, want := all(t, sub), "b.go deep/ deep/c.go"; got != want {
		t.Errorf("below sub: %s, want %s", got, want)
	}
	ignored := New(filepath.Join(dir, "build")) // git would list nothing
	defer ignored.Close()
	if got := all(t, ignored); got != "out" {
		t.Errorf("in an ignored directory: %s", got)
	}
}

// Listing runs nothing that the configuration of a repository names.
func TestGitRunsNothing(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.go")
	gittest.Isolate(t)
	gittest.Init(t, dir)
	ran := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(t.TempDir(), "hook")
	must.Do(t, os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o755))
	gittest.Run(t, dir, "config", "core.fsmonitor", hook)
	tr := New(dir)
	defer tr.Close()
	if got := all(t, tr); got != "a.go" {
		t.Errorf("listed %s", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the hook of the repository was run")
	}
}

func TestWithoutGit(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, dir, ".gitignore=*.log\nbuild/\n", "a.go", "sub/b.go", "x.log", "build/out", ".hidden/c", ".git/config")
	put(t, outside, "secret")
	if runtime.GOOS != "windows" {
		must.Do(t, os.Symlink(outside, filepath.Join(dir, "away")))
		must.Do(t, os.Symlink(dir, filepath.Join(dir, "sub", "loop")))
	}
	tr := New(dir)
	tr.git = ""
	defer tr.Close()
	got := strings.NewReplacer(" away", "", " sub/loop", "").Replace(all(t, tr))
	if want := ".gitignore .hidden/ .hidden/c a.go sub/ sub/b.go"; got != want {
		t.Errorf("listed %s, want %s", got, want)
	}
}

func TestHostileNames(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the file system takes no such names")
	}
	dir := t.TempDir()
	names := []string{"a\nb", "esc\x1b[31m", "\u202egpj.exe", "bad\xff\xfe", "tab\t", "q\"uote", "日本/語"}
	put(t, dir, names...)
	gittest.Isolate(t)
	gittest.Init(t, dir)
	for _, git := range []string{"git", ""} {
		tr := New(dir)
		tr.git = git
		got := all(t, tr)
		for _, n := range names {
			if !strings.Contains(got, n) {
				t.Errorf("git %q: %q is not in %q", git, n, got)
			}
		}
		if f, err := tr.Find(context.Background(), "語"); err != nil || len(f.Matches) != 1 || f.Matches[0].Path != "日本/語" {
			t.Errorf("found %+v, %v", f, err)
		}
		tr.Close()
	}
}

// Names that lead out of the root are dropped, from either source.
func TestNothingOutside(t *testing.T) {
	l := listOf("../up", "/elsewhere/x", "a/../../up", "in/side")
	if got := found(top(context.Background(), l.paths)); got != "in/" {
		t.Errorf("in the root: %s", got)
	}
	if len(l.paths) != 2 {
		t.Errorf("listed %q", l.paths)
	}
}

func TestRootOfTheTree(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "b.go", "a/x", "a/y", "z/z")
	tr := New(dir)
	defer tr.Close()
	all(t, tr)
	f, err := tr.Find(context.Background(), "")
	if got := found(f.Matches); err != nil || got != "a/ z/ b.go" || !f.Complete || f.Listed != 6 {
		t.Errorf("%s, %+v, %v", got, f, err)
	}
}

// An old list is renewed at the next search, and answers meanwhile.
func TestListedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, "a.go")
		tr := New(dir)
		tr.git = ""
		defer tr.Close()
		ask := func(want string) {
			t.Helper()
			f, err := tr.Find(context.Background(), "go")
			var got []string
			for _, m := range f.Matches {
				got = append(got, m.Path)
			}
			if err != nil || strings.Join(got, " ") != want || !f.Complete {
				t.Errorf("found %q, %v, %v, want %s", got, f.Complete, err, want)
			}
			synctest.Wait()
		}
		ask("a.go")
		put(t, dir, "b.go")
		ask("a.go") // recent enough
		time.Sleep(fresh + time.Second)
		ask("a.go") // starts another
		ask("a.go b.go")
	})
}

// A search ends the one before it.
func TestSuperseded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := New(t.TempDir())
		defer tr.Close()
		tr.list, tr.began = newListing(), time.Now() // a list that never completes
		first := make(chan error)
		go func() {
			_, err := tr.Find(context.Background(), "a")
			first <- err
		}()
		synctest.Wait()
		go tr.Find(context.Background(), "ab")
		if err := <-first; !errors.Is(err, ErrSuperseded) {
			t.Errorf("the first search: %v", err)
		}
		f, err := tr.Find(context.Background(), "abc")
		if err != nil || f.Complete {
			t.Errorf("the last: %+v, %v", f, err)
		}
	})
}

// A search that was cancelled before it began does not end a newer one.
func TestGivenUpBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := New(t.TempDir())
		defer tr.Close()
		tr.list, tr.began = newListing(), time.Now()
		newer := make(chan error)
		go func() {
			_, err := tr.Find(context.Background(), "ab")
			newer <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := tr.Find(ctx, "a"); err == nil {
			t.Error("it answers")
		}
		if err := <-newer; err != nil {
			t.Errorf("the newer search: %v", err)
		}
	})
}

func TestClosed(t *testing.T) {
	tr := New(t.TempDir())
	tr.Close()
	if _, err := tr.Find(context.Background(), "a"); err == nil {
		t.Error("a closed tree answers")
	}
}
