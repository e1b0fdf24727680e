package acptest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Read reads an archive from a file.
func Read(t testing.TB, path string) *Archive {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return ParseArchive(data)
}

// Golden compares lines with a file of the archive that was read from path. If the test
// binary has a flag "update" and it is set, the file is rewritten instead. A missing
// file means that no lines are expected.
func Golden(t testing.TB, path string, archive *Archive, name string, lines []string) {
	t.Helper()
	got := ""
	for _, l := range lines {
		got += l + "\n"
	}
	want := string(archive.File(name))
	if got == want {
		return
	}
	if f := flag.Lookup("update"); f == nil || f.Value.String() != "true" {
		t.Errorf("%s: %s differs (- want, + got; -update rewrites it):\n%s", path, name,
			cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		return
	}
	archive.put(name, got)
	if err := os.WriteFile(path, archive.Format(), 0o666); err != nil {
		t.Fatal(err)
	}
}
