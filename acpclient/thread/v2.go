package thread

import (
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
)

// This file holds what only conversations of v2 have.

// Plan is one of the agent's plans. ID is "" for the only plan of v1.
type Plan struct {
	ID       string
	Entries  []event.PlanEntry
	Markdown string // for a plan that is a text
}

// Heading returns the first line of a plan that is a text, "" for one with steps.
func (p Plan) Heading() string {
	for l := range strings.Lines(p.Markdown) {
		if l = strings.Trim(l, "#*_ \t\r\n"); l != "" {
			return l
		}
	}
	return ""
}

// plans are those of the agent.
type plans struct {
	Plan  []event.PlanEntry // the plan that changed last
	Plans []Plan            // all plans with entries, in order of arrival
}

// Heading returns the heading of the plan that changed last, if it is a text.
func (p *plans) Heading() string {
	if n := len(p.Plans); n > 0 && len(p.Plan) == 0 {
		return p.Plans[n-1].Heading()
	}
	return ""
}

// maxPlans bounds the plans of a session; the oldest is dropped.
const maxPlans = 100

// planned replaces one plan. A plan without steps and text is removed.
func (p *plans) planned(e event.PlanChanged) {
	i := slices.IndexFunc(p.Plans, func(o Plan) bool { return o.ID == e.PlanID })
	all := slices.Clone(p.Plans)
	gone := len(e.Entries) == 0 && e.Markdown == ""
	switch {
	case gone && i < 0:
	case gone:
		all = slices.Delete(all, i, i+1)
	case i < 0:
		if len(all) == maxPlans {
			all = slices.Delete(all, 0, 1)
		}
		all = append(all, Plan{e.PlanID, e.Entries, e.Markdown})
	default:
		all[i].Entries, all[i].Markdown = e.Entries, e.Markdown
	}
	if p.Plans, p.Plan = all, e.Entries; gone && len(all) > 0 {
		p.Plan = all[len(all)-1].Entries
	}
}

// HeldPrompt is a prompt that was sent but is not part of the conversation yet.
type HeldPrompt struct {
	Key     uint64 // for Session.Withdraw
	Text    string
	At      time.Time
	Request int64 // the JSON-RPC id of its session/prompt
}

// prompts are those that were sent and have no certain place in the conversation. (v2)
type prompts struct {
	Held     []HeldPrompt     // not part of the conversation yet; they are shown after it
	matched  map[uint64]match // unanswered ones that look like a message that has arrived
	nameless []*Item          // those that an agent accepted without a message id
}

// match is a held prompt and the message that it seems to be.
type match struct {
	held HeldPrompt
	item *Item
}

// reconcile looks for the held prompt that a user's message is: its text may now equal
// that of a prompt, of which the oldest is meant.
func (p *prompts) reconcile(it *Item) {
	if it.Kind != UserMessage || it.prompt != 0 || len(p.Held) == 0 {
		return
	}
	for _, h := range p.Held {
		if len(it.Text) < len(strings.TrimSpace(h.Text)) || !same(string(it.Text), h.Text) {
			continue
		}
		if p.matched == nil {
			p.matched = map[uint64]match{}
		}
		p.matched[h.Key] = match{h, it}
		it.prompt, it.At, it.Request = h.Key, h.At, h.Request
		p.Held = slices.DeleteFunc(slices.Clone(p.Held), func(o HeldPrompt) bool { return o.Key == h.Key })
		return
	}
}

func same(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// release forgets a held prompt.
func (p *prompts) release(key uint64) (HeldPrompt, bool) {
	if m, ok := p.matched[key]; ok {
		delete(p.matched, key)
		return m.held, true
	}
	i := slices.IndexFunc(p.Held, func(h HeldPrompt) bool { return h.Key == key })
	if i < 0 {
		return HeldPrompt{}, false
	}
	h := p.Held[i]
	p.Held = slices.Delete(slices.Clone(p.Held), i, i+1)
	return h, true
}

// adopted returns the accepted prompt without a message id whose text starts like this
// message, nil if there is none, and adds it to the messages.
func (p *prompts) adopted(messages map[messageKey]*Item, id, text string) *Item {
	if id == "" || strings.TrimSpace(text) == "" {
		return nil
	}
	for i, it := range p.nameless {
		if strings.HasPrefix(string(it.Text), strings.TrimSpace(text)) {
			p.nameless = slices.Delete(slices.Clone(p.nameless), i, i+1)
			it.MessageID = id
			messages[messageKey{event.User, id}] = it
			return it
		}
	}
	return nil
}

// rewrite replaces the text of a message.
func (it *Item) rewrite(text string) {
	it.local = false
	if string(it.Text) == text {
		return
	}
	it.Text = []byte(text)
	it.Generation++
}

// replaced creates a message or replaces its content.
func (t *Thread) replaced(e event.MessageReplaced) {
	key := messageKey{e.Role, e.MessageID}
	it := t.messages[key]
	if it == nil && e.Role == event.User && !e.KeepContent {
		it = t.adopted(t.messages, e.MessageID, e.Text)
	}
	if it == nil {
		it = t.add(&Item{Kind: kindOf[e.Role], MessageID: e.MessageID})
		if e.Role == event.Thought {
			it.At, it.Until = e.At, e.At
		}
		t.messages[key] = it
	} else {
		t.touch(it)
	}
	it.from(e.Wire)
	if e.KeepContent {
		return
	}
	it.rewrite(e.Text)
	t.reattach(key, e.Attachments, e.Wire)
	t.reconcile(it)
}

// reattach replaces the attachments of a message. Items are never removed: surplus ones
// remain, blank.
func (t *Thread) reattach(key messageKey, contents []event.Content, wire event.Span) {
	for i, it := range t.attachments[key] {
		it.Attachment = &event.Content{}
		if i < len(contents) {
			it.Attachment = &contents[i]
		}
		t.touch(it)
		it.from(wire)
	}
	for i := len(t.attachments[key]); i < len(contents); i++ {
		it := t.add(&Item{Kind: Attachment, MessageID: key.id, Attachment: &contents[i]})
		it.from(wire)
		t.attachments[key] = append(t.attachments[key], it)
	}
}

// accepted gives a held prompt its place: the message with the id that the agent names,
// which may have arrived already or arrive later.
func (t *Thread) accepted(e event.PromptAccepted) {
	m, seen := t.matched[e.Key]
	h, ok := t.release(e.Key)
	switch {
	case !ok || seen && (e.MessageID == "" || m.item.MessageID == e.MessageID):
		return
	case seen: // the match was wrong
		m.item.prompt, m.item.Request = 0, 0
	}
	it := t.messages[messageKey{event.User, e.MessageID}]
	if e.MessageID == "" {
		it = nil
	}
	if it != nil {
		it.prompt, it.At, it.Request = h.Key, h.At, h.Request
		it.from(e.Wire)
		t.touch(it)
		return
	}
	it = t.add(&Item{Kind: UserMessage, MessageID: e.MessageID, Text: []byte(h.Text), At: h.At, Request: h.Request, local: true, prompt: h.Key})
	it.from(e.Wire)
	if e.MessageID == "" {
		t.nameless = append(t.nameless, it)
		return
	}
	t.messages[messageKey{event.User, e.MessageID}] = it
}

// stateChanged applies a report of the state. The end of a turn comes with TurnEnded.
func (t *Thread) stateChanged(e event.StateChanged) {
	t.Background = e.Background
	t.waits = e.State == "requires_action"
	if e.State != "idle" {
		t.running = true
	}
	if !t.running { // background work may have ended
		t.giveUp(false)
	}
}

// in reports whether the call runs independently of the turn, as part of this work.
func (t *Tool) in(background []event.BackgroundWork) bool {
	return slices.ContainsFunc(background, func(w event.BackgroundWork) bool {
		switch w.Type {
		case "tool_call":
			return w.ID == t.ID
		case "terminal":
			return slices.ContainsFunc(t.Content, func(c event.ToolContent) bool { return c.Terminal == w.ID && w.ID != "" })
		}
		return false
	})
}

// changed applies a change of one of the agent's terminals.
func (term *Terminal) changed(e event.TerminalChanged) {
	term.Foreign = true
	if e.Command != nil {
		term.Command = *e.Command
	}
	if e.Cwd != nil {
		term.Cwd = *e.Cwd
	}
	if e.Cols > 0 {
		term.Cols = e.Cols
	}
	if e.Rows > 0 {
		term.Rows = e.Rows
	}
	if e.Cancelable != nil {
		term.Cancelable = *e.Cancelable
	}
}
