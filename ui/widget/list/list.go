// Package list is a list to choose from that typing filters.
package list

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/theme"
)

// Item is one line of a List. All texts are plain.
type Item struct {
	Title  string // searched first, always shown
	Path   bool   // Title is a path: if it is too long its beginning is cut
	Detail string // dim, in a column beside the titles; searched too
	More   string // fainter, beside the detail; searched too
	Hint   string // dim, at the right edge: a key, a time
	// Section is the heading above the item if it differs from that of the item before. With a
	// filter there are no headings, and an item without a hint shows its section instead.
	Section string
	Bad     bool  // paint Section as something that should not have happened
	Aside   bool  // only shown with a filter
	Marks   []int // indexes of runes of the title to mark while there is no filter
	// Holds reports whether text that is not shown, such as that of a session, holds a
	// lower-case word of the filter. It is asked last, and the text around the word is shown
	// instead of Detail. nil: there is no such text.
	Holds func(word string) (around string, ok bool)
	Value any
}

// List is a list that typing filters. The zero List is empty.
type List struct {
	// Ranked says that the items are in order of preference: a filter keeps that of items that match it
	// in the same way, such as those that begin with it, instead of the shortest first.
	Ranked bool
	items  []Item
	lower  [][]rune
	recent *recent // instead of lower, for a List made by NewRecent
	filter string
	shown  []hit
	Cursor int // index in shown
	Top    int // first line of the last frame, counting headings
	page   int // rows of the last frame
}

// hit is an item that passed the filter.
type hit struct {
	item, score int
	marks       []int
	around      string // the text that holds a word, if nothing shown does
}

// New returns a list of items with the first selected.
func New(items []Item) *List {
	l := &List{}
	l.SetItems(items)
	return l
}

// SetItems replaces the items. It keeps the filter, and the selection if there is an item with the same title.
func (l *List) SetItems(items []Item) {
	old, had := l.Selected()
	top := l.Top
	l.items = items
	if l.recent != nil {
		l.recent.set(items)
	} else {
		l.lower = make([][]rune, len(items))
		for i, it := range items {
			l.lower[i] = lowerRunes(it.Title)
		}
	}
	l.refilter()
	l.Top = top
	if had {
		for i, h := range l.shown {
			if it := l.items[h.item]; it.Title == old.Title && it.Section == old.Section {
				l.Cursor = i
				break
			}
		}
	}
}

// Items returns all items, also those that do not pass the filter. They belong to the list.
func (l *List) Items() []Item { return l.items }

// Filter returns what was typed.
func (l *List) Filter() string { return l.filter }

// SetFilter narrows the list to the items that hold every word of filter, best first, and selects the first.
func (l *List) SetFilter(filter string) {
	filter = strings.ReplaceAll(text.CleanInput(filter), "\n", " ")
	if filter == l.filter {
		return
	}
	l.filter = filter
	l.refilter()
}

func (l *List) refilter() {
	l.shown, l.Cursor, l.Top = l.shown[:0], 0, 0
	if l.recent != nil {
		l.refilterRecent()
		return
	}
	terms := filterTerms(l.filter)
	for i := range l.items {
		if len(terms) == 0 {
			if !l.items[i].Aside {
				l.shown = append(l.shown, hit{item: i, marks: l.items[i].Marks})
			}
			continue
		}
		score, marks, ok := match(terms, l.lower[i])
		around := ""
		if !ok {
			score, around, ok = l.items[i].matchRest(terms, l.lower[i])
		}
		if ok {
			l.shown = append(l.shown, hit{i, score, marks, around})
		}
	}
	if len(terms) > 0 {
		slices.SortStableFunc(l.shown, func(a, b hit) int { return l.rank(b) - l.rank(a) })
	}
}

// rank returns what an item that passed the filter is ordered by, the highest first.
func (l *List) rank(h hit) int {
	switch {
	case !l.Ranked:
		return h.score
	case strings.EqualFold(strings.TrimSpace(l.filter), l.items[h.item].Title):
		return scorePrefix + 1
	}
	for _, kind := range []int{scorePrefix, scoreWordStart, scoreInside} {
		if h.score > kind-mostLength-1 {
			return kind
		}
	}
	return h.score
}

// Aside returns how many items are left out because there is no filter.
func (l *List) Aside() (n int) {
	for _, it := range l.items {
		if it.Aside && strings.TrimSpace(l.filter) == "" {
			n++
		}
	}
	return n
}

// Len returns how many items pass the filter.
func (l *List) Len() int { return len(l.shown) }

// Selected returns the item under the cursor; false if the list shows none.
func (l *List) Selected() (Item, bool) {
	if l.Cursor < 0 || l.Cursor >= len(l.shown) {
		return Item{}, false
	}
	return l.items[l.shown[l.Cursor].item], true
}

// Select moves the cursor to the i-th shown item, or the nearest one.
func (l *List) Select(i int) { l.Cursor = max(min(i, len(l.shown)-1), 0) }

// Move moves the cursor by n items. A single step wraps around at the ends.
func (l *List) Move(n int) {
	switch {
	case n == -1 && l.Cursor == 0:
		l.Select(len(l.shown) - 1)
	case n == 1 && l.Cursor == len(l.shown)-1:
		l.Select(0)
	default:
		l.Select(l.Cursor + n)
	}
}

// Key handles a key of the list or its filter and reports whether it was one. The caller handles enter, esc and tab.
func (l *List) Key(k tea.KeyPressMsg) bool {
	switch k.Keystroke() {
	case "up", "ctrl+p":
		l.Move(-1)
	case "down", "ctrl+n":
		l.Move(1)
	case "pgup":
		l.Select(l.Cursor - max(l.page-1, 1))
	case "pgdown":
		l.Select(l.Cursor + max(l.page-1, 1))
	case "home":
		l.Select(0)
	case "end":
		l.Select(len(l.shown) - 1)
	case "backspace", "shift+backspace", "ctrl+h":
		if l.filter == "" {
			return false
		}
		_, n := utf8.DecodeLastRuneInString(l.filter)
		l.SetFilter(l.filter[:len(l.filter)-n])
	case "ctrl+u":
		l.SetFilter("")
	case "ctrl+w", "alt+backspace":
		f := strings.TrimRight(l.filter, " ")
		l.SetFilter(f[:strings.LastIndexByte(f, ' ')+1])
	default:
		if !layer.Printable(k) {
			return false
		}
		l.SetFilter(l.filter + k.Text)
	}
	return true
}

// FilterRow draws a prompt with the filter or the placeholder, and the count at the right: "3/120".
func (l *List) FilterRow(width int, placeholder string, th *theme.Theme) string {
	count := strconv.Itoa(len(l.shown)) + "/" + strconv.Itoa(len(l.items))
	s, ink := text.Visible(l.filter), th.Text
	room := l.filterRoom(width)
	if w := text.Width(s); w > room {
		s = text.Cut(s, w-room, w) // keep the end, where the cursor is
	}
	if s == "" {
		s, ink = text.FitHints(placeholder, room), th.Placeholder
	}
	row := th.Prompt.Paint("› ") + ink.Paint(s)
	if room < minFilterRoom {
		return text.Truncate(row, width, "")
	}
	return row + strings.Repeat(" ", room-text.Width(s)+1) + th.Faint.Paint(count)
}

// minFilterRoom is how many cells the filter must have beside the count. With fewer, the count is not shown.
const minFilterRoom = 4

func (l *List) filterRoom(width int) int {
	return max(width-2-1-len(strconv.Itoa(len(l.shown)))-1-len(strconv.Itoa(len(l.items))), 0)
}

// FilterCursor returns the column of the typing cursor in FilterRow.
func (l *List) FilterCursor(width int) int {
	return max(min(2+min(text.Width(text.Visible(l.filter)), l.filterRoom(width)), width-1), 0)
}
