package page

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// selection is text that the mouse has selected.
type selection struct{ c *Page }

func (l selection) Key(p layer.Press) (cmd tea.Cmd, taken bool) {
	switch p.Want {
	case intent.Interrupt:
		cmd = l.copy()
	case intent.Stop:
	default:
		return nil, false
	}
	l.c.View.ClearDrag()
	return cmd, true
}

// copy copies the selected text.
func (l selection) copy() tea.Cmd {
	text := l.c.View.DraggedText()
	return l.c.copyText(func() string { return text })
}

// interrupt is the layer of ctrl+c.
type interrupt struct{ c *Page }

func (l interrupt) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want != intent.Interrupt {
		return nil, false
	}
	return stopOrClear(l.c), true
}

// draft is the composer.
type draft struct{ c *Page }

func (l draft) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if c.Composer.Empty() {
		if cmd, ok := c.do(c.screen.Keys.Of(intent.Empty, p.Name)); ok {
			return cmd, true
		}
	}
	if ignoresTyping(c, p.Text) {
		return c.say(c.WhyReadOnly()), true
	}
	return c.Composer.Type(p)
}

func (l draft) Paste(text string) (tea.Cmd, bool) {
	if ignoresTyping(l.c, text) {
		return l.c.say(l.c.WhyReadOnly()), true
	}
	return l.c.Composer.Paste(text), true
}

// Click moves the cursor there. Keys typed from now on answer nothing.
func (l draft) Click(x, y int, up bool) bool {
	c := l.c
	if !up || !c.areas.composer.Has(x, y) {
		return false
	}
	c.focus(false)
	c.screen.Input.Touch()
	c.Question.Release()
	c.Elicits.Release()
	c.Composer.Click(x-c.areas.composer.X, y-c.areas.composer.Y)
	c.Composer.Refresh()
	return true
}

// asked is a question or form without the keys. It takes esc if no layer above does: first for what
// was typed over a question.
type asked struct{ c *Page }

func (l asked) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if p.Want != intent.Stop {
		return nil, false
	}
	if c.Question.TypedOver() {
		clearDraft(c)
		return nil, true
	}
	if c.Question.Appeared() {
		return c.Question.Reject(), true
	}
	if form := c.Elicits.OnScreen(); form != nil && form.Asks() { // a page the user agreed to is not declined
		return form.Press(layer.Press{KeyPressMsg: tea.KeyPressMsg{Code: tea.KeyEscape}, Name: "esc"}), true // whichever key stops
	}
	return nil, false
}

// Click gives the keys to the question.
func (l asked) Click(x, y int, up bool) bool {
	c := l.c
	if up || !c.areas.asked.Has(x, y) || y >= c.areas.overlayTop {
		return false
	}
	c.giveKeys()
	c.screen.Mouse.Drop() // the click does nothing else
	return true
}

// session handles the remaining bindings of the chat page, and clicks on the transcript
// while it does not have the keys.
type session struct{ c *Page }

func (l session) Key(p layer.Press) (tea.Cmd, bool) {
	c, want := l.c, p.Want
	if c.Composer.Mode() != "" { // vi's keys for up and down
		want = cmp.Or(map[string]intent.Intent{"k": intent.HistoryBack, "j": intent.HistoryForward}[p.Name], want)
	}
	if cmd, ok := c.do(want); ok {
		return cmd, true
	}
	if cmd, ok := walkQueue(c, want); ok {
		return cmd, true
	}
	return nil, c.Composer.Recall(want)
}

func (l session) Wheel(n int) { l.c.View.Scroll(n) }

// Click opens an entry or begins a selection.
func (l session) Click(x, y int, up bool) bool {
	c := l.c
	switch {
	case up && c.areas.end.Has(x, y) && y < c.areas.overlayTop:
		c.View.End()
	case !c.areas.uncovered(x, y):
	case up && !c.screen.Mouse.Drops():
		if it := c.View.HeadAt(y - c.areas.transcript.Y); it != nil && it.Subagent != nil {
			openSubagent(c, it.Subagent)
		} else {
			c.View.ToggleAt(y - c.areas.transcript.Y)
		}
	case !up && !c.areas.end.Has(x, y):
		c.View.DragFrom(y-c.areas.transcript.Y, x)
	}
	return true
}

// anywhere handles the keys that work on the page whatever is open.
type anywhere struct{ c *Page }

func (l anywhere) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want == intent.NextWaiting || p.Want == intent.NextColumn {
		return l.c.do(p.Want)
	}
	return nil, false
}

func when(there bool, l layer.Layer) layer.Layer {
	if there {
		return l
	}
	return nil
}
