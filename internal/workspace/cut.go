package workspace

import (
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// Offer is a prompt that went out before the connection was lost, or into it.
type Offer struct {
	Text  string // as the transcript has it
	Draft string // as the composer takes it back
	At    time.Time
	Begun bool // the agent has begun with it: it has arrived

	before int // prompts of these words that the session had before it
}

// Cut is the turn that a lost connection has cut: what parley knows of it and the
// agent's history does not. The zero Cut is none.
type Cut struct {
	Prompts []Offer
	Answer  string // what had come of the answer

	on     bool
	marked bool
}

// Exists tells whether a turn was cut.
func (c *Cut) Exists() bool { return c.on }

// Hold adds a prompt that an agent of version 2 had not made part of the
// conversation yet.
func (c *Cut) Hold(t *thread.Thread, draft string) {
	c.on = true
	c.Prompts = append(c.Prompts, Offer{Text: draft, Draft: draft})
	c.count(sessionItems(t))
}

// Take adds the last turn of a conversation, where its connection has cut it. draft
// is the last prompt as the composer takes it back.
func (c *Cut) Take(t *thread.Thread, draft string) {
	items := sessionItems(t)
	end := lastEnd(items)
	if end < 0 || !event.CutOff(items[end].End.Err) {
		return
	}
	c.on, c.Answer = true, ""
	var sent []Offer
	for _, it := range items[:end] {
		switch {
		case it.Turn != items[end].Turn:
		case it.Kind == thread.UserMessage && !it.Blank() && !it.Kept:
			sent = append(sent, Offer{Text: string(it.Text), Draft: string(it.Text), At: it.At, Begun: it.MessageID != ""})
			c.Answer = ""
		case spoken(it) && len(sent) > 0:
			sent[len(sent)-1].Begun = true
		}
		if it.Turn == items[end].Turn && it.Kind == thread.AgentMessage {
			c.Answer = join(c.Answer, string(it.Text))
		}
	}
	if len(sent) == 1 && len(c.Prompts) == 0 && draft != "" {
		sent[0].Draft = draft
	}
	c.Prompts = append(sent, c.Prompts...)
	for i, it := range items { // its own prompts are none before it
		if it.Turn == items[end].Turn {
			items = items[:i]
			break
		}
	}
	c.count(items)
}

// count notes for each prompt how often the conversation before it has its words.
func (c *Cut) count(before []*thread.Item) {
	for i := range c.Prompts {
		p := &c.Prompts[i]
		p.before = len(same(before, p.Text))
		for _, o := range c.Prompts[:i] {
			if alike(o.Text, p.Text) {
				p.before++
			}
		}
	}
}

// lastEnd is the place of the end of the last turn; -1 where something has been
// said after it.
func lastEnd(items []*thread.Item) int {
	for i := len(items) - 1; i >= 0; i-- {
		switch it := items[i]; it.Kind {
		case thread.Notice, thread.ShellCommand:
		case thread.TurnEnd:
			if !it.At.IsZero() { // the other is the connection's own
				return i
			}
		default:
			return -1
		}
	}
	return -1
}

// sessionItems are the items of the session that the thread has now.
func sessionItems(t *thread.Thread) []*thread.Item { return t.Items[t.First():] }

// spoken tells whether an item is something that the agent did.
func spoken(it *thread.Item) bool {
	switch it.Kind {
	case thread.AgentMessage, thread.ThoughtMessage, thread.ToolCall, thread.Attachment:
		return true
	}
	return false
}

// Unconfirmed are the prompts that may not have arrived.
func (c *Cut) Unconfirmed() (out Offers) {
	for _, p := range c.Prompts {
		if !p.Begun {
			out = append(out, p)
		}
	}
	return out
}

// Offers are prompts that the user may send again, the oldest first. None is ever
// sent by itself.
type Offers []Offer

// Why says why a prompt is among them.
func (p Offer) Why() string {
	if p.Begun {
		return "not in the agent's history"
	}
	return "may not have arrived"
}

// Offer adds what is not there yet of a cut.
func (o *Offers) Offer(c *Cut) {
	for _, p := range c.Unconfirmed() {
		o.add(p)
	}
}

func (o *Offers) add(p Offer) {
	if !slices.ContainsFunc(*o, func(q Offer) bool { return q.Draft == p.Draft }) {
		*o = append(slices.Clip(*o), p)
	}
}

func (o *Offers) remove(draft string) {
	*o = slices.DeleteFunc(slices.Clone(*o), func(p Offer) bool { return p.Draft == draft })
}

// Take takes the oldest out, or the newest; false where there is none.
func (o *Offers) Take(newest bool) (Offer, bool) {
	n := len(*o) - 1
	if n < 0 {
		return Offer{}, false
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

// What is said of a cut turn below the history of the agent.
const (
	unconfirmed = "The connection was lost · this prompt may not have arrived"
	forgotten   = "The connection was lost during this turn · the agent's history does not have it"
	cutHere     = "The connection was lost during this turn · the answer may be incomplete"
	shorter     = "The connection was lost during this turn · the agent kept only part of the answer"
	continued   = "The connection was lost during this turn · the agent continued meanwhile"
)

// Mark adds to the conversation as the agent tells it what the agent does not know:
// that the turn was cut, and the prompts that it lacks. Those that it has are taken
// off the offers; of those that it lacks the offers get what they have not had yet.
func (c *Cut) Mark(t *thread.Thread, offers *Offers) {
	if !c.on {
		return
	}
	var missing []Offer
	items := sessionItems(t)
	found := -1 // the prompt of the turn that was cut last
	for _, p := range c.Prompts {
		if at := same(items, p.Text); len(at) > p.before {
			found = max(found, at[len(at)-1])
			offers.remove(p.Draft)
			continue
		}
		if missing = append(missing, p); p.Begun && !c.marked {
			offers.add(p)
		}
	}
	c.marked = true
	if found >= 0 || len(c.Prompts) == 0 {
		t.Remark(c.about(answerText(items[found+1:])))
	}
	for _, p := range missing {
		t.Keep(p.Text, p.At)
		if p.Begun {
			t.Remark(forgotten, c.Answer)
		} else {
			t.Remark(unconfirmed, "")
		}
	}
}

// Resumed is what is said where the agent does not tell the conversation again.
func (c *Cut) Resumed() string {
	switch {
	case len(c.Unconfirmed()) > 0:
		return "Reconnected · the last prompt may not have arrived"
	case c.on:
		return "Reconnected · the turn was interrupted; what the agent did since is missing here"
	}
	return "Reconnected · what the agent did since may be missing here"
}

// about compares the answer in the agent's history with what had come of it.
func (c *Cut) about(now string) (note, detail string) {
	had, has := squeeze(c.Answer), squeeze(now)
	switch {
	case had == has:
		return cutHere, ""
	case strings.HasPrefix(has, had):
		return continued, ""
	}
	return shorter, c.Answer
}

// answerText is what the agent has said up to the next prompt.
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

// same are the places of the prompts that say this. One that was kept here is not
// the agent's.
func same(items []*thread.Item, text string) (at []int) {
	for i, it := range items {
		if it.Kind == thread.UserMessage && !it.Kept && alike(string(it.Text), text) {
			at = append(at, i)
		}
	}
	return at
}

// alike tells whether a message of the history is a prompt. Some agents put what
// they add before it or after it.
func alike(message, prompt string) bool {
	m, p := squeeze(message), squeeze(prompt)
	return m == p || p != "" && (strings.HasPrefix(m, p+" ") || strings.HasSuffix(m, " "+p))
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
