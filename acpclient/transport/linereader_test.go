package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"parley/internal/must"
)

// collect reads all lines; a line over the limit shows as "!<size>", an error other than
// io.EOF as its text.
func collect(l *LineReader) []string {
	var got []string
	for {
		line, err := l.Next()
		var long *TooLongError
		switch {
		case err == nil:
			got = append(got, string(line))
		case errors.As(err, &long):
			got = append(got, fmt.Sprintf("!%d", long.Size))
		case err == io.EOF:
			return got
		default:
			return append(got, err.Error())
		}
	}
}

// referenceLines does the same on the whole stream in memory.
func referenceLines(stream []byte, limit int) []string {
	var got []string
	stream = bytes.TrimPrefix(stream, byteOrderMark)
	for line := range bytes.SplitSeq(stream, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(line) > limit:
			got = append(got, fmt.Sprintf("!%d", len(line)))
		case len(bytes.Trim(line, " \t\r")) > 0:
			got = append(got, string(line))
		}
	}
	return got
}

// Case 20, and the rest of PROTOCOL 1.3 about lines.
func TestLineReader(t *testing.T) {
	for _, tc := range []struct {
		name, stream string
		limit        int
		want         []string
	}{
		{"empty", "", 10, nil},
		{"LF and CRLF", "a\nb\r\nc\n", 10, []string{"a", "b", "c"}},
		{"blank lines", "\n\r\n \t\r\na\n\n\nb\n\n", 10, []string{"a", "b"}},
		{"last line without end", "a\nb", 10, []string{"a", "b"}},
		{"last line with half an end", "a\r", 10, []string{"a"}},
		{"byte order mark", "\ufeff{}\n\ufeffx\n", 10, []string{"{}", "\ufeffx"}},
		{"byte order mark alone", "\ufeff", 10, nil},
		{"half a byte order mark", "\xef\xbb", 10, []string{"\xef\xbb"}},
		{"carriage return inside", "a\rb\r\r\n", 10, []string{"a\rb\r"}},
		{"at the limit", "abc\nabc\r\nabc", 3, []string{"abc", "abc", "abc"}},
		{"over the limit", "abcd\nok\nabcde\r\nab\nabcdef", 3, []string{"!4", "ok", "!5", "ab", "!6"}},
		{"invalid UTF-8 passes", "\"\xff\xfe\"\n", 10, []string{"\"\xff\xfe\""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for name, src := range map[string]io.Reader{
				"whole":         strings.NewReader(tc.stream),
				"byte by byte":  iotest.OneByteReader(strings.NewReader(tc.stream)),
				"data with EOF": iotest.DataErrReader(strings.NewReader(tc.stream)),
			} {
				if got := collect(NewLineReader(src, tc.limit)); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tc.want) {
					t.Errorf("%s: got %q, want %q", name, got, tc.want)
				}
			}
		})
	}
}

// Lines that are collected apart from the buffer end and are skipped as all others.
func TestLineReaderLongLines(t *testing.T) {
	const limit = longLine + keepBuffer
	var stream []byte
	for _, size := range []int{longLine - 1, longLine, longLine + 1, limit, limit + 1, limit + 2, 3 * limit, limit} {
		for _, end := range []string{"\n", "\r\n", "\nsmall\n"} {
			stream = append(append(stream, bytes.Repeat([]byte("x"), size)...), end...)
		}
	}
	for _, last := range []string{"", "\r", "x"} {
		all := append(append(slices.Clone(stream), bytes.Repeat([]byte("y"), limit)...), last...)
		for _, chunk := range []int{100_000, 1 << 20} {
			got, want := collect(NewLineReader(&chunked{all, chunk}, limit)), referenceLines(all, limit)
			if !slices.Equal(got, want) {
				t.Errorf("%q in reads of %d: %d lines, want %d", last, chunk, len(got), len(want))
			}
		}
	}
}

func TestLineReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	l := NewLineReader(io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(broken)), 0)
	if line, err := l.Next(); string(line) != "a" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	for range 2 {
		if line, err := l.Next(); line != nil || !errors.Is(err, broken) {
			t.Fatalf("%q, %v", line, err)
		}
	}
	if _, err := NewLineReader(stuck{}, 0).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Fatalf("a reader that brings nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLineReaderDropsHugeBuffer(t *testing.T) {
	const huge = 20 << 20
	src := io.MultiReader(strings.NewReader(strings.Repeat("x", huge)+"\n"), strings.NewReader("small\nnext\n"))
	l := NewLineReader(src, 0)
	if line, err := l.Next(); len(line) != huge || err != nil {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	if line, err := l.Next(); string(line) != "small" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if len(l.buf) > keepBuffer {
		t.Fatalf("%d bytes kept", len(l.buf))
	}
}

func TestLineReaderSkipsWithoutKeeping(t *testing.T) {
	const limit, huge = 100 << 10, 50 << 20
	src := io.MultiReader(io.LimitReader(endless{}, huge), strings.NewReader("\nok\n"))
	l := NewLineReader(src, limit)
	_, err := l.Next()
	var long *TooLongError
	if !errors.As(err, &long) || long.Size != huge || long.Limit != limit {
		t.Fatalf("got %v", err)
	}
	if len(l.buf) > 4*limit {
		t.Fatalf("buffer of %d bytes for a limit of %d", len(l.buf), limit)
	}
	if line, err := l.Next(); string(line) != "ok" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func FuzzLineReader(f *testing.F) {
	f.Add([]byte("a\nb\r\n\r\n \n\ufeffc"), 3, 2)
	f.Add([]byte("\ufeff{\"a\":1}\r\nlonger than that\nx"), 8, 1)
	f.Add([]byte("\xef\xbb\n\r\r\n"), 1, 7)
	f.Fuzz(func(t *testing.T, stream []byte, limit, chunk int) {
		limit, chunk = 1+abs(limit)%64, 1+abs(chunk)%16
		got := collect(NewLineReader(&chunked{stream, chunk}, limit))
		if want := referenceLines(stream, limit); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%q with limit %d by %d: got %q, want %q", stream, limit, chunk, got, want)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// chunked reads at most a few bytes at a time.
type chunked struct {
	rest  []byte
	chunk int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.chunk)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// repeat is one line repeated forever.
type repeat struct {
	line string
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], r.line[r.at:])
		n += k
		r.at = (r.at + k) % len(r.line)
	}
	return n, nil
}

func BenchmarkLineReader(b *testing.B) {
	for _, size := range []int{200, 4 << 10, 560 << 10, 3 << 20} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			l := NewLineReader(&repeat{line: strings.Repeat("x", size-1) + "\n"}, 0)
			for range 3 {
				l.Next() // the buffer has its final size now
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				must.Get(l.Next())(b)
			}
		})
	}
}

// Waited distinguishes lines that arrived together from those that Next waited for.
func TestLineReaderWaited(t *testing.T) {
	in, out := io.Pipe()
	go func() {
		io.WriteString(out, "one\ntwo\nth")
		io.WriteString(out, "ree\n")
		out.Close()
	}()
	l := NewLineReader(in, 0)
	for _, want := range []struct {
		line   string
		waited bool
	}{{"one", true}, {"two", false}, {"three", true}} {
		if line, err := l.Next(); err != nil || string(line) != want.line || l.Waited() != want.waited {
			t.Errorf("%q, waited %v, %v", line, l.Waited(), err)
		}
	}
}
