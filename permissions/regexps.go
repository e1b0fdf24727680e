package permissions

import (
	"regexp"
	"sync"
)

// lazyRegexp compiles an expression on first use: most runs judge nothing.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
