package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// query is a text to search for. Case matters only if it has a capital.
type query struct {
	text  string
	fold  bool
	ascii bool
}

func newQuery(text string) query {
	q := query{text: text, fold: !strings.ContainsFunc(text, unicode.IsUpper), ascii: isASCII(text)}
	q.fold = q.fold && strings.ContainsFunc(text, unicode.IsLetter)
	return q
}

// each calls f with every match in s, in order and without overlaps, until f returns
// false.
func (q query) each(s string, f func(from, to int) bool) {
	if q.text == "" {
		return
	}
	next := q.exact
	switch {
	case q.fold && q.ascii:
		next = (&folder{text: q.text, low: -1, up: -1}).next
	case q.fold:
		next = q.folded
	}
	for at := 0; at < len(s); {
		from, to := next(s, at)
		if from < 0 || !f(from, to) {
			return
		}
		at = to
	}
}

func (q query) exact(s string, at int) (from, to int) {
	i := strings.Index(s[at:], q.text)
	if i < 0 {
		return -1, -1
	}
	return at + i, at + i + len(q.text)
}

// folder finds an ASCII text in either case. It remembers the next places of the first
// letter, so that each byte is read once.
type folder struct {
	text    string // lower case
	low, up int    // the next places of its first letter; -1: unknown
}

func (f *folder) next(s string, at int) (from, to int) {
	first := f.text[0]
	upper := first
	if 'a' <= first && first <= 'z' {
		upper = first - 'a' + 'A'
	}
	for {
		f.low = advance(s, f.low, at, first)
		i := f.low
		if upper != first {
			f.up = advance(s, f.up, at, upper)
			i = min(i, f.up)
		}
		if i+len(f.text) > len(s) {
			return -1, -1
		}
		if equalASCII(s[i:i+len(f.text)], f.text) {
			return i, i + len(f.text)
		}
		at = i + 1
	}
}

// advance returns the next place of c from at on, len(s) for none.
func advance(s string, known, at int, c byte) int {
	if known >= at {
		return known
	}
	if i := strings.IndexByte(s[at:], c); i >= 0 {
		return at + i
	}
	return len(s)
}

func equalASCII(s, low string) bool {
	for i := range len(low) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != low[i] {
			return false
		}
	}
	return true
}

// folded finds any text in either case, rune by rune.
func (q query) folded(s string, at int) (from, to int) {
	for from = at; from < len(s); {
		to = from
		ok := true
		for _, want := range q.text {
			r, n := utf8.DecodeRuneInString(s[to:])
			if n == 0 || r != want && unicode.ToLower(r) != want {
				ok = false
				break
			}
			to += n
		}
		if ok {
			return from, to
		}
		_, n := utf8.DecodeRuneInString(s[from:])
		from += n
	}
	return -1, -1
}
