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

// Heading returns the heading of the plan that changed last, if it is a text.
func (t *Thread) Heading() string {
	if n := len(t.Plans); n > 0 && len(t.Plan) == 0 {
		return t.Plans[n-1].Heading()
	}
	return ""
}

// HeldPrompt is a prompt that was sent but is not part of the conversation yet.
type HeldPrompt struct {
	Key     uint64 // for Session.Withdraw
	Text    string
	At      time.Time
	Request int64 // the JSON-RPC id of its session/prompt
}

// v2 is the part of a Thread that only v2 uses.
type v2 struct {
	separatePrompts bool // prompts have events of their own, as in TurnStarted.SeparatePrompts
	waits           bool // the agent reports that it waits for the user
	attachments     map[messageKey][]*Item
	matched         map[uint64]match // unanswered prompts that look like a message that has arrived
	nameless        []*Item          // prompts that an agent accepted without a message id
}

// match is a held prompt and the message that it seems to be.
type match struct {
	held HeldPrompt
	item *Item
}

// rewrite replaces the text of a message.
func (t *Thread) rewrite(it *Item, text string) {
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
		it = t.adopted(e.MessageID, e.Text)
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
	t.rewrite(it, e.Text)
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
		t.remember(key, it)
	}
}

// remember records which attachments belong to a message. One that was blanked stays
// blank; attachments added now come after everything else.
func (t *Thread) remember(key messageKey, it *Item) {
	if t.attachments == nil {
		t.attachments = map[messageKey][]*Item{}
	}
	t.attachments[key] = append(t.attachments[key], it)
}

// reconcile looks for the held prompt that a user's message is: its text may now equal
// that of a prompt, of which the oldest is meant.
func (t *Thread) reconcile(it *Item) {
	if it.Kind != UserMessage || it.prompt != 0 || len(t.Held) == 0 {
		return
	}
	for _, h := range t.Held {
		if len(it.Text) < len(strings.TrimSpace(h.Text)) || !same(string(it.Text), h.Text) {
			continue
		}
		if t.matched == nil {
			t.matched = map[uint64]match{}
		}
		t.matched[h.Key] = match{h, it}
		t.become(it, h)
		return
	}
}

func same(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// become makes a message the place of a prompt, which is no longer held.
func (t *Thread) become(it *Item, h HeldPrompt) {
	it.prompt, it.At, it.Request = h.Key, h.At, h.Request
	t.Held = slices.DeleteFunc(slices.Clone(t.Held), func(o HeldPrompt) bool { return o.Key == h.Key })
}

// release forgets a held prompt.
func (t *Thread) release(key uint64) (HeldPrompt, bool) {
	if m, ok := t.matched[key]; ok {
		delete(t.matched, key)
		return m.held, true
	}
	i := slices.IndexFunc(t.Held, func(h HeldPrompt) bool { return h.Key == key })
	if i < 0 {
		return HeldPrompt{}, false
	}
	h := t.Held[i]
	t.Held = slices.Delete(slices.Clone(t.Held), i, i+1)
	return h, true
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

// adopted returns the accepted prompt without a message id whose text starts like this
// message, nil if there is none.
func (t *Thread) adopted(id, text string) *Item {
	if id == "" || strings.TrimSpace(text) == "" {
		return nil
	}
	for i, it := range t.nameless {
		if strings.HasPrefix(string(it.Text), strings.TrimSpace(text)) {
			t.nameless = slices.Delete(slices.Clone(t.nameless), i, i+1)
			it.MessageID = id
			t.messages[messageKey{event.User, id}] = it
			return it
		}
	}
	return nil
}

// stateChanged applies a report of the state. The end of a turn comes with TurnEnded.
func (t *Thread) stateChanged(e event.StateChanged) {
	t.Background, t.BackgroundKnown = e.Background, e.BackgroundKnown
	t.waits = e.State == "requires_action"
	if e.State != "idle" {
		t.running = true
	}
	if !t.running { // background work may have ended
		t.giveUp(false)
	}
}

// inBackground reports whether a tool call runs independently of the turn.
func (t *Thread) inBackground(tool *Tool) bool {
	return slices.ContainsFunc(t.Background, func(w event.BackgroundWork) bool {
		switch w.Type {
		case "tool_call":
			return w.ID == tool.ID
		case "terminal":
			return slices.ContainsFunc(tool.Content, func(c event.ToolContent) bool { return c.Terminal == w.ID && w.ID != "" })
		}
		return false
	})
}

// maxPlans bounds the plans of a session; the oldest is dropped.
const maxPlans = 100

// planned replaces one plan. A plan without steps and text is removed.
func (t *Thread) planned(e event.PlanChanged) {
	i := slices.IndexFunc(t.Plans, func(p Plan) bool { return p.ID == e.PlanID })
	plans := slices.Clone(t.Plans)
	gone := len(e.Entries) == 0 && e.Markdown == ""
	switch {
	case gone && i < 0:
	case gone:
		plans = slices.Delete(plans, i, i+1)
	case i < 0:
		if len(plans) == maxPlans {
			plans = slices.Delete(plans, 0, 1)
		}
		plans = append(plans, Plan{e.PlanID, e.Entries, e.Markdown})
	default:
		plans[i].Entries, plans[i].Markdown = e.Entries, e.Markdown
	}
	if t.Plans, t.Plan = plans, e.Entries; gone && len(plans) > 0 {
		t.Plan = plans[len(plans)-1].Entries
	}
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

// snapshot replaces a terminal by one with other output, so that views of the old one
// start again.
func (t *Thread) snapshot(e event.TerminalReplaced) *Terminal {
	fresh := *t.open(e.ID)
	fresh.Output = slices.Clone(e.Data[max(0, len(e.Data)-maxTerminal):])
	fresh.Total, fresh.Gap = int64(len(e.Data)), false
	t.terminals[e.ID] = &fresh
	return &fresh
}
