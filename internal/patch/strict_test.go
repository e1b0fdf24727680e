package patch

import (
	"slices"
	"testing"
)

const (
	names = "--- a/f\n+++ b/f\n"
	hunk  = "@@ -1,2 +1,2 @@ func\n a\n-old\n+new\n"
	git   = "diff --git a/f b/f\n"
)

// What a program that applies a patch may read otherwise than parley is unclear.
func TestStrict(t *testing.T) {
	for text, ok := range map[string]bool{
		names + hunk: true, git + "index 1a2..3b4 100644\n" + names + hunk: true, "--- f\n+++ f\n" + hunk: true, "--- a/f\t2020-01-01\n+++ b/f\t2020-01-01\n" + hunk: true, names + hunk + hunk[:len(hunk)-1]: true,
		names + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n": true, git + names + hunk + "\n" + "diff --git a/g b/g\n--- a/g\n+++ b/g\n" + hunk: true, "Index: f\n=====\n--- f\n+++ f\n" + hunk: true,
		"diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n": true, git + "new file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n": true, git + "deleted file mode 100755\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n": true,
		git + "old mode 100644\nnew mode 100755\n": true, git + "new file mode 100644\nindex 0..1\n": true, "--- \"a/\\303\\244\"\n+++ \"b/\\303\\244\"\n" + hunk: true, "diff --git /w/f /w/f\n--- /w/f\n+++ /w/f\n" + hunk: true, names + "@@ -1,2 +1,2 @@\n\n-old\n+new\n": true,

		"": false, "text": false, names: false, hunk: false, names + "@@\n a\n-b\n": false, names + "@@ -1,3 +1,3 @@\n a\n-old\n+new\n": false, names + hunk + "+more\n": false, names + hunk + "run this\n": false, "run this\n" + names + hunk: false, names + hunk + "-- \n2.39\n": false,
		git + "new file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+/elsewhere\n": false, git + "index 1..2 120000\n" + names + hunk: false, git + "new file mode 160000\n": false, git + "old mode 100644\nnew mode 104755\n": false, git + "old mode 100644\n": false, git + "index 1..2 100644 x\n" + names + hunk: false,
		git + "Binary files a/f and b/f differ\n": false, git + "GIT binary patch\nliteral 1\n": false, "1,2d\n.\nw\n": false, names + hunk + "1d\nw f\n": false, "*** f\n--- g\n***************\n*** 1 ****\n! x\n": false, "Only in a: f\n": false,
		git + "--- a/g\n+++ b/g\n" + hunk: false, "Index: evil\n=====\n" + names + hunk: false, "Index: f\n" + names + hunk: false, names + hunk + "Index: f\n===\n": false, "--- a/f\n+++ b/g\n" + hunk: false, "--- /dev/null\n+++ /dev/null\n" + hunk: false, git + "rename from a\n": false,
		git + "rename from f\nrename to g\n": false, git + "new file mode 100644\n" + names + hunk: false, names + hunk + names + hunk: false, git + names + hunk + git + names + hunk: false, "--- \"a/f\\q\"\n+++ \"b/f\\q\"\n" + hunk: false, "From 1a2 Mon Sep 17\nSubject: x\n\n" + git + names + hunk: false, "\\ No newline\n" + names + hunk: false,
		"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch": false, names + hunk + "*** Begin Patch\n": false, git + "*** Environment ID: x\n" + names + hunk: false, "prereq: 1\n" + names + hunk: false,
	} {
		if files, got := Strict(text); got != ok || got && len(files) == 0 {
			t.Errorf("%q: %v, %+v", text, got, files)
		}
	}
	for _, text := range []string{"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n*** Begin Patch\n*** Add File: g\n+x\n*** End Patch", "*** Begin Patch\n*** Environment ID: x\n*** Add File: g\n+x\n*** End Patch",
		"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\nrun this", "*** Begin Patch\n*** Add File: g\nx\n*** End Patch"} {
		if _, ok := Fragments(text); ok {
			t.Errorf("%q is understood", text)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string][]string{
		git + names + hunk: {"f"}, "diff --git a/f b/g\nrename from f\nrename to g\n": {"f", "g"}, "Index: evil\n===\n" + names + hunk: {"evil", "f"}, "text": nil, "--- /dev/null\n+++ b/f\n" + hunk: {"f"},
		"*** Begin Patch\n*** Update File: a\n*** Move to: b\n-a\n+b\n*** Delete File: c\n*** End Patch": {"a", "b", "c"},
	} {
		if got := Names(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
