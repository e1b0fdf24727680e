//go:build linux

package main

import (
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"unicode/utf8"
)

var words = strings.Fields(`a parser reads its input token by token and keeps what it could not use until more of it has come
the handler was registered too late so the first event is lost and the test waits for ever unless the context ends
before that happens we measure again with a larger file compare both results and write down which of them was better
three callers pass nothing here which means that the default applies rename the field keep the public name stable
close the session flush the buffer look at the log repeat with another seed draw the table sort by the second column`)

// corpus is half a megabyte of Markdown, the same in every run: headings, styled paragraphs,
// links, CJK and emoji, lists, fences, tables, quotes. It ends at the end of a block, so that
// it can be repeated.
var corpus = sync.OnceValue(func() string {
	g := &writer{r: rand.New(rand.NewSource(1))}
	for step := 1; g.Len() < 512<<10; step++ {
		g.step(step)
	}
	return g.String()
})

type writer struct {
	strings.Builder
	r *rand.Rand
}

func (g *writer) word() string { return words[g.r.Intn(len(words))] }

// sentence returns a sentence of plain words with an occasional other element.
func (g *writer) sentence() string {
	out := make([]string, 7+g.r.Intn(15))
	for i := range out {
		w := g.word()
		switch g.r.Intn(60) {
		case 0:
			w = "**" + w + "**"
		case 1, 2, 3:
			w = "`" + w + "()`"
		case 4:
			w = "*" + w + "*"
		case 5:
			w = "[" + w + "](https://example.com/" + w + ")"
		case 6:
			w = "日本語"
		case 7:
			w = "한국어"
		case 8:
			w = "✅"
		case 9:
			w = "🚀"
		}
		out[i] = w
	}
	return strings.Join(out, " ") + ". "
}

func (g *writer) paragraph() {
	for range 2 + g.r.Intn(4) {
		g.WriteString(g.sentence())
	}
	g.WriteString("\n\n")
}

// lines writes at least least and at most twice as many lines, and ends the block.
func (g *writer) lines(least int, line func(i int)) {
	for i := range least + g.r.Intn(least+1) {
		line(i)
		g.WriteByte('\n')
	}
	g.WriteByte('\n')
}

// step writes one block of every kind.
func (g *writer) step(n int) {
	fmt.Fprintf(g, "## Step %d: %s %s\n\n", n, g.word(), g.word())
	g.paragraph()
	g.paragraph()
	g.lines(3, func(int) { g.WriteString("- " + g.sentence()) })
	g.paragraph()
	g.WriteString("```go\n")
	for i := range 5 + g.r.Intn(10) {
		fmt.Fprintf(g, "func %s%d(n int) error {\n\treturn fmt.Errorf(\"%s %%d: %%w\", n, errors.ErrUnsupported) // %s\n}\n", g.word(), i, g.word(), g.word())
	}
	g.WriteString("```\n\n")
	g.paragraph()
	g.WriteString("| name | time | count |\n|---|---:|---:|\n")
	g.lines(3, func(int) { fmt.Fprintf(g, "| %s | %d | %d |", g.word(), g.r.Intn(100000), g.r.Intn(500)) })
	g.paragraph()
	g.WriteString("```sh\n")
	for range 2 + g.r.Intn(3) {
		fmt.Fprintf(g, "go test ./%s -run %s | tee log\n", g.word(), g.word())
	}
	g.WriteString("```\n\n> " + g.sentence() + "\n\n")
	g.lines(2, func(i int) { fmt.Fprintf(g, "%d. %s", i+1, g.sentence()) })
}

// cut splits a text into pieces of n bytes, slightly longer where a character would be split.
func cut(s string, n int) (out []string) {
	for len(s) > n {
		k := n
		for k < len(s) && !utf8.RuneStart(s[k]) {
			k++
		}
		out, s = append(out, s[:k]), s[k:]
	}
	return append(out, s)
}
