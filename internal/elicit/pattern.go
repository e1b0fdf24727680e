package elicit

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Matching takes time in proportion to the text and, at worst, to the size of
// the pattern. A check beyond maxSteps, some tenths of a second, is not made.
const (
	maxSteps       = 10_000_000
	maxPatternSize = 5000
)

// foreign is what means one thing in ECMA-262 and another in RE2. A pattern with
// one of these is not checked: a wrong refusal would leave the user no answer.
var foreign = []string{"[]", "[^]", "[[:", "[^[:", `\A`, `\z`, `\a`, `\Q`, `\C`, "(?P", "(?U", "(?i)", "(?s)", "(?m)"}

// compile makes a pattern of ECMA-262 ready to match as RE2 does, which never
// takes exponential time. It returns nil for one that RE2 does not know or that
// would be too costly; steps is its cost per byte at worst.
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

// matches tells whether s has the form that the field asks for, or cannot be
// judged.
func (f Field) matches(s string) bool {
	return f.pattern == nil || len(s)*f.steps > maxSteps || f.pattern.MatchString(s)
}
