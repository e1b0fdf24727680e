// Package find searches a transcript: it has the input row and moves through the
// matches.
package find

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/layer"
	"parley/ui/transcript"
)

// Bar is the search of one transcript. As a layer it has all keys while the user types
// into it.
type Bar struct {
	env  *layer.Env
	out  *layer.Effects
	view *transcript.View
	last string // the previous text

	open    bool
	typing  bool
	text    string
	run     *transcript.Search
	stale   bool // the transcript has changed since
	at      int  // the match that is shown, an index of its hits; -1: none yet
	now     transcript.Hit
	step    int  // where to go when the search is complete: forward, back, or 0: to the first match from origin
	waiting bool // for the search to complete
	wrapped string
	unseen  bool // the match is in a part that is not shown
	before  transcript.Place
	origin  int // the item to search from
}

// foundMsg is a portion that was searched.
type foundMsg struct {
	bar     *Bar
	run     *transcript.Search
	portion *transcript.Portion
}

// New makes the search of a transcript.
func New(env *layer.Env, out *layer.Effects, view *transcript.View) *Bar {
	return &Bar{env: env, out: out, view: view}
}

// SetView ends the search; the next one searches another transcript.
func (b *Bar) SetView(view *transcript.View) { b.view, b.open, b.run = view, false, nil }

// Open reports whether there are matches to go through, or a text is being typed.
func (b *Bar) Open() bool { return b.open }

// Typing reports whether the row takes the keys.
func (b *Bar) Typing() bool { return b.open && b.typing }

// Changed must be called when the transcript has changed.
func (b *Bar) Changed() { b.stale = true }

// Start opens the row to type into.
func (b *Bar) Start() {
	before := b.view.Place()
	if b.open && !b.typing {
		before = b.before
	}
	*b = Bar{env: b.env, out: b.out, view: b.view, last: b.last, open: true, typing: true, at: -1, before: before, origin: b.view.FirstInSight()}
	if it := b.view.Selected(); it != nil {
		b.origin = it.Index
	}
	b.view.Mark("")
}

// End removes the marks. The reader's place stays.
func (b *Bar) End() {
	if b.open {
		b.last, b.open, b.run = b.text, false, nil
		b.view.Mark("")
	}
}

// Paste adds to the text.
func (b *Bar) Paste(text string) (tea.Cmd, bool) { return b.search(b.text+text, false), true }

// Key takes all keys while the row is typed into.
func (b *Bar) Key(p layer.Press) (tea.Cmd, bool) { return b.press(p), true }

func (b *Bar) press(p layer.Press) tea.Cmd {
	switch p.Name {
	case "esc", "ctrl+c", "ctrl+g":
		b.view.Mark("")
		b.view.ReturnTo(b.before)
		b.open, b.run = false, nil
	case "enter":
		if b.text == "" { // the one before, once more
			return b.search(b.last, true)
		}
		b.typing = false
	case "down", "ctrl+n":
		return b.Next(1)
	case "up", "ctrl+p":
		return b.Next(-1)
	case "backspace", "ctrl+h", "shift+backspace":
		if b.text == "" {
			return nil
		}
		_, n := utf8.DecodeLastRuneInString(b.text)
		return b.search(b.text[:len(b.text)-n], false)
	case "ctrl+u":
		return b.search("", false)
	case "ctrl+w", "alt+backspace":
		text := strings.TrimRight(b.text, " ")
		return b.search(text[:strings.LastIndexByte(text, ' ')+1], false)
	default:
		if p.Text != "" {
			return b.search(b.text+p.Text, false)
		}
		switch p.Want {
		case intent.PageUp, intent.PageDown, intent.ScrollUp, intent.ScrollDown, intent.Home, intent.End:
			return b.out.Add(layer.Do(p.Want))
		}
	}
	return nil
}

// search searches for another text, from where the search began.
func (b *Bar) search(text string, keep bool) tea.Cmd {
	const most = 1000 // bytes of the text
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	if len(text) > most || text == "" && keep {
		return nil
	}
	b.text, b.at, b.wrapped, b.unseen, b.step, b.waiting = text, -1, "", false, 0, text != ""
	b.typing = b.typing && !keep
	b.view.ReturnTo(b.before)
	b.view.Mark(text)
	return b.restart()
}

// restart searches the transcript from its beginning.
func (b *Bar) restart() tea.Cmd {
	b.run, b.stale = b.view.Find(b.text), false
	return b.searchPortion()
}

// searchPortion searches the next portion on another goroutine.
func (b *Bar) searchPortion() tea.Cmd {
	run := b.run
	p := run.Portion()
	if p == nil {
		return nil
	}
	return func() tea.Msg {
		p.Run()
		return foundMsg{b, run, p}
	}
}

// Handle adds the matches of a portion, and goes to a match as soon as it is known.
func (msg foundMsg) Handle() tea.Cmd {
	b := msg.bar
	if !b.open || b.run != msg.run {
		return nil // the search was replaced or closed
	}
	b.run.AddMatches(msg.portion)
	if b.waiting {
		b.goToMatch()
	}
	return b.searchPortion()
}

// goToMatch goes to the wanted match, if it is known already.
func (b *Bar) goToMatch() {
	hits, done := b.run.Hits(), b.run.Done()
	at, wrapped := 0, ""
	switch {
	case b.step == 0:
		at = b.run.From(b.origin)
	case b.step > 0:
		at = b.run.After(b.now)
	default:
		if !done {
			return
		}
		at = b.run.After(b.now) - 1
		if at >= 0 && hits[at] == b.now {
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
	b.waiting = false
	if len(hits) == 0 {
		b.at = -1
		return
	}
	b.at, b.now, b.wrapped = at, hits[at], wrapped
	b.unseen = !b.view.Show(b.now)
}

// Next goes to the next match, or to the one before.
func (b *Bar) Next(step int) tea.Cmd {
	if !b.open {
		if b.last == "" {
			return b.out.Say(b.env.Keys.Label(intent.Transcript, intent.Search) + " starts a search")
		}
		b.Start()
		return b.search(b.last, true)
	}
	if b.text == "" || b.at < 0 && b.run != nil && b.run.Done() && !b.stale {
		return nil
	}
	b.step, b.waiting = step, true
	if b.at < 0 {
		b.step = 0
	}
	if b.stale {
		return b.restart()
	}
	b.goToMatch()
	return nil
}

// Row returns the row of the search and the column of the cursor.
func (b *Bar) Row(width int) (string, int) {
	th := b.env.Theme
	right := b.progress()
	if !b.typing {
		keys := func(i intent.Intent) string { return b.env.Keys.Label(intent.Transcript, i) }
		if hint := keys(intent.SearchNext) + " " + keys(intent.SearchPrevious) + " · " + keys(intent.Leave); text.Width(right+hint)+20 < width {
			right += " · " + hint
		}
	}
	right = text.Truncate(right, max(0, width-8), "…")
	room := max(1, width-text.Width(right)-5)
	s := strings.ReplaceAll(b.text, "\t", " ")
	for text.Width(s) > room { // the end is where the user types
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	row := " " + th.Prompt.Paint("/") + " " + th.Text.Paint(s)
	cursor := 3 + text.Width(s)
	return row + strings.Repeat(" ", max(1, width-1-cursor-text.Width(right))) + th.Dim.Paint(right), min(cursor, width-1)
}

// progress returns how far the search is.
func (b *Bar) progress() string {
	if b.run == nil || b.text == "" {
		return "Type to search · a capital letter matches case"
	}
	hits := b.run.Hits()
	count := fmt.Sprint(len(hits))
	switch {
	case b.run.More:
		count = "more than " + count
	case !b.run.Done():
		count += fmt.Sprintf(" so far (%d %%)", b.run.Progress())
	}
	word := "No match"
	switch {
	case b.at >= 0:
		word = fmt.Sprintf("%d of %s", b.at+1, count)
	case len(hits) > 0 || !b.run.Done():
		word = count
	}
	if b.wrapped != "" {
		word += " · " + b.wrapped
	}
	if b.unseen {
		word += " · in a hidden part"
	}
	return word
}
