package transcript

import (
	"time"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
)

// subagent draws the row of a sub-agent: its state, its title and what it does now, how many lines it has
// changed, its tokens and its time.
func (p *pen) subagent() string {
	s := p.it.Subagent
	ink, sign, word := p.subagentSign(s)
	trust := ""
	if s.Thread.Unasked+s.Thread.RanDenied > 0 {
		trust = p.th.Warn.Paint("unasked")
	}
	tokens := ""
	if used := s.Thread.Usage.Used; used > 0 {
		tokens = p.th.Dim.Paint(words.Tokens(used) + " tokens")
	}
	counts := ""
	if c := p.cache.tally(s.Thread, p); c.added+c.removed > 0 {
		counts = p.changed(c.added, c.removed)
	}
	took := ""
	if d := s.Duration(p.now); d >= time.Second {
		took = p.th.Dim.Paint(text.Seconds(d))
	}
	subject := words.OneLine(s.Label())
	if now := describe.Subagent(s, p.cwd); s.Runs() && now != s.State() {
		subject += " · " + now
	}
	row, _ := p.fit(p.headStart(ink, sign, "Sub-agent"), subject, max(leastSubject, min(text.Width(s.Label()), leastSaid)), []string{"", counts, tokens, "", word, trust, took}, "")
	return row
}

// subagentSign returns the state of a sub-agent as a sign and, where the sign could be missed, a word.
func (p *pen) subagentSign(s *thread.Subagent) (ink theme.Ink, sign, word string) {
	state := s.State()
	switch {
	case s.Runs():
		if state != "running" {
			return p.th.Warn, "?", p.th.Warn.Paint(state)
		}
		if !p.live {
			return p.th.Accent, spinner[0], ""
		}
		return p.th.Accent, spinner[p.ticks%len(spinner)], ""
	case state == "done":
		return p.th.Good, "✓", ""
	case state == "failed":
		return p.th.Bad, "✗", p.th.Bad.Paint(state)
	case state == "cancelled":
		return p.th.Warn, "⊘", p.th.Warn.Paint(state)
	}
	return p.th.Dim, "·", p.th.Dim.Paint(state)
}

// tally is how many lines the calls of a thread have changed before item next, where one still runs.
type tally struct{ next, added, removed int }

// tally counts the lines that a thread has changed. A call that has ended before all that run is looked at once.
func (c *cache) tally(t *thread.Thread, p *pen) tally {
	sum := c.tallies.get(t, maxTallies, func() tally { return tally{} })
	running := false
	for i, it := range t.Items[sum.next:] {
		if it.Tool != nil && it.Tool.Live() && !running {
			running = true
			sum.next += i
			c.tallies.put(t, maxTallies, sum)
		}
		if it.Tool != nil && it.Tool.State() == thread.ToolDone {
			call := *p
			call.it = it
			added, removed, _ := call.lines()
			sum.added, sum.removed = sum.added+added, sum.removed+removed
		}
	}
	if !running {
		sum.next = len(t.Items)
		c.tallies.put(t, maxTallies, sum)
	}
	return sum
}
