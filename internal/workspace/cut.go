package workspace

import (
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/words"
)

// UnconfirmedPrompt is a prompt that was sent before the connection was lost and may not have arrived.
type UnconfirmedPrompt struct {
	Text    string // as the transcript has it
	Draft   string // as the composer gets it back
	ID      uint64 // of the Prompt
	At      time.Time
	Started bool // the agent has started on it, so it has arrived

	earlierSame int // earlier prompts of the session with the same text
}

// InterruptedTurn is the turn that a lost connection interrupted: what parley knows of it that the
// agent's history may lack. The zero InterruptedTurn means that no turn was interrupted.
type InterruptedTurn struct {
	Prompts []UnconfirmedPrompt
	Answer  string // the answer received so far

	on     bool
	marked bool
}

// Exists reports whether a turn was interrupted.
func (c *InterruptedTurn) Exists() bool { return c.on }

// AddHeld adds a prompt that an agent of version 2 had accepted but not yet added to the
// conversation.
func (c *InterruptedTurn) AddHeld(t *thread.Thread, p Prompt) {
	c.on = true
	c.Prompts = append(c.Prompts, UnconfirmedPrompt{Text: p.Text, Draft: p.Text, ID: p.ID})
	c.count(sessionItems(t))
}

// AddTurn adds the last turn of a conversation if a lost connection interrupted it. last
// is the last prompt as the composer gets it back. Whose the others are is not known.
func (c *InterruptedTurn) AddTurn(t *thread.Thread, last Prompt) {
	items := sessionItems(t)
	end := lastEnd(items)
	if end < 0 || !event.InterruptedByNetwork(items[end].End.Err) {
		return
	}
	c.on, c.Answer = true, ""
	var sent []UnconfirmedPrompt
	for _, it := range items[:end] {
		switch {
		case it.Turn != items[end].Turn:
		case it.IsPrompt() && !it.MissingFromHistory:
			sent = append(sent, UnconfirmedPrompt{Text: string(it.Text), Draft: string(it.Text), ID: notTyped, At: it.At, Started: it.MessageID != ""})
			c.Answer = ""
		case spoken(it) && len(sent) > 0:
			sent[len(sent)-1].Started = true
		}
		if it.Turn == items[end].Turn && it.Kind == thread.AgentMessage {
			c.Answer = join(c.Answer, string(it.Text))
		}
	}
	if n := len(sent); n > 0 && items[end].End.Arrived {
		sent[n-1].Started = true
	}
	if len(sent) == 1 && len(c.Prompts) == 0 && last.Text != "" {
		sent[0].Draft, sent[0].ID = last.Text, last.ID
	}
	c.Prompts = append(sent, c.Prompts...)
	for i, it := range items { // the turn's own prompts do not count
		if it.Turn == items[end].Turn {
			items = items[:i]
			break
		}
	}
	c.count(items)
}

// count records for each prompt how often the conversation before it has the same text.
func (c *InterruptedTurn) count(before []*thread.Item) {
	for i := range c.Prompts {
		p := &c.Prompts[i]
		p.earlierSame = len(same(before, p.Text))
		for _, o := range c.Prompts[:i] {
			if alike(o.Text, p.Text) {
				p.earlierSame++
			}
		}
	}
}

// lastEnd returns the index of the end of the last turn, -1 if more follows it.
func lastEnd(items []*thread.Item) int {
	for i := len(items) - 1; i >= 0; i-- {
		switch it := items[i]; it.Kind {
		case thread.Notice, thread.ShellCommand:
		case thread.TurnEnd:
			if !it.At.IsZero() { // without a time it is the end of the connection
				return i
			}
		default:
			return -1
		}
	}
	return -1
}

// sessionItems returns the items of the thread's current session.
func sessionItems(t *thread.Thread) []*thread.Item { return t.Items[t.First():] }

// spoken reports whether an item is something that the agent said or did.
func spoken(it *thread.Item) bool {
	switch it.Kind {
	case thread.AgentMessage, thread.ThoughtMessage, thread.ToolCall, thread.Attachment:
		return true
	}
	return false
}

// Unconfirmed returns the prompts that may not have arrived.
func (c *InterruptedTurn) Unconfirmed() (out UnconfirmedPrompts) {
	for _, p := range c.Prompts {
		if !p.Started {
			out = append(out, p)
		}
	}
	return out
}

// UnconfirmedPrompts are prompts that the user may send again, the oldest first. None is sent
// automatically.
type UnconfirmedPrompts []UnconfirmedPrompt

// Reason says why the prompt is offered.
func (p UnconfirmedPrompt) Reason() string {
	if p.Started {
		return "not in the agent's history"
	}
	return "may not have arrived"
}

// Add adds the prompts of a cut that are not offered yet.
func (o *UnconfirmedPrompts) Add(c *InterruptedTurn) {
	for _, p := range c.Unconfirmed() {
		o.add(p)
	}
}

func (o *UnconfirmedPrompts) add(p UnconfirmedPrompt) {
	if !slices.ContainsFunc(*o, func(q UnconfirmedPrompt) bool { return q.Draft == p.Draft }) {
		*o = append(slices.Clip(*o), p)
	}
}

func (o *UnconfirmedPrompts) remove(draft string) {
	*o = slices.DeleteFunc(slices.Clone(*o), func(p UnconfirmedPrompt) bool { return p.Draft == draft })
}

// Remove removes and returns the oldest offer, or the newest; false if there is none.
func (o *UnconfirmedPrompts) Remove(newest bool) (UnconfirmedPrompt, bool) {
	n := len(*o) - 1
	if n < 0 {
		return UnconfirmedPrompt{}, false
	}
	if newest {
		p := (*o)[n]
		*o = (*o)[:n:n]
		return p, true
	}
	p := (*o)[0]
	*o = (*o)[1:]
	return p, true
}

// Notices about an interrupted turn, below the history that the agent replayed.
const (
	unconfirmed = "The connection was lost · this prompt may not have arrived"
	forgotten   = "The connection was lost during this turn · the agent's history does not have it"
	cutHere     = "The connection was lost during this turn · the answer may be incomplete"
	shorter     = "The connection was lost during this turn · the agent kept only part of the answer"
	continued   = "The connection was lost during this turn · the agent continued meanwhile"
)

// Mark adds to the replayed conversation what the agent does not know: that the turn was
// interrupted, and the prompts that the history lacks. Prompts in the history are removed
// from offers, missing ones are added to them once.
func (c *InterruptedTurn) Mark(t *thread.Thread, offers *UnconfirmedPrompts) {
	if !c.on {
		return
	}
	var missing []UnconfirmedPrompt
	items := sessionItems(t)
	found := -1 // the prompt of the interrupted turn
	for _, p := range c.Prompts {
		if at := same(items, p.Text); len(at) > p.earlierSame {
			found = max(found, at[len(at)-1])
			offers.remove(p.Draft)
			continue
		}
		if missing = append(missing, p); p.Started && !c.marked {
			offers.add(p)
		}
	}
	c.marked = true
	if found >= 0 || len(c.Prompts) == 0 {
		t.AddNotice(c.about(answerText(items[found+1:])))
	}
	for _, p := range missing {
		t.AddMissingPrompt(p.Text, p.At)
		if p.Started {
			t.AddNotice(forgotten, c.Answer)
		} else {
			t.AddNotice(unconfirmed, "")
		}
	}
}

// Resumed is the notice for an agent that does not replay the conversation.
func (c *InterruptedTurn) Resumed() string {
	switch {
	case len(c.Unconfirmed()) > 0:
		return "Reconnected · the last prompt may not have arrived"
	case c.on:
		return "Reconnected · the turn was interrupted; what the agent did since is missing here"
	}
	return "Reconnected · what the agent did since may be missing here"
}

// about compares the answer in the agent's history with the one received before.
func (c *InterruptedTurn) about(now string) (note, detail string) {
	had, has := words.OneLine(c.Answer), words.OneLine(now)
	switch {
	case had == has:
		return cutHere, ""
	case strings.HasPrefix(has, had):
		return continued, ""
	}
	return shorter, c.Answer
}

// answerText returns the agent's text up to the next prompt.
func answerText(items []*thread.Item) string {
	text := ""
	for _, it := range items {
		switch it.Kind {
		case thread.UserMessage:
			return text
		case thread.AgentMessage:
			text = join(text, string(it.Text))
		}
	}
	return text
}

func join(a, b string) string { return strings.TrimPrefix(a+"\n\n"+b, "\n\n") }

// same returns the indexes of the prompts with this text in the agent's history. Prompts
// that parley added do not count.
func same(items []*thread.Item, text string) (at []int) {
	for i, it := range items {
		if it.Kind == thread.UserMessage && !it.MissingFromHistory && alike(string(it.Text), text) {
			at = append(at, i)
		}
	}
	return at
}

// alike reports whether a message of the history is this prompt. Some agents add text
// before or after it.
func alike(message, prompt string) bool {
	m, p := words.OneLine(message), words.OneLine(prompt)
	return m == p || p != "" && (strings.HasPrefix(m, p+" ") || strings.HasSuffix(m, " "+p))
}
