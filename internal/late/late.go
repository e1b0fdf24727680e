// Package late makes things when they are first needed, so that starting parley
// does not wait for them.
package late

import (
	"regexp"
	"sync"
)

// Regexp compiles an expression when it is first called for. An expression that is
// none panics then.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
