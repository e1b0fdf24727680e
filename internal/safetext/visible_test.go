package safetext

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/must"
)

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "rm -rf build && echo done", "rm -rf build && echo done"},
		{"words", "größe 你好 🎉", "größe 你好 🎉"},
		{"newline kept", "a\nb\n", "a\nb\n"},
		{"escape", "a\x1b[2Kb", `a<\x1b>[2Kb`},
		{"written escape", `printf '\x1b[2K'`, `printf '\x1b[2K'`},
		{"CR", "rm x\recho", `rm x<\r>echo`},
		{"NUL DEL", "\x00\x7f", `<\x00><\x7f>`},
		{"C1", "\u009b", "<U+009B>"},
		{"bad byte", "a\x9b", `a<\x9b>`},
		{"bidi", "a\u202eb", "a<U+202E>b"},
		{"zero width", "a\u200b", "a<U+200B>"},
		{"joiner", "👩\u200d💻", "👩<U+200D>💻"},
		{"trailing spaces", "a  \nb", "a··\nb"},
		{"trailing at the end", "a ", "a·"},
		{"tab", "a\tb", "a→   b"},
		{"no-break space", "a\u00a0b", "a<U+00A0>b"},
		{"line separator", "a\u2028b", "a<U+2028>b"},
		{"accent", "e\u0301", "e\u0301"},
		{"accent on nothing", " \u0301", " <U+0301>"},
		{"accent on a mark", "\u202e\u0301", "<U+202E><U+0301>"},
		{"looks like a mark", "<U+202E>", "<U+003C>U+202E>"},
		{"looks like an escape", `<\x1b>`, `<U+003C>\x1b>`},
		{"looks like a space", "a· ", "a<U+00B7>·"},
		{"middle dot inside", "a·b", "a·b"},
		{"looks like a tab", "a→   b", "a<U+2192>   b"},
		{"comparison", "if a < b", "if a < b"},
		{"tag smuggling", "a\U000e0041", "a<U+E0041>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Visible(tt.in); got != tt.want {
				t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestHasSuspicious(t *testing.T) {
	for s, want := range map[string]bool{
		"go test ./...": false,
		"a\tb \nc\r\n":  false,
		"größe 你好 👩\u200d💻 ❤\ufe0f":       false,
		"\u0645\u06cc\u200c\u062e":        false,
		"a\rb":                            true,
		"a\x1b[0m":                        true,
		"a\u009bm":                        true,
		"a\u202eb":                        true,
		"a\u200bb":                        true,
		"a\u200db":                        true,
		"a\u00a0b":                        true,
		"a\u3164b":                        true,
		"\xff":                            true,
		"a\U000e0041":                     true,
		"e" + strings.Repeat("\u0301", 9): true,
	} {
		if got := HasSuspicious(s); got != want {
			t.Errorf("HasSuspicious(%q) = %v", s, got)
		}
	}
}

// decodeVisible reverses Visible, which proves that no two inputs have the same result.
func decodeVisible(t *testing.T, v string) string {
	t.Helper()
	var b strings.Builder
	for len(v) > 0 {
		line, rest, more := strings.Cut(v, "\n")
		for i := 0; i < len(line); {
			s := line[i:]
			switch {
			case strings.HasPrefix(s, `<\r>`):
				b.WriteByte('\r')
				i += 4
			case strings.HasPrefix(s, `<\x`):
				c := must.Get(strconv.ParseUint(s[3:5], 16, 8))(t)
				b.WriteByte(byte(c))
				i += 6
			case strings.HasPrefix(s, "<U+"):
				end := strings.IndexByte(s, '>')
				r := must.Get(strconv.ParseUint(s[3:end], 16, 32))(t)
				b.WriteRune(rune(r))
				i += end + 1
			case strings.HasPrefix(s, "→   "):
				b.WriteByte('\t')
				i += len("→   ")
			case strings.HasPrefix(s, "·") && trailingDots(line[i:]):
				b.WriteByte(' ')
				i += len("·")
			default:
				_, n := utf8.DecodeRuneInString(s)
				b.WriteString(s[:n])
				i += n
			}
		}
		if more {
			b.WriteByte('\n')
		}
		v = rest
	}
	return b.String()
}

// trailingDots reports whether s, the rest of a line, holds only dots, tabs and escaped
// dots. If so, a dot at its start is a space.
func trailingDots(s string) bool {
	for s != "" {
		n := len(s)
		for _, mark := range []string{"·", "→   ", "<U+00B7>"} {
			s = strings.TrimPrefix(s, mark)
		}
		if len(s) == n {
			return false
		}
	}
	return true
}

func FuzzVisible(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Add("· ·\t \n→   ·\t")
	f.Fuzz(func(t *testing.T, s string) {
		v := Visible(s)
		checkSafe(t, s, v)
		if strings.Contains(v, "\t") || spaceAtLineEnd(strings.ReplaceAll(v, "→   ", "")) {
			t.Fatalf("Visible(%q) = %q: a tab or a trailing space is left", s, v)
		}
		if got := decodeVisible(t, v); got != s {
			t.Fatalf("Visible(%q) = %q reads back as %q", s, v, got)
		}
	})
}
