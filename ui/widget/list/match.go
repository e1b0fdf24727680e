package list

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"parley/internal/text"
)

// Scores of a match by its kind. A better kind always beats a worse one.
const (
	scorePrefix      = 4000
	scoreWordStart   = 3000
	scoreInside      = 2000
	scoreSubsequence = 1000
	scoreHeld        = 1
)

// What the scores of an item that the title alone does not match are divided by, so that it comes
// after those that it does.
const (
	titleDivisor  = 50
	detailDivisor = 100
)

// mostLength is how much less a longer title scores at most.
const mostLength = 200

// lowerRunes lowers s rune by rune, so that indexes stay the same.
func lowerRunes(s string) []rune {
	rs := []rune(s)
	for i, r := range rs {
		rs[i] = unicode.ToLower(r)
	}
	return rs
}

// match looks for all terms in text, both lowered. It returns a score, higher is better, and the indexes of the matched
// runes of text in order. ok is false if a term is missing.
func match(terms [][]rune, text []rune) (score int, marks []int, ok bool) {
	for _, term := range terms {
		s, at := matchTerm(term, text)
		if s == 0 {
			return 0, nil, false
		}
		score += s
		marks = append(marks, at...)
	}
	slices.Sort(marks)
	return score - min(len(text), mostLength), slices.Compact(marks), true
}

// matchTerm looks for a term, or else for its runes in order.
func matchTerm(term, text []rune) (score int, marks []int) {
	score, where := contiguous(term, text)
	if score == 0 {
		return subsequence(term, text)
	}
	marks = make([]int, len(term))
	for i := range marks {
		marks[i] = where + i
	}
	return score, marks
}

// contiguous finds the best place of a term as a whole; its score is 0 if there is none.
func contiguous(term, text []rune) (best, where int) {
	for i := 0; i+len(term) <= len(text); i++ {
		if text[i] != term[0] || !slices.Equal(text[i:i+len(term)], term) {
			continue
		}
		switch {
		case i == 0:
			best, where = scorePrefix, 0
		case wordStart(text, i) && best < scoreWordStart:
			best, where = scoreWordStart, i
		case best < scoreInside:
			best, where = scoreInside, i
		}
		if i == 0 {
			break
		}
	}
	return best, where
}

// subsequence finds the runes of term in order. Starts of words and adjacent runes score more.
func subsequence(term, text []rune) (int, []int) {
	marks := make([]int, 0, len(term))
	score, at := scoreSubsequence, 0
	for k, r := range term {
		i := slices.Index(text[at:], r)
		if i < 0 {
			return 0, nil
		}
		i += at
		// Prefer the start of a later word if the rest of the term follows it.
		if !wordStart(text, i) && (k == 0 || i != at) {
			for j := i + 1; j < len(text); j++ {
				if text[j] == r && wordStart(text, j) && isSubsequence(term[k+1:], text[j+1:]) {
					i = j
					break
				}
			}
		}
		switch {
		case wordStart(text, i):
			score += 20
		case k > 0 && i == at:
			score += 10
		default:
			score -= min(i-at, 10)
		}
		marks = append(marks, i)
		at = i + 1
	}
	return max(score, 1), marks
}

func isSubsequence(term, text []rune) bool {
	for _, r := range term {
		i := slices.Index(text, r)
		if i < 0 {
			return false
		}
		text = text[i+1:]
	}
	return true
}

func wordStart(s []rune, i int) bool {
	return i == 0 || !text.WordRune(s[i-1]) && text.WordRune(s[i])
}

// matchRest looks for the terms beyond the title: in what is beside it, where letters in order are
// no match, and in the text that is not shown. around is the part of that text with the first of the
// terms that only it holds.
func (it Item) matchRest(terms [][]rune, title []rune) (score int, around string, ok bool) {
	held := false
	detail := lowerRunes(it.Detail + " " + it.More)
	for _, term := range terms {
		if inTitle, _ := matchTerm(term, title); inTitle > 0 {
			score += inTitle / titleDivisor
			continue
		}
		if inDetail, _ := contiguous(term, detail); inDetail > 0 {
			score += inDetail / detailDivisor
			continue
		}
		if it.Holds == nil {
			return 0, "", false
		}
		text, found := it.Holds(string(term))
		if !found {
			return 0, "", false
		}
		held, around = true, cmp.Or(around, text)
	}
	if held {
		score = scoreHeld
	}
	return score, around, true
}

func filterTerms(filter string) [][]rune {
	var terms [][]rune
	for f := range strings.FieldsSeq(filter) {
		terms = append(terms, lowerRunes(f))
	}
	return terms
}
