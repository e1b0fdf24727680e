package fsops

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"parley/internal/must"
)

func TestCase116_LineWindows(t *testing.T) {
	tr := newTree(t, Options{})
	for _, tc := range []struct {
		text        string
		line, limit int
		want        string
	}{
		{"a\nb\n", 1, 1, "a\n"},
		{"a\nb\n", 2, 1, "b\n"},
		{"a\nb\n", 99, 1, ""},
		{"a\nb\n", 3, 1, ""},
		{"a\nb\n", 0, 1, "a\n"},
		{"a\nb\n", 1, 0, ""},
		{"a\nb\n", 2, 99, "b\n"},
		{"a\nb", 2, 1, "b"},
		{"a\nb", 1, 2, "a\nb"},
		{"\n\n\n", 2, 1, "\n"},
		{"", 1, 1, ""},
		{"a\u2028b\fc\rd\ne", 1, 1, "a\u2028b\fc\rd\n"},
	} {
		file := tr.put(tr.in("f"), tc.text)
		got, err := tr.Read("s", file, lines(tc.line, tc.limit), false)
		if err != nil || got != tc.want {
			t.Errorf("%q line %d limit %d: %q, %v; want %q", tc.text, tc.line, tc.limit, got, err, tc.want)
		}
	}

	file := tr.put(tr.in("f"), "a\nb\nc")
	two := 2
	if got, err := tr.Read("s", file, Window{Line: &two}, false); err != nil || got != "b\nc" {
		t.Errorf("line alone: %q, %v", got, err)
	}
	if got, err := tr.Read("s", file, Window{Limit: &two}, false); err != nil || got != "a\nb\n" {
		t.Errorf("limit alone: %q, %v", got, err)
	}
	_, err := tr.Read("s", file, lines(-1, 1), false)
	wantErr(t, err, fs.ErrInvalid)
	_, err = tr.Read("s", file, lines(1, -1), false)
	wantErr(t, err, fs.ErrInvalid)
	_, err = tr.Read("s", tr.in("missing"), lines(1, 0), false)
	wantErr(t, err, fs.ErrNotExist)
}

func TestCase117_ExactBytes(t *testing.T) {
	tr := newTree(t, Options{})
	long := strings.Repeat("x", 3*chunkSize) + "\r\n"
	for _, text := range []string{
		"a\r\nb\r\n", "a\r\nb", "no end", "", "\n", "\ufeffbom\n", "é\n漢字\n", long + long,
	} {
		file := tr.put(tr.in("f"), text)
		if got, err := tr.Read("s", file, Window{}, false); err != nil || got != text {
			t.Errorf("%.20q: got %.20q, %v", text, got, err)
		}
	}
	file := tr.put(tr.in("f"), long+"second\n"+long)
	if got, err := tr.Read("s", file, lines(2, 1), false); err != nil || got != "second\n" {
		t.Errorf("after many chunks: %.20q, %v", got, err)
	}
	file = tr.put(tr.in("f"), "a\r\nb\r\nc")
	if got, err := tr.Read("s", file, lines(2, 1), false); err != nil || got != "b\r\n" {
		t.Errorf("CRLF window: %q, %v", got, err)
	}
}

func TestCase118_MissingRelativeDirectory(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("file"), "x")

	_, err := tr.Read("s", tr.in("missing"), Window{}, false)
	wantErr(t, err, fs.ErrNotExist)
	if want := "read " + tr.in("missing") + ": "; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %q does not begin with %q", err, want)
	}
	_, err = tr.Read("s", tr.in("no/such/dir/f"), Window{}, false)
	wantErr(t, err, fs.ErrNotExist)

	for _, path := range []string{"", "file", "./file", "../root/file", "~/file"} {
		_, err = tr.Read("s", path, Window{}, false)
		wantErr(t, err, ErrRelative)
		wantErr(t, err, fs.ErrInvalid)
	}
	_, err = tr.Read("s", tr.in("fi\x00le"), Window{}, false)
	wantErr(t, err, fs.ErrInvalid)
	_, err = tr.Read("s", tr.in(strings.Repeat("a/../", maxPath)), Window{}, false)
	if err != nil && !strings.Contains(err.Error(), "directory") {
		t.Errorf("a long path that cleans to the root: %v", err)
	}
	_, err = tr.Read("s", tr.root+strings.Repeat("/a", maxPath), Window{}, false)
	wantErr(t, err, fs.ErrInvalid)

	_, err = tr.Read("s", tr.root, Window{}, false)
	wantErr(t, err, ErrNotRegular)
	must.Do(t, os.Mkdir(tr.in("dir"), 0o755))
	_, err = tr.Read("s", tr.in("dir"), lines(1, 0), false)
	wantErr(t, err, ErrNotRegular)
}

func TestCase119_Binary(t *testing.T) {
	tr := newTree(t, Options{})
	for _, text := range []string{"a\x00b\n", "\xff\xfe", "ok\nbad \xc3\n", "\xed\xa0\x80"} {
		file := tr.put(tr.in("f"), text)
		got, err := tr.Read("s", file, Window{}, false)
		wantErr(t, err, ErrNotText)
		if got != "" {
			t.Errorf("%q came with the error", got)
		}
	}
	// A NUL before the window, at any distance, means that the file is not text.
	file := tr.put(tr.in("f"), "\x00\n"+strings.Repeat("x\n", chunkSize))
	_, err := tr.Read("s", file, lines(chunkSize, 1), false)
	wantErr(t, err, ErrNotText)
	// What follows the window is not examined.
	file = tr.put(tr.in("f"), "good\n\xff\n")
	if got, err := tr.Read("s", file, lines(1, 1), false); err != nil || got != "good\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReadLimit(t *testing.T) {
	tr := newTree(t, Options{MaxRead: 8})
	file := tr.put(tr.in("f"), "12345678")
	if got, err := tr.Read("s", file, Window{}, false); err != nil || got != "12345678" {
		t.Errorf("at the limit: %q, %v", got, err)
	}
	tr.put(file, "1234\n5678\n")
	_, err := tr.Read("s", file, Window{}, false)
	wantErr(t, err, ErrTooLarge)
	_, err = tr.Read("s", file, lines(1, 2), false)
	wantErr(t, err, ErrTooLarge)
	if got, err := tr.Read("s", file, lines(2, 1), false); err != nil || got != "5678\n" {
		t.Errorf("a small window of a large file: %q, %v", got, err)
	}
}

// A file may grow after it was measured, and files of /proc say 0.
func TestReadWindowDoesNotTrustSize(t *testing.T) {
	got, err := readWindow(strings.NewReader("abc\n"), 0, 1, math.MaxInt, 4)
	if err != nil || got != "abc\n" {
		t.Errorf("%q, %v", got, err)
	}
	_, err = readWindow(strings.NewReader("abcde"), 0, 1, math.MaxInt, 4)
	wantErr(t, err, ErrTooLarge)
}

// naiveWindow is the simplest implementation of a window.
func naiveWindow(text string, line, limit int) string {
	all := strings.SplitAfter(text, "\n")
	if line > len(all) {
		return ""
	}
	all = all[line-1:]
	if limit < len(all) {
		all = all[:limit]
	}
	return strings.Join(all, "")
}

func FuzzReadWindow(f *testing.F) {
	f.Add([]byte("a\nb\n"), uint16(1), uint16(1))
	f.Add([]byte("a\r\nb"), uint16(2), uint16(9))
	f.Add([]byte("\n\n\n"), uint16(3), uint16(0))
	f.Add([]byte("漢\n字"), uint16(2), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, line, limit uint16) {
		if line == 0 {
			line = 1
		}
		want := naiveWindow(string(data), int(line), int(limit))
		for name, r := range map[string]*bytes.Reader{"whole": bytes.NewReader(data), "pieces": bytes.NewReader(data)} {
			var got string
			var err error
			if name == "pieces" {
				got, err = readWindow(iotest.OneByteReader(r), 0, int(line), int(limit), 1<<30)
			} else {
				got, err = readWindow(r, int64(len(data)), int(line), int(limit), 1<<30)
			}
			// Skipped bytes must be free of NUL; returned bytes must be text.
			text := utf8.ValidString(want) && bytes.IndexByte(data, 0) < 0
			switch {
			case err == nil && got != want:
				t.Fatalf("%s: %q line %d limit %d: %q, want %q", name, data, line, limit, got, want)
			case err != nil && text:
				t.Fatalf("%s: %q line %d limit %d: %v", name, data, line, limit, err)
			case err == nil && !utf8.ValidString(got):
				t.Fatalf("%s: %q is not text", name, got)
			}
		}
	})
}

func benchmarkRead(b *testing.B, w Window, want int) {
	dir := b.TempDir()
	s := New(Options{})
	must.Do(b, s.OpenSession("s", []string{dir}))
	defer s.Close()
	file := dir + "/f"
	line := strings.Repeat("x", 63) + "\n"
	must.Do(b, os.WriteFile(file, []byte(strings.Repeat(line, 3<<20/len(line))), 0o644))
	b.SetBytes(int64(want))
	b.ReportAllocs()
	for b.Loop() {
		text, err := s.Read("s", file, w, false)
		if err != nil || len(text) != want {
			b.Fatal(len(text), err)
		}
	}
}

// A window of 1 MB in the middle of 3 MB.
func BenchmarkReadWindow1MB(b *testing.B) {
	benchmarkRead(b, lines(1<<20/64+1, 1<<20/64), 1<<20)
}

func BenchmarkReadWhole3MB(b *testing.B) { benchmarkRead(b, Window{}, 3<<20) }

func BenchmarkReadOneLine(b *testing.B) { benchmarkRead(b, lines(1, 1), 64) }
