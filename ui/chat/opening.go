package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley/acpclient/thread"
	"parley/ui/widget"
)

// How much is shown of a prompt, in rows.
const (
	maxPrompt    = 12
	closedPrompt = 3
)

// Toggle opens the selected item, or closes it: open shows all of it, as the
// density Everything does; closed the least there is that says what it is. Of
// the two it takes the one that looks different from now. It returns false where
// there is none: all of the item is in its one line.
func (v *View) Toggle() bool {
	it := v.Selected()
	return it != nil && v.toggle(it.Index)
}

// toggle opens or closes an item.
func (v *View) toggle(i int) bool {
	it := v.thread.Items[i]
	was, chosen := v.choices[i]
	try := []bool{true, false}
	if chosen {
		try = []bool{!was}
	} else if it.Kind == thread.AgentMessage { // all of a message is shown, unless it was closed
		try = []bool{false}
	}
	hidden := v.start(i).before(v.top)
	rows := v.segment(i, 0)
	for _, open := range try {
		v.choose(i, open)
		if chosen || !slices.Equal(v.segment(i, 0), rows) {
			if hidden {
				v.top = v.start(i)
			}
			if v.selection.on {
				v.settleOn(i)
			}
			v.dirty = true
			return true
		}
	}
	delete(v.choices, i)
	v.entries[i].stale()
	return false
}

// choose opens or closes one item.
func (v *View) choose(i int, open bool) {
	if v.choices == nil {
		v.choices = map[int]bool{}
	}
	v.choices[i] = open
	v.entry(i).stale()
}

// stale says that an item has to be rendered again, though it has not changed.
func (e *entry) stale() { e.version, e.segs = -1, nil }

// open tells whether everything of an item is to be shown.
func (v *View) open(i int) bool {
	if v.peek == i+1 {
		return true
	}
	if open, ok := v.choices[i]; ok {
		return open
	}
	return v.density == Everything
}

// opened tells whether an item was opened by itself.
func (v *View) opened(i int) bool { return v.choices[i] || v.peek == i+1 }

// closed tells whether an item was closed by itself.
func (v *View) closed(i int) bool {
	open, ok := v.choices[i]
	return ok && !open && v.peek != i+1
}

// quiet tells whether as little as possible of an item is to be shown.
func (v *View) quiet(i int) bool {
	if v.peek == i+1 {
		return false
	}
	if open, ok := v.choices[i]; ok {
		return !open
	}
	return v.density == Quiet
}

// maxBlank is how many blocks are looked at for the first row of a message.
const maxBlank = 16

// closedMessage is the first row of a message and how much there is besides. The
// rows of later blocks are not counted, only the lines of their source: what
// nobody looks at is not rendered.
func (v *View) closedMessage(e *entry) []string {
	rows, k := e.head, e.headAt
	if rows == nil {
		for k = range min(e.count(), maxBlank) {
			if rows = v.block(e, k); len(rows) > 0 {
				break
			}
		}
		if k < e.stream.Len() && len(rows) > 0 { // the block is closed: it stays as it is
			e.head, e.headAt = rows, k
		}
	}
	if len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	if len(rows) == 0 && e.count() <= maxBlank {
		return nil
	}
	if len(rows) == 0 {
		rows = []string{indent + "…"}
	}
	out := []string{rows[0]}
	if n := len(rows) - 1 + e.linesBehind(k); n > 0 {
		out = append(out, indent+v.th.Dim.Paint(widget.Truncate(more(n), v.width-len(indent), "…")))
	}
	return out
}

// linesBehind counts the lines of a message behind its k-th block.
func (e *entry) linesBehind(k int) int {
	if k+1 >= e.count() {
		return 0
	}
	n := e.lines
	if k = min(k, e.stream.Len()-1); k >= 0 {
		_, end := e.stream.Span(k)
		n -= bytes.Count(e.item.Text[:end], newline)
	}
	if !bytes.HasSuffix(e.item.Text, newline) {
		n++
	}
	return n
}

// more is the row that stands for n lines that are not shown.
func more(n int) string {
	if n == 1 {
		return "▸ 1 more line"
	}
	return fmt.Sprintf("▸ %d more lines", n)
}

// detail shows what a notice keeps back: JSON broken into lines, else the text,
// on a bounded number of rows.
func (v *View) detail(text string) []string {
	var rows []string
	left := 0
	for depth, line := range pretty(text) {
		if len(rows) >= maxShown {
			left++
			continue
		}
		before := indent + indent + strings.Repeat("  ", min(depth, maxDepth, v.width/8))
		rows = append(rows, paint(v.th.Faint, before, line, v.width)...)
	}
	left += max(0, len(rows)-maxShown)
	rows = rows[:min(len(rows), maxShown)]
	if left > 0 {
		rows = append(rows, indent+indent+v.th.Dim.Paint(widget.Truncate(more(left), v.width-2*len(indent), "…")))
	}
	return rows
}

// maxDepth is how far JSON is indented, in levels: how deep it goes is the
// agent's choice.
const maxDepth = 8

// pretty breaks JSON into its lines and tells how deep each stands; what is not
// JSON stays as it is.
func pretty(text string) iter.Seq2[int, string] {
	var flat bytes.Buffer
	if t := strings.TrimSpace(text); len(t) > hugeDiff || !strings.HasPrefix(t, "{") && !strings.HasPrefix(t, "[") || json.Indent(&flat, []byte(t), "", "") != nil {
		text = text[:min(len(text), hugeDiff)]
		return func(yield func(int, string) bool) { yield(0, strings.ToValidUTF8(text, "")) }
	}
	return func(yield func(int, string) bool) {
		depth := 0
		for line := range strings.SplitSeq(flat.String(), "\n") {
			// A line that begins or ends with a brace says so itself: one inside a
			// string stands between quotes.
			if strings.HasPrefix(line, "}") || strings.HasPrefix(line, "]") {
				depth--
			}
			if !yield(depth, line) {
				return
			}
			if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") {
				depth++
			}
		}
	}
}
