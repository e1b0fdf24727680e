package safetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "hello, wörld 你好 🎉\n\tx", "hello, wörld 你好 🎉\n\tx"},
		{"empty", "", ""},
		{"colour", "a\x1b[1;31mred\x1b[0m b", "ared b"},
		{"letters that draw nothing", "a\u115fb\u1160c\u3164d\uffa0e\U0001bca0f", "abcdef"},
		{"an empty pattern, and a private character", "⠓\u2800⠊ \ue0b0\U000f0001", "⠓ ⠊ \ufffd\ufffd"},
		{"colour 8-bit", "a\u009b31mred", "ared"},
		{"raw C1 byte", "a\x9b31m", "a\uFFFD31m"},
		{"clipboard OSC 52 BEL", "a\x1b]52;c;ZXZpbA==\x07b", "ab"},
		{"clipboard OSC 52 ST", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"},
		{"clipboard OSC 52 C1", "a\u009d52;c;ZXZpbA==\u009cb", "ab"},
		{"link OSC 8", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\!", "text!"},
		{"title", "\x1b]0;pwned\x07x", "x"},
		{"mouse DECSET", "\x1b[?1003h\x1b[?1049lx", "x"},
		{"DCS", "\x1bP$q\"p\x1b\\x", "x"},
		{"DCS does not end with BEL", "\x1bPab\x07cd\x1b\\x", "x"},
		{"APC PM SOS", "\x1b_Ga=T\x1b\\1\x1b^x\x1b\\2\x1bXx\x1b\\3", "123"},
		{"reset", "a\x1bcb", "ab"},
		{"charset", "a\x1b(0b\x1b)Bc", "abc"},
		{"DECALN", "a\x1b#8b", "ab"},
		{"keypad", "a\x1b=b", "ab"},
		{"CAN aborts", "a\x1b[12\x18mb", "amb"},
		{"C0 inside CSI", "a\x1b[3\x081mb", "ab"},
		{"CSI cut by wide rune", "a\x1b[3你b", "a你b"},
		{"ESC restarts", "a\x1b[3\x1b[1mb", "ab"},
		{"ESC at the end", "a\x1b", "a"},
		{"unfinished OSC ends at newline", "a\x1b]0;title\nnext", "a\nnext"},
		{"unfinished OSC ends at CR", "a\x1b]0;title\rnext", "a\nnext"},
		{"C0 and DEL", "a\x00b\x07c\x08d\x7fe\x0bf\x0cg", "abcdefg"},
		{"NEL and other C1", "a\u0085b\u0084c", "abc"},
		{"CRLF", "a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd"},
		{"CR, dropped, LF", "a\r\x1b[K\nb", "a\nb"},
		{"line separators", "a\u2028b\u2029c", "a\nb\nc"},
		{"bidi", "a\u202eb\u2066c\u2069d\u200ee\u200ff\u061cg", "abcdefg"},
		{"zero width", "a\u200bb\u2060c\ufeffd\u00ade\u2063f", "abcdef"},
		{"joined emoji", "👩\u200d💻", "👩\u200d💻"},
		{"joiner in Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"joiner after ASCII", "a\u200db\u200cc", "abc"},
		{"joiners in a row", "é\u200d\u200d\u200cx", "é\u200dx"},
		{"emoji presentation", "❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"},
		{"other selectors", "a\ufe00b\U000e0100c", "abc"},
		{"tags", "a\U000e0041\U000e007fb", "ab"},
		{"annotation", "\ufff9a\ufffab\ufffb", "ab"},
		{"zalgo", "e" + strings.Repeat("\u0301", 50) + "x", "e" + strings.Repeat("\u0301", 8) + "x"},
		{"zalgo hidden by zero width", "e" + strings.Repeat("\u0301\u0301\u0301\u0301\u0301\u200b", 9), "e" + strings.Repeat("\u0301", 8)},
		{"invalid UTF-8", "a\xff\xc0b\xe4\xbd", "a\uFFFD\uFFFDb\uFFFD\uFFFD"},
		{"nothing left", "\x1b[2J\x1b[H", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestCleanBoundsASequence(t *testing.T) {
	for _, intro := range []string{"\x1b]0;", "\x1bP", "\u009d", "\x1b["} {
		got := Clean(intro + strings.Repeat("0", 10_000) + "seen")
		if !strings.HasSuffix(got, "seen") {
			t.Errorf("%q swallowed the text: %d bytes left", intro, len(got))
		}
		if len(got) < 10_000-maxSequence {
			t.Errorf("%q swallowed more than %d bytes: %d left", intro, maxSequence, len(got))
		}
	}
}

func TestCleanAllocatesNothingForCleanText(t *testing.T) {
	s := strings.Repeat("plain text, 你好 👩\u200d💻 é\u0301\n", 100)
	if n := testing.AllocsPerRun(20, func() { Clean(s); HasSuspicious(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		in   string
		max  int
		want string
	}{
		{"  a title \n", 20, "a title"},
		{"two\n\n \tlines", 20, "two lines"},
		{"two  spaces stay", 20, "two  spaces stay"},
		{"\x1b]0;x\x07a\rb", 20, "a b"},
		{"你好世界", 3, "你好…"},
		{"abc def", 5, "abc…"},
		{"abc", 3, "abc"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
	} {
		if got := Line(tt.in, tt.max); got != tt.want {
			t.Errorf("Line(%q, %d) = %q, want %q", tt.in, tt.max, got, tt.want)
		}
	}
}

func TestStreamKeepsStateAcrossPieces(t *testing.T) {
	for _, pieces := range [][]string{
		{"a\x1b", "[3", "1", "mred"},
		{"a\x1b]52;c;", "ZXZ", "pbA==\x1b", "\\b"},
		{"a\r", "\nb\r", "c"},
		{"a\r", "", "\nb"},
		{"a\x1b", "(", "0b"},
		{"e\u0301\u0301\u0301\u0301\u0301", "\u0301\u0301\u0301\u0301", "\u0301x"},
		{"👩", "\u200d", "💻", "a", "\u200d"},
		{"a\u009d0;t", "itle\nb"},
		{"a\xf0", "\x9f", "\x8e", "\x89b"},
		{"\x1b]0;\xf0\x9f", "\x8e\x89\nb"},
		{"a\xf0\x9f", "b\xe4"},
		{"a\xe4\x9f", "\x1b[1m", "\xb8"},
		{"a\xed\xa0\xbc", "\xed\xbe\x89b"},
		{"a\xed\xa0\xbc", "b\xed\xbe\x89", "\xed\xa0\xbc"},
		{"a\xed", "\xa0", "\xbc", "\xed", "\xbe", "\x89"},
	} {
		var st Stream
		var got strings.Builder
		for _, p := range pieces {
			got.WriteString(st.Write(p))
		}
		got.WriteString(st.Flush())
		if want := Clean(strings.Join(pieces, "")); got.String() != want {
			t.Errorf("%q: got %q, want %q", pieces, got.String(), want)
		}
	}
	for in, want := range map[string]string{"\xed\xa0\xbc\xed\xbe\x89": "🎉", "\xed\xbe\x89\xed\xa0\xbc": "\uFFFD\uFFFD", "\xf0\x9f": "\uFFFD\uFFFD"} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	var st Stream
	st.Write("a\x1b]0;half")
	st.Flush()
	if got := st.Write("next"); got != "next" {
		t.Errorf("after Flush: %q", got)
	}
}

// forbidden is written independently of the code it checks.
func forbidden(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x200b || r == 0x200e || r == 0x200f || r == 0x061c || r == 0xfeff || r == 0x00ad ||
		r >= 0x2060 && r <= 0x2064 || r == 0x2028 || r == 0x2029 ||
		r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}

func checkSafe(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q: not UTF-8: %q", in, out)
	}
	if i := strings.IndexFunc(out, forbidden); i >= 0 {
		t.Fatalf("%q: forbidden rune at %d of %q", in, i, out)
	}
}

var seeds = []string{
	"plain", "a\x1b[31mred\x1b[0m", "\x1b]52;c;eA==\x07", "\x1b]8;;u\x1b\\t", "\x1bPq\x1b\\", "\u009b1m\u009dx\u009c",
	"a\r\nb\r", "\u202eabc", "a\u200bb", "👩\u200d💻\ufe0f", "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\xff\xe4\xbd",
	"<U+202E> \u202e", "a \n b\t", "\x1b[\x18", "·", "→   \t", "<\\x1b>", "\x1b", "\u2028\u2029",
}

func FuzzClean(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		checkSafe(t, s, got)
		if again := Clean(got); again != got {
			t.Fatalf("not idempotent: %q -> %q -> %q", s, got, again)
		}
		line := Line(s, 12)
		checkSafe(t, s, line)
		if strings.ContainsAny(line, "\n\t") || utf8.RuneCountInString(line) > 12 {
			t.Fatalf("Line(%q) = %q", s, line)
		}
		if got == s && HasSuspicious(s) != strings.ContainsFunc(s, func(r rune) bool {
			return hidden(r) && r != '\n' && r != '\t' && r != 0x200c && r != 0x200d && r != 0xfe0e && r != 0xfe0f
		}) {
			t.Fatalf("HasSuspicious(%q) = %v", s, HasSuspicious(s))
		}
	})
}

func FuzzStream(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, uint64(i)*0x9e3779b97f4a7c15+1)
	}
	f.Fuzz(func(t *testing.T, s string, cuts uint64) {
		var st Stream
		var got strings.Builder
		start := 0
		for i := 1; i < len(s); i++ {
			if cuts>>(i%64)&1 == 1 {
				got.WriteString(st.Write(s[start:i]))
				start = i
			}
		}
		got.WriteString(st.Write(s[start:]))
		got.WriteString(st.Flush())
		if want := Clean(s); got.String() != want {
			t.Fatalf("%q cut by %#x: %q, want %q", s, cuts, got.String(), want)
		}
	})
}

// The prefixes that skip classify hold only runes that classify calls plain.
func TestPrefixesHoldPlainRunes(t *testing.T) {
	taken := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s := string(r)
		n := commonPrefix(s + "xxxx")
		if n == 0 {
			continue
		}
		taken++
		if n != len(s) || classify(r, n) != classPlain || !joins(r) {
			t.Errorf("%U: %d bytes of %d, class %d", r, n, len(s), classify(r, n))
		}
	}
	if taken < 20_000 {
		t.Errorf("only %d runes", taken)
	}
	for _, s := range []string{"\xe3\x81", "\xe3\x81x ", "\xf0\x9f\x8ex", "\xc3x  ", "\xe2\x80\xe2\x80", "\xff\xbf\xbf\xbf", "\xed\xa0\x80x"} {
		if n := commonPrefix(s); n != 0 {
			t.Errorf("%q: %d", s, n)
		}
	}
}
