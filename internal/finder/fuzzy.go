package finder

import (
	"strings"
	"sync"
	"unicode"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

// This file is all that knows of fzf.

// name is a path prepared for matching. Of one in ASCII the bytes are shared.
type name = util.Chars

// scheme makes fzf score paths: what begins behind a slash counts more.
var scheme = sync.OnceFunc(func() { algo.Init("path") })

// slabs are the working memory of matchers.
var slabs = sync.Pool{New: func() any { return util.MakeSlab(100*1024, 2048) }}

// matcher matches one pattern. It is for one goroutine, and is to be released.
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

// score is how well a name matches; ok is false where it does not.
func (m *matcher) score(n *name) (score int, ok bool) {
	r, _ := algo.FuzzyMatchV2(m.cased, false, true, n, m.pattern, false, m.slab)
	return r.Score, r.Start >= 0
}

// marks are the runes of the name that matched, in no order.
func (m *matcher) marks(n *name) []int {
	_, at := algo.FuzzyMatchV2(m.cased, false, true, n, m.pattern, true, m.slab)
	if at == nil {
		return nil
	}
	return *at
}

func newName(path []byte) name { return util.ToChars(path) }
