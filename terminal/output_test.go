package terminal

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// Cases 123, 124 and 133.
func TestTailText(t *testing.T) {
	for _, tc := range []struct {
		name      string
		limit     int
		writes    []string
		running   string // text while more may come
		ended     string
		truncated bool
	}{
		{"nothing", 10, nil, "", "", false},
		{"fits", 10, []string{"abc", "def"}, "abcdef", "abcdef", false},
		{"exactly", 6, []string{"abc", "def"}, "abcdef", "abcdef", false},
		{"cut", 5, []string{"abc", "def"}, "bcdef", "bcdef", true},
		{"cut between runes", 10, []string{"ααααααααα"}, "ααααα", "ααααα", true},
		{"cut within a rune", 9, []string{"ααααααααα"}, "αααα", "αααα", true},
		{"cut within four bytes", 5, []string{"x😀😀"}, "😀", "😀", true},
		{"less than a rune", 2, []string{"日"}, "", "", true},
		{"no room", 0, []string{"abc"}, "", "", true},
		{"no room, no output", 0, nil, "", "", false},
		{"half a rune", 10, []string{"ab\xe6\x97"}, "ab", "ab\uFFFD", false},
		{"half of four bytes", 10, []string{"ab\xf0\x9f\x98"}, "ab", "ab\uFFFD", false},
		{"rune in parts", 10, []string{"\xe6", "\x97", "\xa5"}, "日", "日", false},
		{"bad byte", 10, []string{"a\xffb"}, "a\uFFFDb", "a\uFFFDb", false},
		{"bad byte at the end", 10, []string{"a\xff"}, "a\uFFFD", "a\uFFFD", false},
		{"stray continuation at the start", 10, []string{"\x80a"}, "\uFFFDa", "\uFFFDa", false},
		{"bad bytes outgrow the limit", 6, []string{"\xffa\xffb\xff"}, "b\uFFFD", "b\uFFFD", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := tail{limit: tc.limit}
			for _, w := range tc.writes {
				out.write([]byte(w))
			}
			if got := out.text(true); got != tc.running {
				t.Errorf("running: %q, want %q", got, tc.running)
			}
			if got := out.text(false); got != tc.ended || out.truncated != tc.truncated {
				t.Errorf("ended: %q, truncated %v; want %q, %v", got, out.truncated, tc.ended, tc.truncated)
			}
		})
	}
}

func TestTailShrink(t *testing.T) {
	out := tail{limit: 10}
	out.write([]byte("0123456789abcd"))
	out.shrink(4)
	if got := out.text(false); got != "abcd" || cap(out.buf) > 16 {
		t.Fatalf("%q, %d bytes held", got, cap(out.buf))
	}
	out.write([]byte("xyz"))
	if got := out.text(false); got != "dxyz" {
		t.Fatalf("got %q", got)
	}
	out.shrink(0)
	out.write([]byte("more"))
	if got := out.text(false); got != "" || !out.truncated {
		t.Fatalf("got %q", got)
	}
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("ααααααααα"), 10, 3)
	f.Add([]byte("a\xff\xfe日本😀\xf0\x9f"), 5, 1)
	f.Add([]byte("\x80\x80\x80\x80\x80"), 2, 2)
	f.Fuzz(func(t *testing.T, data []byte, limit, chunk int) {
		limit, chunk = int(uint(limit)%64), 1+int(uint(chunk)%80)
		out, truncated := tail{limit: limit}, false
		for i := 0; i < len(data); i += chunk {
			out.write(data[i:min(len(data), i+chunk)])
			text := out.text(true)
			if !utf8.ValidString(text) || len(text) > limit {
				t.Fatalf("%q of %d bytes for a limit of %d", text, len(text), limit)
			}
			if truncated && !out.truncated {
				t.Fatal("truncated was taken back")
			}
			truncated = out.truncated
		}
		whole, text := strings.ToValidUTF8(string(data), "\uFFFD"), out.text(false)
		if !out.truncated && text != whole {
			t.Fatalf("got %q, want all of %q", text, whole)
		}
		if (len(data) > limit) != out.truncated && utf8.Valid(data) {
			t.Fatalf("truncated %v for %d bytes and a limit of %d", out.truncated, len(data), limit)
		}
		if utf8.Valid(data) && !strings.HasSuffix(whole, text) {
			t.Fatalf("%q is not the end of %q", text, whole)
		}
		if utf8.Valid(data) && out.truncated && len(text) < limit-utf8.UTFMax+1 {
			t.Fatalf("only %d bytes kept of %d allowed", len(text), limit)
		}
	})
}

func BenchmarkTail(b *testing.B) {
	chunk := bytes.Repeat([]byte("x"), readBuffer)
	out := tail{limit: defaultMaxOutput}
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		out.write(chunk)
	}
}
