package fsops

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestCase120_CreatesAndReplaces(t *testing.T) {
	tr := newTree(t, Options{})
	file := tr.in("new/dirs/f.txt")

	got := must.Get(tr.Write("s", file, "one\r\ntwo", false))(t)
	if want := (Written{Path: file, Created: true, OldKnown: true}); got != want {
		t.Errorf("created: %+v, want %+v", got, want)
	}
	tr.wantFile(file, "one\r\ntwo")

	got = must.Get(tr.Write("s", file, "three", false))(t)
	if want := (Written{Path: file, Old: "one\r\ntwo", OldKnown: true}); got != want {
		t.Errorf("replaced: %+v, want %+v", got, want)
	}
	tr.wantFile(file, "three")

	must.Get(tr.Write("s", file, "", false))(t)
	tr.wantFile(file, "")
	tr.wantNoTemp(tr.in("new/dirs"))
}

func TestWriteOldText(t *testing.T) {
	tr := newTree(t, Options{MaxRead: 8})
	for name, old := range map[string]string{"binary": "\xff\x00", "large": "123456789"} {
		file := tr.put(tr.in(name), old)
		got, err := tr.Write("s", file, "new", false)
		if err != nil || got.OldKnown || got.Old != "" || got.Created {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		tr.wantFile(file, "new")
	}
}

func TestWriteLimit(t *testing.T) {
	tr := newTree(t, Options{MaxWrite: 4})
	if _, err := tr.Write("s", tr.in("f"), "1234", false); err != nil {
		t.Error(err)
	}
	_, err := tr.Write("s", tr.in("f"), "12345", false)
	wantErr(t, err, ErrTooLarge)
	tr.wantFile(tr.in("f"), "1234")
}

func TestWriteRefused(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("dir/f"), "x")
	tr.put(tr.in("file"), "x")

	for _, path := range []string{tr.in("dir"), tr.root} {
		_, err := tr.Write("s", path, "y", false)
		wantErr(t, err, ErrNotRegular)
	}
	if _, err := tr.Write("s", tr.in("file/below"), "y", false); err == nil {
		t.Error("wrote below a file")
	}
	_, err := tr.Write("s", "file", "y", false)
	wantErr(t, err, ErrRelative)
	tr.wantFile(tr.in("dir/f"), "x")
	tr.wantFile(tr.in("file"), "x")
	tr.wantNoTemp(tr.root)
	tr.wantNoTemp(tr.in("dir"))
}

// The name is invalid for a file: the temporary file is created, and the rename fails.
func TestWriteLeavesNoTemp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names are refused earlier")
	}
	tr := newTree(t, Options{})
	sess, release, err := tr.use("s")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	p := place{root: sess.roots[0].dir, rel: strings.Repeat("n", 256), path: tr.in("n")}
	if err := p.replace("text", nil); err == nil {
		t.Error("wrote a file with a name of 256 bytes")
	}
	must.Do(t, os.Mkdir(tr.in("dir"), 0o755))
	p.rel = "dir"
	wantErr(t, p.replace("text", nil), ErrNotRegular)
	tr.wantNoTemp(tr.root)
}
