package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// finding is a search of the transcript.
type finding struct {
	c       *chat
	text    string
	typing  bool // the row takes the keys
	run     *transcript.Search
	stale   bool // the transcript has changed since
	at      int  // the match that is shown, an index of its hits; -1: none yet
	now     transcript.Hit
	step    int  // where to go once all was looked at: on, or back; 0: to the first one from origin on
	waiting bool // for that
	wrapped string
	unseen  bool // the match is in what is not shown
	before  transcript.Place
	origin  int // the item to search from
}

// foundMsg is a portion that was searched.
type foundMsg struct {
	chat    *chat
	run     *transcript.Search
	portion *transcript.Portion
}

// startSearch opens the row to type into.
func (c *chat) startSearch() {
	f := &finding{c: c, typing: true, at: -1, before: c.view.Here(), origin: c.view.FirstInSight()}
	if it := c.view.Selected(); it != nil {
		f.origin = it.Index
	}
	if old := c.finding; old != nil && !old.typing {
		f.before = old.before
	}
	c.finding = f
	c.view.Mark("")
}

// endSearch takes the marks away; the reader stays where the search has led.
func (c *chat) endSearch() {
	if c.finding == nil {
		return
	}
	c.lastSearch = c.finding.text
	c.finding = nil
	c.view.Mark("")
}

// key takes all keys while the row is typed into.
func (f *finding) Key(p layer.Press) (tea.Cmd, bool) { return f.c.findKey(p), true }

func (f *finding) Paste(text string) (tea.Cmd, bool) {
	return f.c.typeSearch(f.text+text, false), true
}

func (c *chat) findKey(p layer.Press) tea.Cmd {
	f := c.finding
	switch p.Name {
	case "esc", "ctrl+c", "ctrl+g":
		c.view.Mark("")
		c.view.Back(f.before)
		c.finding = nil
	case "enter":
		if f.text == "" { // the one before, once more
			return c.typeSearch(c.lastSearch, true)
		}
		f.typing = false
	case "down", "ctrl+n":
		return c.nextMatch(1)
	case "up", "ctrl+p":
		return c.nextMatch(-1)
	case "backspace", "ctrl+h", "shift+backspace":
		if f.text == "" {
			return nil
		}
		_, n := utf8.DecodeLastRuneInString(f.text)
		return c.typeSearch(f.text[:len(f.text)-n], false)
	case "ctrl+u":
		return c.typeSearch("", false)
	case "ctrl+w", "alt+backspace":
		text := strings.TrimRight(f.text, " ")
		return c.typeSearch(text[:strings.LastIndexByte(text, ' ')+1], false)
	default:
		if p.Text != "" {
			return c.typeSearch(f.text+p.Text, false)
		}
		switch p.Want {
		case intent.PageUp, intent.PageDown, intent.ScrollUp, intent.ScrollDown, intent.Home, intent.End:
			cmd, _ := c.do(p.Want)
			return cmd
		}
	}
	return nil
}

// typeSearch searches for another text, from where the search began.
func (c *chat) typeSearch(text string, keep bool) tea.Cmd {
	f := c.finding
	const most = 1000 // of what is searched for, in bytes
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	if len(text) > most || text == "" && keep {
		return nil
	}
	f.text, f.at, f.wrapped, f.unseen, f.step, f.waiting = text, -1, "", false, 0, text != ""
	f.typing = f.typing && !keep
	c.view.Back(f.before)
	c.view.Mark(text)
	return c.search1()
}

// search1 searches the transcript from its beginning.
func (c *chat) search1() tea.Cmd {
	c.finding.run, c.finding.stale = c.view.Find(c.finding.text), false
	return c.searchOn()
}

// searchOn searches the next portion on a goroutine of its own.
func (c *chat) searchOn() tea.Cmd {
	run := c.finding.run
	p := run.Portion()
	if p == nil {
		return nil
	}
	return func() tea.Msg {
		p.Run()
		return foundMsg{c, run, p}
	}
}

// handle takes what a portion has brought, and goes to a match as soon as it is
// known which.
func (msg foundMsg) handle(*Model) tea.Cmd {
	c, f := msg.chat, msg.chat.finding
	if f == nil || f.run != msg.run {
		return nil // of a search that nobody wants any more
	}
	f.run.Take(msg.portion)
	if f.waiting {
		c.goToMatch()
	}
	return c.searchOn()
}

// goToMatch goes where the search wants to, if that is known already.
func (c *chat) goToMatch() {
	f := c.finding
	hits, done := f.run.Hits(), f.run.Done()
	at, wrapped := 0, ""
	switch {
	case f.step == 0:
		at = f.run.From(f.origin)
	case f.step > 0:
		at = f.run.After(f.now)
	default:
		if !done {
			return
		}
		at = f.run.After(f.now) - 1
		if at >= 0 && hits[at] == f.now {
			at--
		}
	}
	if at >= len(hits) || at < 0 {
		if !done {
			return
		}
		wrapped = "wrapped"
		if at < 0 {
			at = len(hits) - 1
		} else {
			at = 0
		}
	}
	f.waiting = false
	if len(hits) == 0 {
		f.at = -1
		return
	}
	f.at, f.now, f.wrapped = at, hits[at], wrapped
	f.unseen = !c.view.Show(f.now)
}

// nextMatch goes to the next match, or to the one before.
func (c *chat) nextMatch(step int) tea.Cmd {
	f := c.finding
	if f == nil {
		if c.lastSearch == "" {
			return c.say(c.m.Keys.Label(intent.Transcript, intent.Search) + " searches")
		}
		c.startSearch()
		cmd := c.typeSearch(c.lastSearch, true)
		return cmd
	}
	if f.text == "" || f.at < 0 && f.run != nil && f.run.Done() && !f.stale {
		return nil
	}
	f.step, f.waiting = step, true
	if f.at < 0 {
		f.step = 0
	}
	if f.stale {
		return c.search1()
	}
	c.goToMatch()
	return nil
}

// findRows is how many rows of the transcript the search takes.
func (c *chat) findRows(top int) int {
	if c.finding == nil || top < 3 {
		return 0
	}
	return 1
}

// findRow is the row of the search, and where in it the cursor stands.
func (c *chat) findRow(width int) (string, int) {
	th, f := c.m.Theme, c.finding
	right := c.findWord()
	if !f.typing {
		keys := func(i intent.Intent) string { return c.m.Keys.Label(intent.Transcript, i) }
		if hint := keys(intent.SearchNext) + " " + keys(intent.SearchPrevious) + " · esc"; widget.Width(right+hint)+20 < width {
			right += " · " + hint
		}
	}
	right = widget.Truncate(right, max(0, width-8), "…")
	room := max(1, width-widget.Width(right)-5)
	text := strings.ReplaceAll(f.text, "\t", " ")
	for widget.Width(text) > room { // the end is where one types
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	row := " " + th.Prompt.Paint("/") + " " + th.Text.Paint(text)
	cursor := 3 + widget.Width(text)
	return row + strings.Repeat(" ", max(1, width-1-cursor-widget.Width(right))) + th.Dim.Paint(right), min(cursor, width-1)
}

// findWord says how far the search is.
func (c *chat) findWord() string {
	f := c.finding
	if f.run == nil || f.text == "" {
		return "type to search; a capital counts"
	}
	hits := f.run.Hits()
	count := fmt.Sprint(len(hits))
	switch {
	case f.run.More:
		count = "more than " + count
	case !f.run.Done():
		count += fmt.Sprintf(" so far (%d %%)", f.run.Progress())
	}
	word := "no match"
	switch {
	case f.at >= 0:
		word = fmt.Sprintf("%d of %s", f.at+1, count)
	case len(hits) > 0 || !f.run.Done():
		word = count
	}
	if f.wrapped != "" {
		word += " · " + f.wrapped
	}
	if f.unseen {
		word += " · in what is not shown of it"
	}
	return word
}
