package linediff

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/internal/patch"
)

func told(f PatchFile) string {
	if f.Text != "" {
		return fmt.Sprintf("text %q", f.Text)
	}
	s := fmt.Sprintf("%q -> %q", f.OldPath, f.Path)
	if f.Diff != nil {
		s += fmt.Sprintf(" +%d -%d %d lines", f.Diff.Added, f.Diff.Removed, f.Diff.Lines())
	}
	if f.OldMode+f.NewMode != "" {
		s += " mode " + f.OldMode + " " + f.NewMode
	}
	for word, is := range map[string]bool{" binary": f.Binary, " copied": f.Copied} {
		if is {
			s += word
		}
	}
	return s
}

func toldOf(patch string) []string {
	var out []string
	for _, f := range ParsePatch(patch) {
		out = append(out, told(f))
	}
	return out
}

func TestPatchOfGit(t *testing.T) {
	for name, want := range map[string][]string{
		"git.patch": {
			`"bin.dat" -> "bin.dat" binary`, `"bin2.dat" -> "" binary`, `"copied.txt" -> "copied.txt" +1 -0 4 lines`, `"copied.txt" -> "copy.txt" copied`,
			`"" -> "dashes.txt" +2 -0 2 lines`, `"empty-gone" -> "empty-new"`, `"gone.txt" -> "" +0 -31 31 lines`, `"link" -> "link" +1 -1 2 lines`,
			`"moved.txt" -> "moved to.txt" +1 -1 7 lines`, `"noeol.txt" -> "noeol.txt" +1 -1 5 lines`, `"" -> "noeol2.txt" +1 -0 1 lines`, `"plain.go" -> "plain.go" +2 -2 15 lines`,
			`"run.sh" -> "run.sh" mode 100644 100755`, `"ta\tb.txt" -> "ta\tb.txt" +1 -0 4 lines`, `"with blank.txt" -> "with blank.txt" +0 -1 4 lines`, `"ü.txt" -> "ü.txt" +1 -0 4 lines`,
		},
		"absolute.patch": {
			`"/w/bin.dat" -> "/w/bin.dat" binary`, `"/w/bin2.dat" -> "" binary`, `"/w/copied.txt" -> "/w/copied.txt" +1 -0 4 lines`, `"/w/gone.txt" -> "/w/copy.txt" +1 -1 5 lines`,
			`"" -> "/w/dashes.txt" +2 -0 2 lines`, `"/w/empty-gone" -> "/w/empty-new"`, `"/w/link" -> "/w/link" +1 -1 2 lines`,
			`"/w/moved.txt" -> "/w/moved to.txt" +1 -1 7 lines`, `"/w/noeol.txt" -> "/w/noeol.txt" +1 -1 5 lines`, `"" -> "/w/noeol2.txt" +1 -0 1 lines`, `"/w/plain.go" -> "/w/plain.go" +2 -2 15 lines`,
			`"/w/run.sh" -> "/w/run.sh" mode 100644 100755`, `"/w/ta\tb.txt" -> "/w/ta\tb.txt" +1 -0 4 lines`, `"/w/with blank.txt" -> "/w/with blank.txt" +0 -1 4 lines`, `"/w/ü.txt" -> "/w/ü.txt" +1 -0 4 lines`,
		},
		"prefixed.patch": {
			`"" -> "/w/bin.dat" binary`, `"" -> "/w/bin2.dat" binary`, `"/w/copied.txt" -> "/w/copied.txt" +1 -0 4 lines`, `"/w/gone.txt" -> "/w/copy.txt" +1 -1 5 lines`,
			`"" -> "/w/dashes.txt" +2 -0 2 lines`, `"/w/empty-gone" -> "/w/empty-new"`, `"/w/link" -> "/w/link" +1 -1 2 lines`,
			`"/w/moved.txt" -> "/w/moved to.txt" +1 -1 7 lines`, `"/w/noeol.txt" -> "/w/noeol.txt" +1 -1 5 lines`, `"" -> "/w/noeol2.txt" +1 -0 1 lines`, `"/w/plain.go" -> "/w/plain.go" +2 -2 15 lines`,
			`"" -> "/w/run.sh"`, `"/w/ta\tb.txt" -> "/w/ta\tb.txt" +1 -0 4 lines`, `"/w/with blank.txt" -> "/w/with blank.txt" +0 -1 4 lines`, `"/w/ü.txt" -> "/w/ü.txt" +1 -0 4 lines`,
		},
	} {
		patch := must.Get(os.ReadFile("testdata/patches/" + name))(t)
		got := toldOf(string(patch))
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("%s, file %d:\ngot  %q\nwant %q", name, i, got[min(i, len(got)):], want[min(i, len(want)):])
			}
		}
	}
}

func TestPatchOdd(t *testing.T) {
	const head = "diff --git /w/a /w/a\n--- /w/a\n+++ /w/a\n"
	const file = `"/w/a" -> "/w/a"`
	for _, c := range []struct {
		name, patch string
		want        []string
	}{
		{"nothing", "", nil},
		{"blank lines", "\n\n", nil},
		{"no patch", "hello\n\nthere\n", []string{`text "hello\n\nthere\n"`}},
		{"mail", "From: me\n\n" + head + "@@ -1 +1 @@\n-a\n+b\n-- \n2.39\n", []string{`text "From: me\n\n"`, file + " +1 -1 2 lines", `text "-- \n2.39\n"`}},
		{"no diff line", "--- /w/a\tMon\n+++ /w/a\tTue\n@@ -1 +1 @@\n-a\n+b\n--- /w/b\n+++ /w/b\n@@ -1 +1 @@\n-a\n+b\n", []string{file + " +1 -1 2 lines", `"/w/b" -> "/w/b" +1 -1 2 lines`}},
		{"lines like heads", head + "@@ -1,2 +1,2 @@\n--- old\n-diff --git a b\n+++ new\n+@@ -1 +1 @@\n", []string{file + " +2 -2 4 lines"}},
		{"a short hunk", head + "@@ -1,9 +1,9 @@\n a\n-b\ndiff --git /w/b /w/b\nold mode 100644\nnew mode 100755\n", []string{file + " +0 -1 2 lines", `"/w/b" -> "/w/b" mode 100644 100755`}},
		{"a long hunk", head + "@@ -1 +1 @@\n-a\n+b\n+c\n d\n@@ -9 +9 @@\n-x\n", []string{file + " +1 -2 3 lines", `text "+c\n d\n"`}},
		{"blank lost", head + "@@ -1,3 +1,3 @@\n-a\n+b\n\n c", []string{file + " +1 -1 4 lines"}},
		{"no newlines", head + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file", []string{file + " +1 -1 2 lines"}},
		{"merge", "diff --cc a\n@@@ -1,1 -1,1 +1,2 @@@\n++x\n", []string{`text "diff --cc a\n@@@ -1,1 -1,1 +1,2 @@@\n++x\n"`}},
		{"strange heads", head + "@@ -1 +1\n@@ x y @@\n@@ -1,2,3 +1 @@\n@@ --1 ++1 @@\n@@ -0,0 +0,0 @@\n", []string{file, `text "@@ -1 +1\n@@ x y @@\n@@ -1,2,3 +1 @@\n@@ --1 ++1 @@\n@@ -0,0 +0,0 @@\n"`}},
		{"strange numbers", head + "@@ -99999999999999999999 +1 @@\n-a\n+b\n", []string{file, `text "@@ -99999999999999999999 +1 @@\n-a\n+b\n"`}},
		{"high numbers", head + "@@ -1 +2000000000 @@\n-a\n+b\n", []string{file, `text "@@ -1 +2000000000 @@\n-a\n+b\n"`}},
		{"a marker alone", head + "@@ -1 +1 @@\n\\ No newline\n", []string{file, `text "@@ -1 +1 @@\n\\ No newline\n"`}},
		{"unknown heading", "diff --git /w/a /w/a\nphase of moon full\nold mode 1234567890123\n", []string{file, `text "phase of moon full\nold mode 1234567890123\n"`}},
		{"half a mode", "diff --git /w/a /w/a\nold mode 100644\n", []string{file}},
		{"nothing after it", "diff --git \n", []string{`"" -> ""`}},
		{"names that cannot be told", "diff --git /w/a b c /w/d e f\n", []string{`"" -> ""`}},
		{"names with blanks", "diff --git /w/a b /w/a b\n", []string{`"/w/a b" -> "/w/a b"`}},
		{"prefixes with blanks", "diff --git a/a b b/a b\n", []string{`"a b" -> "a b"`}},
		{"one quoted", "diff --git a/x y \"b/\\t\"\n", []string{`"x y" -> "\t"`}},
		{"one quoted first", "diff --git \"a/\\t\" b/x y\n", []string{`"\t" -> "x y"`}},
		{"quotes left open", "diff --git \"a b\n--- \"a\n+++ \"\\777\"\n", []string{`"\"a" -> "\"\\777\""`}},
		{"nothing before", "diff --git /dev/null /w/a b\nnew file mode 100644\n", []string{`"" -> "/w/a b"`}},
		{"nothing after", "diff --git /w/a b /dev/null\ndeleted file mode 100644\n", []string{`"/w/a b" -> ""`}},
		{"prefix on one side", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", []string{`"" -> "x" +1 -0 1 lines`}},
		{"a folder named b", "--- b/x\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", []string{`"b/x" -> "b/x" +1 -0 1 lines`}},
		{"binary swallows", "diff --git /w/a /w/a\nGIT binary patch\nliteral 3\n+++ x\n@@ -1 +1 @@\n-a\n\ndiff --git /w/b /w/b\n", []string{file + " binary", `"/w/b" -> "/w/b"`}},
	} {
		if got := toldOf(c.patch); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestPatchBounded(t *testing.T) {
	const head = "diff --git /w/a /w/a\n--- /w/a\n+++ /w/a\n"
	for name, text := range map[string]string{
		"files":        strings.Repeat("diff --git /w/a /w/a\n", 100_000),
		"files, text":  strings.Repeat("diff --git /w/a /w/a\nx\n", 100_000),
		"hunks":        head + strings.Repeat("@@ -1 +1 @@\n+a\n", 150_000),
		"lines":        head + "@@ -1 +1,1000000000 @@\n" + strings.Repeat("+\n", 1_000_000),
		"lines, files": head + "@@ -1 +1,1000000000 @@\n" + strings.Repeat("+\n", patch.MaxLines) + "diff --git /w/b /w/b\n--- /w/b\n+++ /w/b\n@@ -1 +1 @@\n+b\n",
		"strange":      head + strings.Repeat("@@ -1 +1 @@\n-a\n+b\n?\n", 50_000),
		"headings":     "diff --git /w/a /w/a\n" + strings.Repeat("rename from x\n", 100_000),
	} {
		files := ParsePatch(text)
		lines, last := 0, len(files)-1
		for _, f := range files {
			if f.Diff != nil {
				lines += f.Diff.Lines()
			}
		}
		if len(files) > patch.MaxFiles+1 || lines > patch.MaxLines {
			t.Errorf("%s: %d files, %d lines", name, len(files), lines)
		}
		if name == "lines, files" && len(files) != 2 {
			t.Errorf("%s: %d files", name, len(files))
		}
		if (len(files) > patch.MaxFiles || lines == patch.MaxLines) && !strings.HasSuffix(text, files[last].Text) {
			t.Errorf("%s: the rest is %q…", name, files[last].Text[:40])
		}
	}
}

func BenchmarkPatchParse1MB(b *testing.B) {
	var p strings.Builder
	for i := 0; p.Len() < 1<<20; i++ {
		if i%10 == 0 {
			fmt.Fprintf(&p, "diff --git /w/%d /w/%d\n--- /w/%d\n+++ /w/%d\n", i, i, i, i)
		}
		p.WriteString("@@ -1,7 +1,7 @@\n a line of context\n another\n and one\n-a line that goes\n+a line that comes\n more\n lines\n end\n")
	}
	b.SetBytes(int64(p.Len()))
	b.ReportAllocs()
	for b.Loop() {
		_ = ParsePatch(p.String())
	}
}
