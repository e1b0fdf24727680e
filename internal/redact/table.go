package redact

import (
	"slices"
	"sync"
)

// entry is a word that leads to a secret. The search only finds words; the finder decides
// what a secret looks like around its word.
type entry struct {
	word string // lower case, three bytes or more
	finder
}

// finder finds the secret that a word in s[at:end] belongs to.
type finder interface {
	// suspect is cheap and has no false negatives: it reports true if find would find
	// something in s, or in the text that s is the JSON string of.
	suspect(s []byte, at, end int) bool
	// find returns the part of s that is secret; to is 0 if there is none.
	find(s []byte, at, end int, m mode) (from, to int)
}

// table finds words. It looks for a word where its first three letters are, each reduced to
// its lower five bits, so that case does not matter. A text without secrets costs one load
// per byte, from a set of 4 KiB.
type table struct {
	heads [heads / 64]uint64
	at    [heads]uint16 // index into lists
	lists [][]entry
}

var (
	built sync.Once
	words table
)

// known returns the table of all finders, built on first use.
func known() *table {
	built.Do(words.build)
	return &words
}

func (t *table) build() {
	t.lists = make([][]entry, 1)
	for _, list := range [][]shape{gitleaksShapes, ownShapes()} {
		for i := range list {
			t.add(newShape(&list[i]), list[i].words...)
		}
	}
	t.add(pem{}, pemBegin)
	t.add(userinfo{}, "://")
	t.add(named{}, slices.Concat(secretWords, spelled)...)
	t.add(named{whole: true}, wholeWords...)
	t.add(literal{}, "--from-literal")
	for _, p := range programs {
		o, names := newOption(p)
		t.add(o, names...)
	}
	t.add(parameter{}, "?key=", "&key=", "#key=", `\u0026key=`, "?sig=", "&sig=", `\u0026sig=`, "signature=")
	t.add(scheme{}, "bearer ")
	t.add(curlUser{}, " -u", " --user", " --proxy-user")
}

func (t *table) add(f finder, words ...string) {
	for _, w := range words {
		h := headOf(w)
		if t.at[h] == 0 {
			t.heads[h/64] |= 1 << (h % 64)
			t.at[h] = uint16(len(t.lists))
			t.lists = append(t.lists, nil)
		}
		list := &t.lists[t.at[h]]
		*list = append(*list, entry{w, f})
	}
}

const heads = 1 << 15

// headOf returns the first three letters of a text as a number.
func headOf[text string | []byte](s text) uint32 {
	return uint32(s[0]&31)<<10 | uint32(s[1]&31)<<5 | uint32(s[2]&31)
}

// begin returns the entries of the words that may begin s.
func (t *table) begin(s []byte) []entry { return t.lists[t.at[headOf(s)]] }

// next returns the next position at or after from where a word may begin, or -1.
func (t *table) next(s []byte, from int) int {
	if len(s)-from < 3 {
		return -1
	}
	h := uint32(s[from]&31)<<5 | uint32(s[from+1]&31)
	for i, c := range s[from+2:] {
		h = (h<<5 | uint32(c&31)) % heads
		if t.heads[h/64]>>(h%64)&1 != 0 {
			return from + i
		}
	}
	return -1
}

// hasWord reports whether s begins with a word, ignoring case.
func hasWord(s []byte, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(s[i]) != word[i] {
			return false
		}
	}
	return true
}
