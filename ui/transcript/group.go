package transcript

import (
	"fmt"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/text"
	"parley/internal/words"
)

// Reads that follow each other share a line with the names of the files, and so do
// searches, until the line is opened. It is the row of the first call of the group;
// the others have none.

// groupSpan bounds the work of finding a group: none goes across an index that is a
// multiple of it.
const groupSpan = 64

// group is a run of calls: items from first up to end.
type group struct{ first, end int }

// groupOf returns the group of an item, and whether the calls share a line.
func (l *layout) groupOf(i int) (g group, folded bool) {
	g = group{i, i + 1}
	items := l.thread.Items
	if l.density == Everything || !l.groups(items[i]) {
		return g, false
	}
	lowest := max(l.written, i-i%groupSpan)
	for p := i - 1; p >= lowest && l.sharesLine(items[p], items[i]); p-- {
		if !silent(items[p]) {
			g.first = p
		}
	}
	highest := min(len(items), lowest-lowest%groupSpan+groupSpan)
	for p := i + 1; p < highest && l.sharesLine(items[p], items[i]); p++ {
		if !silent(items[p]) {
			g.end = p + 1
		}
	}
	return g, g.end-g.first > 1 && !l.unfolded(g)
}

// groups reports whether a call can share a line: a read or a search of which there
// is nothing to say but its name.
func (l *layout) groups(it *thread.Item) bool {
	if it.Kind != thread.ToolCall || it.Tool.Kind != "read" && it.Tool.Kind != "search" || it.Tool.Trust >= thread.Unasked || it.Blank() {
		return false
	}
	for _, c := range it.Tool.Content {
		if c.Content == nil {
			return false
		}
	}
	switch it.Tool.State() {
	case thread.ToolDone:
		return true
	case thread.ToolPending, thread.ToolRunning:
		return !it.Tool.Asked && l.live(it)
	}
	return false
}

// sharesLine reports whether it can be in a group with another call, or is between
// calls of one.
func (l *layout) sharesLine(it, with *thread.Item) bool {
	return silent(it) || l.groups(it) && it.Tool.Kind == with.Tool.Kind
}

// unfolded reports whether a group was opened, or one of its calls is.
func (l *layout) unfolded(g group) bool {
	if l.peek > g.first && l.peek <= g.end {
		return true
	}
	if len(l.unfold)+len(l.choices) == 0 {
		return false
	}
	for i := g.first; i < g.end; i++ {
		if l.unfold[i] || l.choices[i] {
			return true
		}
	}
	return false
}

// members returns the calls that the line of an item names; nil if it is that of one
// call.
func (l *layout) members(i int) (calls []*thread.Item) {
	g, folded := l.groupOf(i)
	if !folded || i != g.first {
		return nil
	}
	for _, it := range l.thread.Items[g.first:g.end] {
		if !silent(it) {
			calls = append(calls, it)
		}
	}
	return calls
}

// hidden is what shared returns for an item that the line of another one names.
const hidden = -1

// shared returns a number that changes when the line of a group does, for its first
// call, and whether any of the calls is live. It is 0 for an item that shares no line.
func (l *layout) shared(i int) (changes int, live bool) {
	g, folded := l.groupOf(i)
	if !folded {
		return 0, false
	}
	if i != g.first {
		return hidden, false
	}
	for _, it := range l.thread.Items[g.first:g.end] {
		changes += it.Version + 1
		live = live || l.live(it)
	}
	return changes*(groupSpan+1) + g.end - g.first, live
}

// openGroup opens the group that an item is folded into. It returns false if it is in
// none.
func (l *layout) openGroup(i int) bool {
	if _, folded := l.groupOf(i); !folded {
		return false
	}
	if l.unfold == nil {
		l.unfold = map[int]bool{}
	}
	l.unfold[i] = true
	return true
}

// closeGroup closes the group that item i is the first call of, and the item. It
// returns false if there is no such group.
func (l *layout) closeGroup(i int) bool {
	g, _ := l.groupOf(i)
	if g.first != i || g.end-g.first == 1 {
		return false
	}
	for k := g.first; k < g.end; k++ {
		delete(l.unfold, k)
	}
	delete(l.choices, i)
	return true
}

// groupHead is the one line of a folded group: sign, verb, names.
func (p *pen) groupHead() string {
	ink, sign, took := p.th.Good, "✓", ""
	names := make([]string, len(p.group))
	for n, it := range p.group {
		call := *p
		call.it, call.group = it, nil
		names[n] = words.FirstLine(call.subject())
		if it.Tool.Live() {
			call.live = true
			ink, sign, _ = call.sign()
			took = p.th.Dim.Paint(call.took())
		}
	}
	start := p.headStart(ink, sign, describe.Verb(p.it.Tool))
	room := max(1, p.width-text.Width(start)-text.Width(pad(took)))
	more := ""
	if n := len(names) - 1; n > 0 {
		more = fmt.Sprintf("+%d", n)
	}
	line := text.Truncate(names[0], max(1, room-len(pad(more))), "…")
	for n, name := range names[1:] {
		after := ""
		if left := len(names) - n - 2; left > 0 {
			after = fmt.Sprintf("+%d", left)
		}
		if text.Width(line)+text.Width(pad(name))+len(pad(after)) > room {
			break
		}
		line, more = line+pad(name), after
	}
	return text.Truncate(start+line+pad(p.th.Dim.Paint(more))+pad(took), p.width, "…")
}
