package markdown

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

func TestFences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"no code", ""},
		{"```go\nx := 1\n\ty\n```\nafter", "go:x := 1\n\ty\n|"},
		{"a\n~~~\n```\n~~~\n````sh x=1\n```\ninner\n```\n````", ":```\n|sh:```\ninner\n```\n|"},
		{"- item\n  ```py\n  a\n    b\n  ```\n- next", "py:a\n  b\n|"},
		{"1. one\n\n   ```c\n   x;\n\n   y;\n   ```\n", "c:x;\n\ny;\n|"},
		{"- ```sh\n  ls\n  ```", "sh:ls\n|"},
		{"> ```txt\n> quoted\n>\n>  more\n> ```\nnot", "txt:quoted\n\n more\n|"},
		{"> ```txt\n> quoted\nnot", "txt:quoted\n|"},
		{"```go\nunfinished\n", "go:unfinished\n\n|"},
		{"``` a`b\nno fence", ""},
		{"`` x\n``", ""},
		{"```\n```", ":|"},
	} {
		got := ""
		for _, p := range Fences(c.text) {
			got += p.Lang + ":" + p.Text + "|"
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// What a parser of CommonMark finds is found here, too.
func TestFencesAsParsed(t *testing.T) {
	for _, source := range []string{
		"a\n\n```go\nx\n```\n\n- b\n\n  ~~~ sh\n  c\n   d\n  ~~~\n\n> ```\n> e\n> ```\n",
		"1. x\n   - y\n     ```js\n     let z\n     ```\n2. w\n\n```\nlast\n```\n",
		"- a\n  - b\n    - c\n      ```\n      deep\n      ```\n",
	} {
		var want []string
		root := newProseParser().p.Parse(text.NewReader([]byte(source)))
		_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if f, ok := n.(*ast.FencedCodeBlock); ok && entering {
				want = append(want, string(f.Language([]byte(source)))+":"+string(f.Lines().Value([]byte(source))))
			}
			return ast.WalkContinue, nil
		})
		var got []string
		for _, p := range Fences(source) {
			got = append(got, p.Lang+":"+p.Text)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q:\ngot  %q\nwant %q", source, got, want)
		}
	}
}

func FuzzFences(f *testing.F) {
	for _, s := range []string{"```go\nx\n```", "- > 1. ```\n\t~~~\n", ">>>>```\n>", "\t```\n    ```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := 0
		for _, p := range Fences(s) {
			n += len(p.Text)
		}
		if n > 5*len(s)+5 { // a tab that is cut becomes blanks
			t.Errorf("%d bytes of code in %d", n, len(s))
		}
	})
}
