package mention

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// shown returns mentions as "path 10-20", and checks their positions.
func shown(t *testing.T, text string) string {
	t.Helper()
	var out []string
	for _, m := range Find(text) {
		if text[m.Start] != '@' {
			t.Errorf("%q: %+v does not begin with @", text, m)
		}
		s := m.Path
		if m.From > 0 {
			s += fmt.Sprintf(" %d-%d", m.From, m.To)
		}
		out = append(out, s+" <"+text[m.Start:m.End]+">")
	}
	return strings.Join(out, ", ")
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"@main.go", "main.go <@main.go>"},
		{"look at @ui/chat.go, please", "ui/chat.go <@ui/chat.go>"},
		{"look at @ui/chat.go.", "ui/chat.go <@ui/chat.go>"},
		{"(see @a/b.go)", "a/b.go <@a/b.go>"},
		{"@app/(group)/page.tsx!", "app/(group)/page.tsx <@app/(group)/page.tsx>"},
		{"@ui/chat.go:10-20 and @x:7", "ui/chat.go 10-20 <@ui/chat.go:10-20>, x 7-7 <@x:7>"},
		{"@ui/chat.go:10,", "ui/chat.go 10-10 <@ui/chat.go:10>"},
		{"@ui/chat.go:20-10", "ui/chat.go 10-20 <@ui/chat.go:20-10>"},
		{"@ui/chat.go:10:5: undefined", "ui/chat.go 10-10 <@ui/chat.go:10:5>"},
		{"@ui/chat.go:", "ui/chat.go <@ui/chat.go>"},
		{"@x:0", "x:0 <@x:0>"},
		{`@"my notes/to do.md":3-4.`, `my notes/to do.md 3-4 <@"my notes/to do.md":3-4>`},
		{`@"C:\dir\notes.md"`, `C:\dir\notes.md <@"C:\dir\notes.md">`},
		{`@"a\nb" @"q\"q"`, "a\nb <@\"a\\nb\">, q\"q <@\"q\\\"q\">"},
		{`@"no end`, ""},
		{"@\"over\nlines\"", ""},
		{"mail ada@example.com and a@b.c", ""},
		{"x.@y -@z /@w 1@2", ""},
		{"@", ""}, {"@ x", ""}, {"@@x", ""}, {`@""`, ""}, {"@.", ""},
		{"@types/node@20", "types/node@20 <@types/node@20>"},
		{"看@main.go", "main.go <@main.go>"},
		{"`@a` and ``x ` @b`` @c", "c <@c>"},
		{"a lone ` and @a", "a <@a>"},
		{"open `\n\n@a `", "a <@a>"},
		{"```go\n@a\n```\n@b", "b <@b>"},
		{"~~~\n@a\n```\n@b", ""},
		{"@a`code`", "a <@a>"},
		{"one\n@a\r\n@b", "a <@a>, b <@b>"},
	} {
		if got := shown(t, c.text); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for path, want := range map[string]string{
		"ui/chat.go": "@ui/chat.go", "a b": `@"a b"`, "a:10": `@"a:10"`, "a.": `@"a."`, "x\ny": `@"x\ny"`, "\xff": `@"\xff"`, "\u202egp": `@"\u202egp"`,
		"über": "@über", `q"q`: `@"q\"q"`, "dir/": "@dir/", "a@b": "@a@b", "a`b": `@"a\x60b"`,
	} {
		if got := Format(path); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
}

func TestTyped(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"@", `0 "" ""`}, {"look at @ui/ch", `8 "ui/ch" ""`}, {"@ui/chat.go:", `0 "ui/chat.go" ":"`}, {"@ui/chat.go:1", `0 "ui/chat.go" ":1"`},
		{"@ui/chat.go:10-", `0 "ui/chat.go" ":10-"`}, {"@ui/chat.go:10-20", `0 "ui/chat.go" ":10-20"`}, {`@"my no`, `0 "my no" ""`}, {`@"my notes":1`, `0 "my notes" ":1"`},
		{"one\ntwo @x", `8 "x" ""`}, {"@a ", "none"}, {"ada@ex", "none"}, {"`@a", "none"}, {"```\n@a", "none"}, {"```\n```\n@a", `8 "a" ""`}, {"`x` @a", `4 "a" ""`},
		{"", "none"}, {`@"a" `, "none"}, {"@types/node@2", `0 "types/node@2" ""`},
	} {
		got := "none"
		if w, ok := Typed(c.text); ok {
			got = fmt.Sprintf("%d %q %q", w.Start, w.Query, w.Lines)
		}
		if got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

// A text full of unclosed openings must not take quadratic time: a megabyte would take
// seconds.
func TestFindManyRuns(t *testing.T) {
	var b strings.Builder
	for i := range 1400 {
		b.WriteString(strings.Repeat("`", i) + " ")
	}
	b.WriteString("@a ")
	b.WriteString(strings.Repeat("@\"x ", 50_000))
	if got := Find(b.String()); len(got) == 0 || got[0].Path != "a" {
		t.Errorf("found %d", len(got))
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"see @a/b.go:10-20.", "`@x` @\"a b\":3", "```\n@a\n", "a@b.c @@ @(x)", "@\"\\xff\"", "看@x:1:2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, m := range Find(text) {
			if m.Start < end || m.End <= m.Start+1 || m.End > len(text) || text[m.Start] != '@' || m.Path == "" || m.From > m.To || m.From < 0 {
				t.Fatalf("%q: %+v after %d", text, m, end)
			}
			end = m.End
			if utf8.ValidString(text) && !utf8.ValidString(text[m.Start:m.End]) {
				t.Fatalf("%q: %+v cuts a character", text, m)
			}
			// A mention does not depend on the text around it.
			alone := Find(text[m.Start:m.End])
			if len(alone) != 1 || alone[0].Path != m.Path || alone[0].From != m.From || alone[0].To != m.To {
				t.Fatalf("%q: %+v alone is %+v", text, m, alone)
			}
		}
		Typed(text)
		if text == "" || len(text) > maxPath {
			return
		}
		if got := Find("x " + Format(text) + " y"); len(got) != 1 || got[0].Path != text || got[0].From != 0 {
			t.Fatalf("%q is written %s, which reads %+v", text, Format(text), got)
		}
	})
}
