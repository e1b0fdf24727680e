package markdown

import (
	"strings"
	"testing"
	"unsafe"
)

// What a Stream has forgotten of a message makes no difference to the blocks that
// are cut out of the rest.
func TestForgottenText(t *testing.T) {
	for name, text := range map[string]string{
		"table":         "before\n\n| one | two |\n|---|---|\n" + strings.Repeat("| cell | another cell |\n", 400),
		"list":          "before\n\n" + strings.Repeat("- an item\n  and more of it\n", 300) + "\nbehind\n",
		"fence in list": "before\n\n- an item\n\n  ```go\n" + strings.Repeat("  x := 1\n", 900) + "  ```\n- another\n",
		"fence":         "before\n\n~~~ sh\n" + strings.Repeat("ls -l\n", 900) + "~~~\nbehind",
		"a long line":   "before\n\n- " + strings.Repeat("words and more of them ", 600) + "\n- b\n\n| a |\n|---|\n| b |",
		"headings":      "a\n\nb\nc\n===\n" + strings.Repeat("\n", 5000) + "d\n---\n",
		"html":          "a\n\n<script>\n" + strings.Repeat("x\n\n", 2000) + "</script>\nb",
	} {
		for _, size := range []int{1, 7, 1000} {
			var s, forgetful Stream
			for at := 0; at < len(text); at += size {
				piece := []byte(text[at:min(at+size, len(text))])
				s.Append(piece)
				forgetful.Append(piece)
				forgetful.forget()
				if a, b := s.Tail(), forgetful.Tail(); a != b {
					t.Fatalf("%s in pieces of %d, the tail at %d: %+v, want %+v", name, size, at, b, a)
				}
			}
			s.Finish()
			forgetful.Finish()
			want, got := blocksOf(&s, text), blocksOf(&forgetful, text)
			checkBlocks(t, text, got)
			if len(got) != len(want) {
				t.Fatalf("%s in pieces of %d: %d blocks, want %d", name, size, len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s in pieces of %d: block %d: %+v, want %+v", name, size, i, got[i], want[i])
				}
			}
		}
	}
}

// A Stream keeps the end of a message only, however long that is, and a few bytes
// of each block.
func TestStreamKeepsLittle(t *testing.T) {
	var s Stream
	size := 0
	for range 20_000 {
		piece := []byte("a paragraph of some words\n\n```go\nreturn\n```\n")
		s.Append(piece)
		size += len(piece)
		if n := s.text.Cap(); n > 2*KeptText {
			t.Fatalf("%d bytes of text kept of %d", n, size)
		}
	}
	if s.Len() != 40_000 {
		t.Fatalf("%d blocks", s.Len())
	}
	each := unsafe.Sizeof(closed{}) + unsafe.Sizeof(detail{})/2
	if each > 40 {
		t.Errorf("%d bytes of each block", each)
	}
}
