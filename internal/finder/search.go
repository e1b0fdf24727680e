package finder

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// narrowed is the result of the last search: a longer query matches nothing else.
type narrowed struct {
	list  *listing
	query string
	seen  int     // number of names searched
	all   []int32 // those that may match, in ascending order
}

// candidates are the names to search: some, then all from from on.
type candidates struct {
	listed []int32
	from   int
}

func (c candidates) count(names int) int { return len(c.listed) + names - c.from }

func (c candidates) at(i int) int32 {
	if i < len(c.listed) {
		return c.listed[i]
	}
	return int32(c.from + i - len(c.listed))
}

// base returns where a search of the query may start.
func (n *narrowed) base(l *listing, query string, names int) candidates {
	if n.list == l && n.query != "" && strings.HasPrefix(query, n.query) && n.seen <= names {
		return candidates{n.all, n.seen}
	}
	return candidates{}
}

// hit is a name that matched.
type hit struct {
	name   int32
	score  int32
	length int32
}

// better is the order of the results.
func better(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.length, b.length), cmp.Compare(a.name, b.name))
}

// stride is how many names a goroutine searches at a time: few enough to stop soon after
// the search is cancelled.
const stride = 1024

// searchResult is the result of a search.
type searchResult struct {
	all  []int32 // every name that may match a longer query, and some more
	best []hit
}

// search searches the candidates on all cores.
func search(ctx context.Context, query string, in entries, from candidates) searchResult {
	n := from.count(len(in.names))
	parts := (n + stride - 1) / stride
	passed := make([][]int32, parts)
	workers := max(1, min(runtime.GOMAXPROCS(0), parts, 8))
	bests := make([][]hit, workers)
	var next, bar atomic.Int64
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			m := newMatcher(query)
			defer m.release()
			best := ranking{bar: &bar}
			for ctx.Err() == nil {
				part := int(next.Add(1)) - 1
				if part >= parts {
					break
				}
				passed[part] = best.searchRange(m, in, from, part*stride, min(n, (part+1)*stride))
			}
			bests[w] = best.hits
		})
	}
	wait.Wait()
	s := searchResult{best: slices.Concat(bests...), all: slices.Concat(passed...)}
	slices.SortFunc(s.best, better)
	s.best = s.best[:min(len(s.best), MaxMatches)]
	return s
}

// searchRange searches some of the candidates and returns those that passed the sieve.
func (r *ranking) searchRange(m *matcher, in entries, from candidates, begin, end int) (passed []int32) {
	s := newSieve(m.pattern)
	bar := r.bar.Load()
	for i := begin; i < end; i++ {
		at := from.at(i)
		t := &in.traits[at]
		if !s.passes(t) {
			continue
		}
		passed = append(passed, at)
		most := s.atMost(t)
		if most < int(bar>>32) {
			continue
		}
		n := &in.names[at]
		if rank(most, n.Length()) < bar {
			continue
		}
		if score, ok := m.score(n); ok {
			r.add(hit{at, int32(score), int32(n.Length())})
			bar = r.bar.Load()
		}
	}
	return passed
}

// rank combines a score and a length in one number: higher is better.
func rank(score, length int) int64 { return int64(score)<<32 | int64(1<<31-length) }

// ranking keeps the best hits, in order. All rankings of a search share the bar: the
// standing that enough hits have reached.
type ranking struct {
	hits []hit
	bar  *atomic.Int64
}

func (r *ranking) add(h hit) {
	if len(r.hits) == MaxMatches && better(h, r.hits[MaxMatches-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(r.hits, h, better)
	if len(r.hits) == MaxMatches {
		r.hits = r.hits[:MaxMatches-1]
	}
	r.hits = slices.Insert(r.hits, at, h)
	if len(r.hits) < MaxMatches {
		return
	}
	last := r.hits[MaxMatches-1]
	for mine := rank(int(last.score), int(last.length)); ; {
		if bar := r.bar.Load(); bar >= mine || r.bar.CompareAndSwap(bar, mine) {
			return
		}
	}
}

// matches returns the best with the runes that matched.
func (s searchResult) matches(query string, in entries) []Match {
	m := newMatcher(query)
	defer m.release()
	out := make([]Match, 0, len(s.best))
	for _, h := range s.best {
		marks := m.marks(&in.names[h.name])
		slices.Sort(marks)
		out = append(out, Match{string(in.paths[h.name]), marks})
	}
	return out
}

// top returns what is in the root itself, directories first, by name.
func top(ctx context.Context, paths [][]byte) []Match {
	var out []Match
	for i, p := range paths {
		if i%(16*stride) == 0 && ctx.Err() != nil {
			return nil
		}
		if at := bytes.IndexByte(p, '/'); at < 0 || at == len(p)-1 {
			out = append(out, Match{Path: string(p)})
		}
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(kind(a), kind(b)), strings.Compare(a.Path, b.Path))
	})
	return out[:min(len(out), MaxMatches)]
}

// kind orders directories before files.
func kind(m Match) int {
	if strings.HasSuffix(m.Path, "/") {
		return 0
	}
	return 1
}
