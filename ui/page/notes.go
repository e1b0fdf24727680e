package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// writeNote lets the user write a note, or edit the one about the same. about completes what the note
// is about, in a command; nil if nothing is missing. Then another note about the same is added to the
// first.
// It is written at a row of the page; 0 is the bottom.
func writeNote(c *Page, n notes.Note, at int, about func() notes.Note) tea.Cmd {
	if c.ReadOnly {
		return c.say(c.WhyReadOnly())
	}
	n.Text = notes.TextOn(c.Notes(), n)
	w := panel.NewWriting(n.Text)
	w.Title, w.Foot = "Note on "+n.Where(), "enter keep · esc back · "+c.screen.Keys.Label(intent.Draft, intent.Newline)+" new line"
	w.Placeholder, w.Quote, w.Diff, w.At = "What should the agent know or do here?", n.Quote, n.Diff, at
	w.Done = func(text string) tea.Cmd {
		if about == nil {
			n.Text = text
			return noteWritten{c, n, false}.Handle()
		}
		if text == "" {
			return nil
		}
		return func() tea.Msg {
			n := about()
			n.Text = text
			return noteWritten{c, n, true}
		}
	}
	w.Left = with(c, keepWords)
	c.Panels.Show(w)
	return nil
}

// keepWords puts what was written and not kept into the history.
func keepWords(c *Page, text string) tea.Cmd {
	c.Composer.AddToRunHistory(text)
	return c.say("Not kept; what you wrote is in the history: " + c.screen.Keys.ChatKey(intent.HistoryBack))
}

// noteWritten is a note to keep.
type noteWritten struct {
	page *Page
	note notes.Note
	adds bool // to a note about the same
}

func (m noteWritten) Handle() tea.Cmd {
	c := m.page
	had := len(c.Notes())
	if m.adds {
		c.SetNotes(notes.Add(c.Notes(), m.note))
	} else {
		c.SetNotes(notes.Put(c.Notes(), m.note))
	}
	said, _ := notes.Split(c.Notes())
	switch {
	case len(said) == 0 && had == 0:
		return nil
	case m.note.Text == "":
		return c.say("Note dropped")
	}
	return sayNotes(c)
}

// sayNotes says how many notes there are, and how to list them from here.
func sayNotes(c *Page) tea.Cmd {
	key := c.screen.Keys.ChatKey(intent.ShowNotes)
	if review := c.screen.Keys.Label(intent.Review, intent.ShowNotes); c.Review.Open() && review != "" {
		key = review
	}
	said, _ := notes.Split(c.Notes())
	return c.say(words.Count(len(said), "note") + " · " + key + " lists and sends them")
}

// showNotes lists the notes of the session.
func showNotes(c *Page) tea.Cmd {
	if len(c.Notes()) == 0 {
		return c.say("No notes yet: " + c.screen.Keys.KeyOf(intent.Review, intent.WriteNote) + " writes one in the review, " + c.screen.Keys.KeyOf(intent.Transcript, intent.WriteNote) + " in the transcript")
	}
	l := &panel.List{OpenedBy: intent.ShowNotes, Title: "Notes", List: list.New(nil), Items: func() []list.Item { return noteItems(c) }}
	l.Foot = panel.Foot(c.screen.Keys, intent.Hint{Action: "enter edit"}, intent.Hint{Key: intent.CloseEntry, Action: "drop"})
	l.Same = func(a, b any) bool { return a == b }
	l.List.SetItems(l.Items())
	l.Choose = func(it list.Item) tea.Cmd {
		switch v := it.Value.(type) {
		case notePrompt:
			return promptNotes(c, v)
		case notes.Note:
			if !v.Undone {
				return writeNote(c, v, 0, nil)
			}
		}
		return nil
	}
	l.Keys = map[intent.Intent]func(list.Item) tea.Cmd{intent.CloseEntry: panel.With(func(n notes.Note) tea.Cmd {
		c.Composer.AddToRunHistory(n.Text)
		c.SetNotes(notes.Drop(c.Notes(), n))
		if len(c.Notes()) == 0 {
			c.Panels.Close(l)
		}
		return nil
	})}
	c.Panels.Show(l)
	return nil
}

// notePrompt is the choice to make a prompt: with what was undone, or without.
type notePrompt struct{ undone bool }

// noteItems returns the rows of the list.
func noteItems(c *Page) (items []list.Item) {
	said, undone := notes.Split(c.Notes())
	put := func(what string, with notePrompt) {
		items = append(items, list.Item{Title: "Put " + what + " into the prompt", Value: with})
	}
	if len(said) > 0 {
		put(words.Count(len(said), "note"), notePrompt{})
	}
	if n := len(undone); n > 0 {
		what := words.Count(n, "undone change")
		if len(said) > 0 {
			what = words.Count(len(said), "note") + " and " + what
		}
		put(what, notePrompt{true})
	}
	add := func(n notes.Note, section string) {
		where := n.Where()
		if n.Stale {
			where += ", undone since"
		}
		items = append(items, list.Item{Title: where, Detail: words.OneLine(n.Text), Section: section, Value: n})
	}
	for _, n := range said {
		add(n, "Notes")
	}
	for _, n := range undone {
		add(n, "Undone")
	}
	return items
}

// promptNotes puts the prompt into the composer, where the user can read, edit and send it.
func promptNotes(c *Page, what notePrompt) tea.Cmd {
	all := c.Notes()
	if !what.undone {
		all, _ = notes.Split(all)
	}
	c.Composer.Append(notes.Prompt(all))
	c.SetNotes(nil)
	c.Review.Close()
	c.Panels.reading = nil
	c.focus(false)
	return c.say("Notes added to the prompt · " + c.screen.Keys.ChatKey(intent.Send) + " sends")
}

// note lets the user write a note that quotes the selected entry.
func noteOnEntry(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it == nil {
		return nil
	}
	n := notes.Note{}
	switch it.Kind {
	case thread.UserMessage:
		n.Entry = "my message"
	case thread.AgentMessage:
		n.Entry = "your message"
	case thread.ThoughtMessage:
		n.Entry = "your thought"
	case thread.ToolCall:
		n.Entry, n.Title = "your tool call", safetext.Line(verbed(it.Tool), 200)
	case thread.ShellCommand:
		n.Entry, n.Title = "my command", safetext.Line(it.Shell.Terminal.Command, 200)
	default:
		return c.say("Nothing to quote here")
	}
	quote := c.View.Copyable(it).All
	return writeNote(c, n, 0, func() notes.Note {
		n.Quote = notes.Bound(safetext.Source(quote()))
		return n
	})
}
