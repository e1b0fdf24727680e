package jsonscan

import (
	"strings"
	"testing"
)

func TestPieceKeepsIncompleteCharacters(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`""`, ""},
		{`"plain"`, "plain"},
		{`"a\nb"`, "a\nb"},
		{"\"a\xf0\x9f\x8e\"", "a\xf0\x9f\x8e"},
		{"\"\x8e\x89b\\n\"", "\x8e\x89b\n"},
		{"\"\xf0\"", "\xf0"},
		{"\"\x9f\"", "\x9f"},
		{"\"a\xffb\"", "a\uFFFDb"},
		{"\"\x80\x80\x80\x80x\"", "\x80\x80\x80\uFFFDx"},
		{`"a\ud83c"`, "a\xed\xa0\xbc"},
		{`"\udf89b"`, "\xed\xbe\x89b"},
		{`"\ud83c\udf89"`, "🎉"},
		{`"\ud83cb"`, "\uFFFDb"},
		{`"a\udf89"`, "a\uFFFD"},
		{`"\\ud83c"`, `\ud83c`},
		{`"\\\ud83c"`, `\` + "\xed\xa0\xbc"},
		{`"\udf89\ud83c"`, "\xed\xbe\x89\xed\xa0\xbc"},
		{`"\udf89"`, "\xed\xbe\x89"},
	} {
		if got, ok := PartialText([]byte(tt.raw)); !ok || got != tt.want {
			t.Errorf("PartialText(%q) = %q %v, want %q", tt.raw, got, ok, tt.want)
		}
	}
	for _, raw := range []string{``, `"`, `x`, `"a"b"`, `"\u12"`, "\"\xf0\x9f", `"\`} {
		if got, ok := PartialText([]byte(raw)); ok {
			t.Errorf("PartialText(%q) = %q", raw, got)
		}
	}
}

// With its incomplete characters replaced, a PartialText equals Text.
func FuzzPiece(f *testing.F) {
	for _, s := range []string{`a\ud83c`, `\udf89`, "\x8e\x89b", "\xf0\x9f", `\\ud83c`, `\"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		raw := []byte(`"` + string(body) + `"`)
		want, sound := Text(raw)
		got, ok := PartialText(raw)
		for _, second := range []string{"\xed\xa0", "\xed\xa1", "\xed\xa2", "\xed\xa3", "\xed\xa4", "\xed\xa5", "\xed\xa6", "\xed\xa7", "\xed\xa8", "\xed\xa9", "\xed\xaa", "\xed\xab", "\xed\xac", "\xed\xad", "\xed\xae", "\xed\xaf",
			"\xed\xb0", "\xed\xb1", "\xed\xb2", "\xed\xb3", "\xed\xb4", "\xed\xb5", "\xed\xb6", "\xed\xb7", "\xed\xb8", "\xed\xb9", "\xed\xba", "\xed\xbb", "\xed\xbc", "\xed\xbd", "\xed\xbe", "\xed\xbf"} {
			for third := 0x80; third < 0xc0; third++ {
				got = strings.ReplaceAll(got, second+string([]byte{byte(third)}), "\uFFFD")
			}
		}
		runes := ""
		for _, r := range got { // each byte that is not UTF-8 is one rune
			runes += string(r)
		}
		if ok != sound || ok && runes != want {
			t.Fatalf("%q: %q %v, want %q %v", raw, runes, ok, want, sound)
		}
	})
}
