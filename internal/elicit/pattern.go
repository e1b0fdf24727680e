package elicit

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Matching takes time in proportion to the text and, at worst, to the size of the pattern.
// A check over maxSteps, some tenths of a second, is skipped.
const (
	maxSteps       = 10_000_000
	maxPatternSize = 5000
)

// foreign are texts whose meaning differs between ECMA-262 and RE2. A pattern with one of
// these is not checked: a wrong refusal would leave the user without an answer.
var foreign = []string{"[]", "[^]", "[[:", "[^[:", `\A`, `\z`, `\a`, `\Q`, `\C`, "(?P", "(?U", "(?i)", "(?s)", "(?m)"}

// compile prepares an ECMA-262 pattern for RE2, which never takes exponential time. It
// returns nil if RE2 does not support it or it would be too costly; steps is its worst cost
// per byte.
func compile(pattern string) (re *regexp.Regexp, steps int) {
	if pattern == "" || len(pattern) > maxPattern {
		return nil, 0
	}
	for _, f := range foreign {
		if strings.Contains(pattern, f) {
			return nil, 0
		}
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0
	}
	if steps = size(tree); steps > maxPatternSize {
		return nil, 0
	}
	if re, err = regexp.Compile(pattern); err != nil {
		return nil, 0
	}
	return re, steps
}

// size estimates how many instructions a pattern compiles to.
func size(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		if n += size(sub); n > maxPatternSize {
			return n
		}
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1) + 1
	}
	return n
}

// matches reports whether s matches the field's pattern, or cannot be checked.
func (f Field) matches(s string) bool {
	return f.pattern == nil || len(s)*f.steps > maxSteps || f.pattern.MatchString(s)
}
