package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
	"parley/internal/undo"
)

// contents returns the files and links of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	all := map[string]string{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			info, _ := e.Info()
			all[e.Name()] = fmt.Sprintf("%v %s", info.Mode(), text)
		} else if !e.IsDir() {
			to, _ := os.Readlink(path)
			all[e.Name()] = "link " + to
		}
	}
	return all
}

// Git applies the printed patch, whatever the files are named and contain, and gets what the agent left.
func TestReviewPatch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links, modes and names are others")
	}
	first := map[string]string{"changed": "1\n2\n", "no end": "1", "deleted": "x\n", "mode": "m\n", "private": "p\n", "becomes a link": "was a file\n", "emptied": "e\n",
		"bin": "\x00", "new\nline": "1\n", `quote"d\`: "1\n", "é": "1\n"}
	c, dir, put := reviewed(t, true, first)
	before := t.TempDir() // as it was
	must.Do(t, os.CopyFS(before, os.DirFS(dir)))
	c.journals.closeAll()
	c.journals = newJournals("ada", true, nil, nil)
	c.journals.open("s", []string{dir}, false)
	c.turn(func() {
		put("changed", "1\n3\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n\x1b[31mred\n")
		put("no end", "1\n2")
		put("created", "c")
		put("created empty", "")
		put("emptied", "")
		put("new\nline", "2\n")
		put(`quote"d\`, "2\n")
		put("é", "2\n")
		for _, name := range []string{"deleted", "becomes a link"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		for _, name := range []string{"becomes a link", "new link"} {
			if err := os.Symlink("changed", filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		os.Chmod(filepath.Join(dir, "mode"), 0o755)
		os.Chmod(filepath.Join(dir, "private"), 0o600)
	})
	c.journals.waitIdle("s")
	after := contents(t, dir)
	c.turn(func() { put("bin", "\x01\x00") })
	c.journals.closeAll()

	t.Chdir(dir)
	var out, stderr strings.Builder
	cmd := NewReview(Streams{In: strings.NewReader(""), Out: &out, Err: &stderr})
	if err := execute(t.Context(), cmd); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	for _, line := range []string{
		"\nchanged changed on disk, turn 1, +5 -1\n",
		"\nchanged the mode of mode on disk, turn 1\n",
		"changed bin on disk, turn 2, its content is no text or was not kept\n",
	} {
		if !strings.Contains("\n"+out.String(), line) {
			t.Errorf("no %q in:\n%s", line, out.String())
		}
	}
	apply := gittest.Command(t, before, "apply", "--whitespace=nowarn", "-")
	apply.Stdin = strings.NewReader(out.String())
	if said, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, said, out.String())
	}
	applied := contents(t, before)
	delete(applied, "private") // git knows no such modes
	delete(after, "private")
	if !maps.Equal(applied, after) {
		t.Errorf("applied: %q\nwant: %q", applied, after)
	}
}

// What cannot be undone, and why, and what was undone, is told; a file outside of the directory has its
// whole path.
// JSON for a terminal has no control sequence of a file in it.
func TestReviewJSONIsSafe(t *testing.T) {
	c, dir, put := reviewed(t, true, map[string]string{"a": "1\n"})
	c.journals.closeAll()
	c.journals = newJournals("ada", true, nil, nil)
	c.journals.open("s", []string{dir}, false)
	c.turn(func() { put("a", "\u009b31m \u202e \u2066\n") })
	c.journals.waitIdle("s")
	c.journals.closeAll()
	t.Chdir(dir)
	var out strings.Builder
	cmd := NewReview(Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	must.Do(t, execute(t.Context(), cmd, "--json", "s"))
	if strings.ContainsAny(out.String(), "\u009b\u202e\u2066") || !strings.Contains(out.String(), `\u009b31m \u202e \u2066`) {
		t.Errorf("got %s", out.String())
	}
}

func TestReviewReasons(t *testing.T) {
	c, dir, put := reviewed(t, true, map[string]string{"a": "1\n", "b": "1\n"})
	c.journals.closeAll()
	c.journals = newJournals("ada", true, nil, nil)
	c.journals.open("s", []string{dir}, false)
	outside := filepath.Join(t.TempDir(), "c")
	c.turn(func() { put("a", "2\n"); put("b", "2\n") })
	c.journals.waitIdle("s")
	must.Do(t, os.WriteFile(outside, []byte("2\n"), 0o644))
	must.Do(t, c.journals.of["s"].Written(1, undo.Write{Path: outside, After: "2\n"}))
	for _, r := range c.Journal("s").Undo(t.Context(), c.Journal("s").Since(0)[:1]) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	put("b", "mine\n")
	c.journals.closeAll()
	t.Chdir(dir)
	var out strings.Builder
	cmd := NewReview(Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	must.Do(t, execute(t.Context(), cmd, "--json", "s"))
	var got review
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil || len(got.Files) != 3 {
		t.Fatalf("%v: %s", err, out.String())
	}
	if a := got.Files[0]; !a.Undone || a.NoUndo != "" || !strings.HasPrefix(a.Diff, "diff --git a/a b/a\n") {
		t.Errorf("got %+v", a)
	}
	if b := got.Files[1]; b.Undone || b.NoUndo != "it was changed since" {
		t.Errorf("got %+v", b)
	}
	if o := got.Files[2]; o.Path != outside || o.NoUndo != "it is not in the directories of the session" || !strings.Contains(o.Diff, "+++ b"+filepath.ToSlash(outside)+"\n") {
		t.Errorf("got %+v", o)
	}
}
