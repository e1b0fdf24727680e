package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// said is a line with its classes spelled out.
func said(line string, spans []Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s.Class == Text {
			b.WriteString(line[at:s.To])
		} else {
			fmt.Fprintf(&b, "%d{%s}", s.Class, line[at:s.To])
		}
		at = s.To
	}
	return b.String() + line[at:]
}

func TestLines(t *testing.T) {
	lines := []string{"func f() error {", "\treturn g(\"日本\", 42) // why", "}", "/* a", "b */ var x = nil"}
	want := []string{"1{func} 2{f}() error {", "\t1{return} 2{g}(3{\"日本\"}, 4{42}) 5{// why}", "}", "5{/* a}", "5{b */} 1{var} x = 4{nil}"}
	got := Lines("/a/b/x.go", lines)
	if len(got) != len(lines) {
		t.Fatalf("%d lines of %d", len(got), len(lines))
	}
	for i, w := range want {
		g := strings.ReplaceAll(said(lines[i], got[i]), "1{error}", "error")
		if g != w {
			t.Errorf("line %d is %s, want %s", i, g, w)
		}
	}
}

// The name alone decides, and code that is none of its language is no error.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"x.go": true, "Makefile": true, "a/b.ts": true, "x": false, "": false, "x.nosuch": false, strings.Repeat("x", 10_000) + ".go": false, "[": false} {
		if Known(name) != want {
			t.Errorf("Known(%.20q) = %v", name, !want)
		}
		if got := Lines(name, []string{"package main", "func"}); got != nil != want {
			t.Errorf("Lines of %.20q: %v", name, got)
		}
	}
	for i := range 2 * maxNames {
		Known(fmt.Sprintf("x%d.none", i%600))
	}
	if n := len(files.lexers); n > maxNames {
		t.Errorf("%d names kept", n)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("x.go", "a \"b\n\\\n`c")
	f.Add("x.py", "\"\"\"\nx\r\n\x00\xff")
	f.Add("x.md", "# a\n```go\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		if len(text) > 500 {
			t.Skip()
		}
		lines := strings.Split(text, "\n")
		for i, spans := range Lines(name, lines) {
			at := 0
			for _, s := range spans {
				if s.To <= at || s.To > len(lines[i]) || s.Class >= Classes {
					t.Fatalf("line %q: %v", lines[i], spans)
				}
				at = s.To
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	lines := strings.Split(strings.Repeat("\tresult = append(result, transform(input[12], options))\n", 100), "\n")
	for b.Loop() {
		Lines("x.go", lines)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(lines)), "µs/line")
}

func TestWhole(t *testing.T) {
	const woman = "👩‍💻"
	for _, test := range []struct {
		text           string
		from, to, want int
	}{
		{"plain text", 0, 5, 5},
		{"plain text", 7, 5, 7},
		{"plain text", 0, 10, 10},
		{"x = e\u0301", 4, 5, 7},
		{"a" + woman + "b", 1, 5, 1 + len(woman)},
		{"a" + woman + "b", 0, 1 + len(woman), 1 + len(woman)},
		{"\u06000;", 0, 2, 3},
		{"日本", 0, 3, 3},
		{"日本", 0, 4, 6},
		{"\xff\xfe", 0, 1, 1},
	} {
		if got := Whole(test.text, test.from, test.to); got != test.want {
			t.Errorf("%q from %d to %d: %d, want %d", test.text, test.from, test.to, got, test.want)
		}
	}
}
