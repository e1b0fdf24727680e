package permissions

import (
	"regexp"
	"sync"
)

// late compiles an expression on first use: most runs judge nothing.
func late(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
