package list

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// recent is the index of a List of very many items, the newest first. With it a key takes
// less than a frame.
type recent struct {
	lower   []string // the titles
	has     []letters
	all     []int
	filter  string // that inside and loose are for
	inside  []int  // items that contain every word, in order
	loose   []int  // items that only contain the letters of every word in order
	loosely bool   // loose was computed
}

// NewRecent returns a List for very many items, the newest first. Items that contain the
// words come first, then those that contain their letters in order. Details are not
// searched.
func NewRecent(items []Item) *List {
	l := &List{recent: &recent{}}
	l.SetItems(items)
	return l
}

func (r *recent) set(items []Item) {
	*r = recent{lower: make([]string, len(items)), has: make([]letters, len(items)), all: make([]int, len(items))}
	for i, it := range items {
		r.lower[i], r.all[i] = strings.ToLower(it.Title), i
		r.has[i].add(r.lower[i])
	}
}

// find returns the items that pass a filter. If the filter extends the previous one, it
// looks only at the items that passed that. loose is empty if enough items contain the
// words.
func (r *recent) find(filter string) (inside, loose []int) {
	terms := strings.Fields(strings.ToLower(filter))
	if len(terms) == 0 {
		r.filter, r.inside, r.loose, r.loosely = "", nil, nil, false
		return nil, nil
	}
	var need letters
	for _, t := range terms {
		need.add(t)
	}
	grown := r.filter != "" && strings.HasPrefix(filter, r.filter)
	was, wasLoose, loosely := r.inside, r.loose, r.loosely && grown
	if !grown {
		was = r.all
	}
	r.filter, r.inside, r.loose = filter, nil, nil
	for _, i := range was {
		if r.has[i].pairsOf(&need) && holds(r.lower[i], terms, strings.Contains) {
			r.inside = append(r.inside, i)
		}
	}
	if !loosely {
		was, wasLoose = r.all, nil
	}
	if r.loosely = len(r.inside) < enough; r.loosely {
		both(was, wasLoose, func(i int) {
			if r.has[i].singly&need.singly == need.singly && holds(r.lower[i], terms, inOrder) && !holds(r.lower[i], terms, strings.Contains) {
				r.loose = append(r.loose, i)
			}
		})
	}
	return r.inside, r.loose
}

// enough is how many items must contain the words for find to skip those that only contain
// the letters.
const enough = 100

// both calls f with the numbers of two sorted lists in order.
func both(a, b []int, f func(int)) {
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
			f(a[0])
			a = a[1:]
		} else {
			f(b[0])
			b = b[1:]
		}
	}
}

// letters is a filter of a few bits for the letters and the pairs of adjacent letters in a
// text. It rules most texts out cheaply.
type letters struct {
	singly uint64
	pairs  [2]uint64
}

func (l *letters) add(text string) {
	for i := range len(text) {
		l.singly |= 1 << (text[i] % 64)
		if i > 0 {
			h := (uint32(text[i-1])*31 + uint32(text[i])) * 2654435761 >> 25 // 0 to 127
			l.pairs[h/64] |= 1 << (h % 64)
		}
	}
}

func (l *letters) pairsOf(need *letters) bool {
	return l.pairs[0]&need.pairs[0] == need.pairs[0] && l.pairs[1]&need.pairs[1] == need.pairs[1] && l.singly&need.singly == need.singly
}

func holds(text string, terms []string, has func(text, term string) bool) bool {
	for _, t := range terms {
		if !has(text, t) {
			return false
		}
	}
	return true
}

// inOrder reports whether text contains the letters of term in order.
func inOrder(text, term string) bool {
	for _, r := range term {
		i := 0
		if r < utf8.RuneSelf {
			i = strings.IndexByte(text, byte(r))
		} else {
			i = strings.IndexRune(text, r)
		}
		if i < 0 {
			return false
		}
		text = text[i+utf8.RuneLen(r):]
	}
	return true
}

// refilterRecent is refilter for a list made by NewRecent.
func (l *List) refilterRecent() {
	if len(filterTerms(l.filter)) == 0 {
		l.recent.find("")
		l.shown = slices.Grow(l.shown, len(l.items))
		for i := range l.items {
			l.shown = append(l.shown, hit{item: i})
		}
		return
	}
	inside, loose := l.recent.find(l.filter)
	l.shown = slices.Grow(l.shown, len(inside)+len(loose))
	for _, i := range inside {
		l.shown = append(l.shown, hit{item: i})
	}
	for _, i := range loose {
		l.shown = append(l.shown, hit{item: i})
	}
}

// marksOf returns the marks of a hit. A list made by NewRecent computes them only for what
// is drawn.
func (l *List) marksOf(h hit) []int {
	terms := filterTerms(l.filter)
	if l.recent == nil || len(terms) == 0 {
		return h.marks
	}
	_, marks, _ := match(terms, lowerRunes(l.items[h.item].Title))
	return marks
}
