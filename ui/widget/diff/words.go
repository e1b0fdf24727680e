package diff

import (
	"unicode/utf8"

	"znkr.io/diff"

	"parley/internal/text"
)

// maxMarkedBytes is the longest line that gets marks: longer ones are not read word by word and are slow to compare.
const maxMarkedBytes = 1000

// span is a run of bytes in a line.
type span struct{ from, to int }

// wordMarks compares two lines word by word and returns what changed in each. Lines that share too little get no marks:
// all of them would be marked.
func wordMarks(a, b string) (inA, inB []span) {
	a, b = lineText(a), lineText(b)
	if len(a) > maxMarkedBytes || len(b) > maxMarkedBytes || a == "" || b == "" {
		return nil, nil
	}
	ta, tb := splitWords(a), splitWords(b)
	edits := diff.Edits(ta, tb)
	kept, pa, pb := 0, 0, 0
	for _, e := range edits {
		switch e.Op {
		case diff.Match:
			if !blankWord(e.X) {
				kept += len(e.X)
			}
			pa, pb = pa+len(e.X), pb+len(e.Y)
		case diff.Delete:
			inA = mark(inA, pa, pa+len(e.X))
			pa += len(e.X)
		case diff.Insert:
			inB = mark(inB, pb, pb+len(e.Y))
			pb += len(e.Y)
		}
	}
	if kept*10 < max(inkLen(a), inkLen(b))*4 {
		return nil, nil
	}
	return inA, inB
}

// mark appends a span, joined with the last one where they touch.
func mark(spans []span, from, to int) []span {
	if n := len(spans); n > 0 && spans[n-1].to == from {
		spans[n-1].to = to
		return spans
	}
	return append(spans, span{from, to})
}

func lineText(s string) string {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}

func blankWord(s string) bool { return s[0] == ' ' || s[0] == '\t' }

// inkLen counts the bytes of s that are not blank.
func inkLen(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] != ' ' && s[i] != '\t' {
			n++
		}
	}
	return n
}

// splitWords splits a line into runs of letters and digits, runs of white space, and single other characters.
func splitWords(s string) []string {
	out := make([]string, 0, len(s)/3+1)
	start, kind := 0, 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		k := 3
		switch {
		case r == ' ' || r == '\t':
			k = 1
		case text.WordRune(r) || r == '_':
			k = 2
		}
		// Wide scripts have no spaces: each character is a word.
		if i > start && (k != kind || k == 3 || r >= 0x2e80) {
			out = append(out, s[start:i])
			start = i
		}
		kind = k
		i += n
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
