package finder

import (
	"strings"
	"sync"
	"unicode"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

// Only this file uses fzf.

// name is a path prepared for matching. It shares the bytes of an ASCII path.
type name = util.Chars

// scheme makes fzf score paths: a match after a slash counts more.
var scheme = sync.OnceFunc(func() { algo.Init("path") })

// slabs are the working memory of matchers.
var slabs = sync.Pool{New: func() any { return util.MakeSlab(100*1024, 2048) }}

// matcher matches one pattern. It is used by one goroutine, and must be released.
type matcher struct {
	pattern []rune
	cased   bool // a capital in the pattern makes case count
	slab    *util.Slab
}

func newMatcher(query string) *matcher {
	scheme()
	m := &matcher{cased: strings.ContainsFunc(query, unicode.IsUpper), slab: slabs.Get().(*util.Slab)}
	if !m.cased {
		query = strings.ToLower(query)
	}
	m.pattern = []rune(query)
	return m
}

func (m *matcher) release() { slabs.Put(m.slab) }

// score returns how well a name matches; ok is false if it does not.
func (m *matcher) score(n *name) (score int, ok bool) {
	r, _ := algo.FuzzyMatchV2(m.cased, false, true, n, m.pattern, false, m.slab)
	return r.Score, r.Start >= 0
}

// marks returns the runes of the name that matched, in no order.
func (m *matcher) marks(n *name) []int {
	_, at := algo.FuzzyMatchV2(m.cased, false, true, n, m.pattern, true, m.slab)
	if at == nil {
		return nil
	}
	return *at
}

func newName(path []byte) name { return util.ToChars(path) }
