// Package uitest is shared by the tests of the screen: golden files, checks that hold for every
// row, and a conversation with one item of each kind.
package uitest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares rows with a file under testdata, in which escape sequences begin with "\e".
// With -update it is rewritten.
func Golden(t *testing.T, name string, rows []string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	got := strings.ReplaceAll(strings.Join(rows, "\n"), "\x1b", `\e`) + "\n"
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		x, y := line(a, i), line(b, i)
		if x != y {
			t.Errorf("%s:%d\nwant %s\ngot  %s", path, i+1, x, y)
			return
		}
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// Text returns rows without their styles and without spaces at their ends.
func Text(rows []string) string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(out, "\n")
}

// CheckRows fails if a row is wider than width, or holds control sequences other than colours
// and attributes.
func CheckRows(t *testing.T, rows []string, width int) {
	t.Helper()
	for i, r := range rows {
		if w := glyphs.Width(r); w > width {
			t.Fatalf("row %d is %d cells wide, not %d: %q", i, w, width, r)
		}
		if bad := Unsafe(r); bad != "" {
			t.Fatalf("row %d holds %q: %q", i, bad, r)
		}
	}
}

// Unsafe returns the first part of a row that is neither text nor a colour or attribute, or "".
func Unsafe(row string) string {
	for i, r := range row {
		switch {
		case r == '\x1b':
			if rest := row[i:]; !sgr(rest) {
				return rest[:min(len(rest), 12)]
			}
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\u200b', r == '\ufeff':
			return string(r)
		}
	}
	return ""
}

// sgr reports whether s begins with ESC [ digits m.
func sgr(s string) bool {
	if !strings.HasPrefix(s, "\x1b[") {
		return false
	}
	rest := strings.TrimLeft(s[2:], "0123456789;:")
	return strings.HasPrefix(rest, "m")
}
