package markdown

import (
	"fmt"
	"strings"
	"testing"

	"parley/ui/theme"
)

// prose is about 1 kB of what agents write.
const prose = "I'll start with the tokenizer, since `lex.go` decides **which** errors the parser can see at all. " +
	"The change is small: every branch that returned a bare string now returns a value of one type.\n\n" +
	"- read `parser/lex.go` and find where errors are made\n- replace them by *typed* ones\n- run the tests again\n\n" +
	"Then the callers, of which there are four; three of them only pass the error on, and the last one prints it " +
	"with its position. That one needs a little more work, because it looks at the text of the message.\n\n" +
	"```go\nfunc Parse(s string) (*Node, error) {\n\tif s == \"\" {\n\t\treturn nil, ErrEmpty\n\t}\n\treturn parse(s)\n}\n```\n\n" +
	"## What is left\n\nThe documentation says nothing of errors yet, and the examples in it still compare strings.\n\n"

// BenchmarkStream appends 20 bytes to a message and shows its tail again. The
// cost must not depend on how long the message is.
func BenchmarkStream(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dkB", size>>10), func(b *testing.B) {
			message := strings.Repeat(prose, size/len(prose)+1)
			r := NewRenderer(100, theme.ANSI())
			var s Stream
			s.Append([]byte(message))
			r.Rows(s.Tail())
			at := 0
			b.ReportAllocs()
			for b.Loop() {
				if at+20 > len(prose) {
					at = 0
				}
				s.Append([]byte(prose[at : at+20]))
				r.Rows(s.Tail())
				at += 20
			}
		})
	}
}

// BenchmarkAppend is the splitting alone.
func BenchmarkAppend(b *testing.B) {
	message := strings.Repeat(prose, 1000)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		var s Stream
		for at := 0; at < len(message); at += 20 {
			s.Append([]byte(message[at:min(at+20, len(message))]))
		}
	}
}

func BenchmarkClosed(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"paragraph200B", prose[:190]},
		{"paragraph4kB", strings.Repeat("some words with `code` and **bold** here ", 100)},
		{"list5", strings.Repeat("- an item of a list with `code` in it\n", 5)},
		{"table5", "| a | b | c |\n|---|---|---|\n" + strings.Repeat("| one | two | `three` |\n", 5)},
		{"rich", ""},
		{"goFence200", "```go\n" + strings.Repeat("\tif err := run(ctx, \"x\", 12); err != nil { // why\n\t\treturn nil, err\n\t}\n\n", 50) + "```\n"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			if bb.text == "" {
				bb.text = readRich(b)
			}
			blocks := split(bb.text)
			r := NewRenderer(100, theme.ANSI())
			render(r, blocks)
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				render(r, blocks)
			}
		})
	}
}

// BenchmarkOpen shows tails of the largest size a block can have.
func BenchmarkOpen(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"paragraph4kB", strings.Repeat("some words with `code` and **bold** here ", 97)},
		{"list4kB", strings.Repeat("- an item of a list with `code` in it\n", 100)},
		{"fence60", "```go\n" + strings.Repeat("\treturn fmt.Errorf(\"x: %w\", err)\n", 60)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var s Stream
			s.Append([]byte(bb.text))
			r := NewRenderer(100, theme.ANSI())
			b.ReportAllocs()
			for b.Loop() {
				r.Rows(s.Tail())
			}
		})
	}
}
