package transcript

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/thread"
	"parley/ui/theme"
	"parley/ui/transcript/markdown"
)

// maxCached bounds, in bytes, the rows that are kept and the other data of their
// entries: some 200 screens. Rows out of sight are dropped first.
const maxCached = 2 << 20

// layout implements rows for the items of a thread. It makes rows on demand, and keeps
// them until what they depend on (key) changes.
type layout struct {
	look
	detail
	thread *thread.Thread
	cache  cache

	entries  map[int]*entry
	cached   int // about how many bytes were added to entries since some were last dropped
	looks    int // counts changes of width and theme
	renderer *markdown.Renderer
	// wideRenderer draws blocks that are not wrapped.
	wideRenderer *markdown.Renderer
	written      int // items before it were handed out (see Written): no group has any of them
	rendered     int // segments rendered so far, for tests that count work
}

func newLayout(t *thread.Thread, cwd string, th *theme.Theme) *layout {
	return &layout{look: look{th: th, cwd: cwd, now: time.Now()}, thread: t, entries: map[int]*entry{}}
}

// afresh returns the same layout of t with nothing drawn yet.
func (l *layout) afresh(t *thread.Thread) *layout {
	f := newLayout(t, l.cwd, l.th)
	f.look, f.detail = l.look, l.detail
	f.choices, f.unfold = maps.Clone(l.choices), maps.Clone(l.unfold)
	return f
}

// setWidth lays everything out in so many cells.
func (l *layout) setWidth(width int) {
	if width == l.width {
		return
	}
	l.width, l.columns = width, max(20, width-len(bodyInset))
	l.relook()
}

func (l *layout) setTheme(th *theme.Theme) {
	l.th = th
	l.relook()
}

// relook makes all rows outdated. Nothing is parsed or compared again.
func (l *layout) relook() { l.looks, l.renderer = l.looks+1, nil }

// busy reports whether the session is working. Only then can calls and thoughts be
// live.
func (l *layout) busy() bool { return l.thread.State != thread.Idle && l.thread.State != thread.Ended }

// live reports whether an item shows a running time or a spinner.
func (l *layout) live(it *thread.Item) bool {
	switch it.Kind {
	case thread.ThoughtMessage:
		return l.busy() && it.Index == len(l.thread.Items)-1
	case thread.ToolCall:
		return l.busy() && it.Turn == l.thread.Turn && it.Tool.Live() && !it.Tool.StillRunning
	case thread.ShellCommand:
		return it.Shell.Live() && it.Shell.Err == nil
	case thread.Notice:
		return it.Subagent != nil && it.Subagent.Runs() && l.thread.State != thread.Ended
	}
	return false
}

// grows reports whether an item is a message to which more may come. The end of one that was stopped is drawn
// like that of one that is complete.
func (l *layout) grows(it *thread.Item) bool {
	return it.Kind == thread.AgentMessage && l.busy() && it.Index == len(l.thread.Items)-1
}

// pen returns a pen for an item.
func (l *layout) pen(it *thread.Item) *pen {
	return &pen{look: l.look, extent: l.shown(it.Index), it: it, thread: l.thread, live: l.live(it), group: l.members(it.Index), cache: &l.cache}
}

func (l *layout) items() []*thread.Item {
	if l.width <= 0 {
		return nil
	}
	return l.thread.Items
}

func (l *layout) segments(i int) int { return len(l.entry(i).segs) }

func (l *layout) segment(i, k int) []string { return l.ready(i, k, nil).rows }

func (l *layout) gap(i int) int {
	if len(l.segment(i, 0)) > 0 && l.entries[i].parted {
		return 1
	}
	return 0
}

func (l *layout) span(i, k int) (start, end int) {
	e := l.entry(i)
	switch {
	case len(e.segs) == 1:
		return 0, len(e.item.Text)
	case e.item.Kind != thread.AgentMessage:
		return e.plain.span(k)
	case k < e.stream.Len():
		return e.stream.Span(k)
	}
	_, start = e.stream.Span(e.stream.Len() - 1)
	return start, len(e.item.Text)
}

// entry returns the entry of an item, up to date, though its segments may have no
// rows yet.
func (l *layout) entry(i int) *entry {
	it := l.thread.Items[i]
	shared, live := l.shared(i)
	now := key{version: it.Version, looks: l.looks, extent: l.shown(i), shared: shared, live: live || l.live(it), grows: l.grows(it), earlier: i < l.thread.First()}
	if now.live {
		now.ticks = l.ticks
	}
	e := l.entries[i]
	if e == nil {
		e = &entry{item: it, key: key{version: -1}}
		l.entries[i] = e
		l.cached += entryWeight
	}
	if e.key != now {
		l.cached += e.refresh(now)
	}
	return e
}

// ready returns a segment with its rows, which it makes if necessary. code is the
// code of the segment that was analysed.
func (l *layout) ready(i, k int, code []*markdown.Listing) *segment {
	e := l.entry(i)
	s := e.segs[k]
	if s == nil {
		s = &segment{}
		e.segs[k] = s
	}
	parted := k == 0 && l.parted(i) // depends on the item before, which may have changed
	if s.done && parted == (e.parted && k == 0) {
		return s
	}
	l.rendered++
	s.done = true
	l.cached -= weight(s.rows)
	if parted != e.parted || !l.ticked(e, s) {
		rows := l.draw(e, s, k, code)
		if k == 0 {
			e.parted = parted
		}
		if parted && len(rows) > 0 {
			rows = append([]string{""}, rows...)
		}
		s.rows, s.made = rows, e.key
	}
	s.text = nil
	l.cached += weight(s.rows)
	return s
}

// draw draws segment k of an item.
func (l *layout) draw(e *entry, s *segment, k int, code []*markdown.Listing) (rows []string) {
	s.uncoloured = nil
	switch {
	case e.item.Blank(), e.key.shared == hidden:
	case e.item.Kind == thread.AgentMessage:
		var missing []*markdown.Listing
		if e.key.closed() {
			rows, missing = l.closedMessage(e, code)
		} else {
			rows, missing = l.block(e, k, code)
		}
		if len(missing) > 0 {
			s.uncoloured = []*Colouring{{item: e.item.Index, seg: k, code: missing}}
		}
	default:
		p := l.pen(e.item)
		if pieced(e.item, p.extent) {
			rows = p.piece(e.plain, k)
		} else {
			rows, s.uncoloured = p.item(), p.uncoloured
		}
	}
	if e.key.earlier {
		s.uncoloured = nil
		rows = l.dimmed(rows)
	}
	return rows
}

// dimmed returns rows in one dim ink. The first cell, where a selection puts its mark, stays as it is.
func (l *layout) dimmed(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		r = strings.TrimRight(ansi.Strip(r), " ")
		if rest, ok := strings.CutPrefix(r, userBar); ok {
			out[i] = l.th.UserBar.Paint(userBar) + l.th.Dim.Paint(rest)
		} else {
			rest := strings.TrimPrefix(r, " ")
			out[i] = r[:len(r)-len(rest)] + l.th.Dim.Paint(rest)
		}
	}
	return out
}

// ticked redraws the first row of a call if only the clock has changed.
func (l *layout) ticked(e *entry, s *segment) bool {
	it, at := e.item, 0
	if e.parted {
		at = 1
	}
	made := s.made
	made.ticks = e.key.ticks
	if !e.key.live || made != e.key || at >= len(s.rows) || it.Kind == thread.ThoughtMessage {
		return false
	}
	switch p := l.pen(it); it.Kind {
	case thread.ToolCall:
		s.rows[at], _ = p.toolHead()
	case thread.Notice:
		s.rows[at] = p.subagent()
	default:
		s.rows[at] = p.shellHead()
	}
	s.made = e.key
	return true
}

// block draws block k of a message; missing is the code that was drawn without
// colours.
func (l *layout) block(e *entry, k int, code []*markdown.Listing) (rows []string, missing []*markdown.Listing) {
	if l.renderer == nil {
		l.renderer = markdown.NewRenderer(max(1, min(l.width-len(indent), maxProse)), l.th)
	}
	b := e.block(k)
	b.Open = b.Open && e.key.grows
	rendered, missing := l.renderer.Draw(b, code)
	if len(rendered) == 0 {
		return nil, missing
	}
	rows = make([]string, 0, len(rendered)+1)
	if k > 0 && !b.Continued {
		rows = append(rows, "")
	}
	was := e.before(k)
	for _, r := range rendered {
		if n := len(rows); n < len(was) && strings.HasPrefix(was[n], indent) && was[n][len(indent):] == r {
			rows = append(rows, was[n])
			continue
		}
		rows = append(rows, indent+r)
	}
	return rows, missing
}

// parted reports whether a blank row comes before an item. None comes between tool
// calls and what belongs to them: the message or the thought that introduces them, too.
// None follows a prompt, which has a ground of its own.
func (l *layout) parted(i int) bool {
	is := l.thread.Items[i].Kind
	for p := i - 1; p >= 0; p-- {
		it := l.thread.Items[p]
		if silent(it) || it.Kind == thread.ThoughtMessage && l.muted(p) {
			continue
		}
		if it.Kind == thread.UserMessage && is != thread.UserMessage && is != thread.ThoughtMessage {
			return false
		}
		introduces := it.Kind == thread.AgentMessage || it.Kind == thread.ThoughtMessage
		return !callLike(is) || !callLike(it.Kind) && !introduces
	}
	return false
}

func callLike(k thread.Kind) bool {
	switch k {
	case thread.ToolCall, thread.Decision, thread.Notice, thread.Attachment:
		return true
	}
	return false
}

// muted reports whether a thought is not shown: with the density Quiet, after it has ended.
func (l *layout) muted(i int) bool { return l.shown(i).muted() && !l.live(l.thread.Items[i]) }

// silent reports whether an item has no rows.
func silent(it *thread.Item) bool {
	return it.Blank() || it.Kind == thread.Decision && it.OnCall || it.Kind == thread.TurnEnd && it.End.Err == nil && !it.End.Empty && !it.End.NoReason && (it.End.StopReason == "end_turn" || it.End.StopReason == "")
}

// toggle opens or closes an item, or the group that it is folded into, whichever
// changes how it looks. An open item shows everything, as the density Everything
// does; a closed one as little as identifies it. toggle returns false if neither
// makes a difference.
func (l *layout) toggle(i int) bool {
	try := []bool{true, false}
	if l.openGroup(i) || l.shown(i).open() && l.closeGroup(i) {
		return true
	}
	if now := l.shown(i); now.chosen {
		l.choose(i, !now.choice)
		return true
	}
	if l.thread.Items[i].Kind == thread.AgentMessage { // all of a message is shown, unless it was closed
		try = []bool{false}
	}
	rows := l.segment(i, 0)
	for _, open := range try {
		if l.choose(i, open); !slices.Equal(l.segment(i, 0), rows) {
			return true
		}
	}
	delete(l.choices, i)
	return l.closeGroup(i)
}

// evict drops rows that are far from the window, once enough have been made since
// the last time.
func (l *layout) evict(top place, height int) {
	if l.cached <= maxCached {
		return
	}
	l.cached = 0
	for i, e := range l.entries {
		if i < top.item || i > top.item+height {
			delete(l.entries, i)
			continue
		}
		// A message longer than all that may be kept: its rows far from the
		// reader go, its blocks stay.
		for k := range e.segs {
			if i == top.item && (k < top.seg || k > top.seg+height) {
				e.segs[k] = nil
			}
		}
	}
}
