package snippet

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFind(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	for _, c := range []struct {
		text, word, want string
		ok               bool
	}{
		{"Fix the Lexer", "lexer", "Fix the Lexer", true},
		{"Fix the Lexer", "parser", "", false},
		{"", "x", "", false},
		{"one two\n\tthree", "three", "one two three", true},
		{"a first lexer, and then after many more words a second Lexer\nends", "lexer", "…more words a second Lexer ends", true},
		{"İİİ İstanbul", "stanbul", "İİİ İstanbul", true},
		{"ÜNICODE", "ünicode", "ÜNICODE", true},
		{"red\x1b[31m \u202etext", "text", "red text", true},
	} {
		if got, ok := Find(c.text, c.word); got != c.want || ok != c.ok {
			t.Errorf("%q in %q: %q, %v; want %q", c.word, c.text, got, ok, c.want)
		}
	}
	got, ok := Find(long+"needle "+long, "needle")
	if n := utf8.RuneCountInString(got); !ok || n > most+1 || !strings.HasPrefix(got, "…word word") || !strings.Contains(got, "needle word") {
		t.Errorf("in a long text: %q", got)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Fix the LEXER", "lexer")
	f.Add("\xff\u0130 İ", "i")
	f.Fuzz(func(t *testing.T, text, word string) {
		got, _ := Find(text, strings.ToLower(word))
		if strings.ContainsAny(got, "\x1b\n\x00") || utf8.RuneCountInString(got) > most+1 {
			t.Errorf("%q in %q: %q", word, text, got)
		}
	})
}
