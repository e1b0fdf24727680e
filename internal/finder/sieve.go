package finder

// The characters of a name and their positions rule out most names as not matching, or not
// well enough. That costs a few instructions; matching costs a hundred times as much.

// traits are the characters of a name as bits, ignoring case: all, those that begin a part
// of the path, and those that may get a bonus from fzf for another reason.
type traits struct{ has, starts, bounds uint64 }

// bit returns the class of a character, ignoring case.
func bit(c byte) uint64 {
	switch {
	case c >= 'a' && c <= 'z':
		return 1 << (c - 'a')
	case c >= 'A' && c <= 'Z':
		return 1 << (c - 'A')
	case c >= '0' && c <= '9':
		return 1 << (26 + c - '0')
	case c < 0x80:
		return 1 << (36 + c%27)
	}
	return 1 << 63
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// traitsOf returns the traits of a name. A name that is not ASCII has all of them.
func traitsOf(n *name) traits {
	if !n.IsBytes() {
		return traits{^uint64(0), ^uint64(0), ^uint64(0)}
	}
	var t traits
	prev := byte('/')
	for _, c := range n.Bytes() {
		b := bit(c)
		t.has |= b
		switch {
		case prev == '/' || prev == '\\':
			t.starts |= b
		case !wordByte(c) || !wordByte(prev) || c < 'a': // after a dot, a capital, a digit
			t.bounds |= b
		}
		prev = c
	}
	return t
}

// fzf's score for a matching character, and its highest bonus for the position: at the
// start of a part, elsewhere at the start of a word, and in a row of matches.
const (
	scoreEach   = 16
	bonusStart  = 9
	bonusBound  = 8
	bonusRow    = 4
	firstCounts = 2 // factor for the bonus of the first character
)

// sieve holds the classes of a pattern.
type sieve struct {
	all   uint64
	each  []uint64
	fixed int
}

func newSieve(pattern []rune) sieve {
	s := sieve{fixed: scoreEach * len(pattern)}
	for _, r := range pattern {
		b := uint64(1) << 63
		if r < 0x80 {
			b = bit(byte(r))
		}
		s.all |= b
		s.each = append(s.each, b)
	}
	return s
}

// passes reports whether a name may match at all.
func (s *sieve) passes(t *traits) bool { return t.has&s.all == s.all }

// atMost returns an upper bound of the score of a match of the name.
func (s *sieve) atMost(t *traits) int {
	score, row := s.fixed, 0
	for i, b := range s.each {
		bonus := 0
		switch {
		case t.starts&b != 0:
			bonus = bonusStart
		case t.bounds&b != 0:
			bonus = bonusBound
		}
		if i == 0 {
			score += firstCounts * bonus
			row = max(bonus, bonusRow)
			continue
		}
		row = max(row, bonus) // a row of matches keeps the bonus of its first
		score += row
	}
	return score
}
