package linear

import (
	"slices"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/permissions"
	chatview "parley/ui/chat"
)

// events takes everything that the agent has sent.
func (c *chat) events() {
	from := c.queue
	for _, e := range from.Take() {
		if c.queue != from { // another connection has taken its place
			return
		}
		c.route(e)
	}
}

// route hands an event to its session. The first event of a session that is being
// opened tells which it is.
func (c *chat) route(e event.Event) {
	id := e.EventSession()
	if id == "" {
		c.announced(e)
		return
	}
	for _, t := range c.talks {
		if t.thread.Session == id {
			c.apply(t, e)
			return
		}
	}
	if t := c.pending; t != nil && !c.gone[id] {
		c.pending = nil
		t.thread.Session = id
		c.apply(t, e)
	}
}

// announced takes what concerns the connection as a whole.
func (c *chat) announced(e event.Event) {
	switch e := e.(type) {
	case event.ElicitationSettled, event.ElicitationCompleted:
		c.apply(c.talk, e)
	case event.Disconnected:
		if c.connecting { // whoever connects tells why that ended
			return
		}
		for _, t := range c.talks {
			c.apply(t, e)
		}
		c.disconnected(e.Err)
	default:
		c.apply(c.talk, e)
	}
}

// apply takes one event of a session.
func (c *chat) apply(t *talk, e event.Event) {
	turn := 0
	switch e := e.(type) {
	case permissions.Asked:
		c.asked(t, e.Question)
		return
	case permissions.Settled:
		c.settled(func(a *ask) bool { return a.permission != nil && a.permission.Key == e.Key && a.t == t })
		return
	case event.ElicitationAsked:
		c.elicited(t, e)
		return
	case event.ElicitationSettled:
		c.settled(func(a *ask) bool { return a.elicited != nil && a.elicited.Key == e.Key && !a.opened })
		return
	case event.ElicitationCompleted:
		c.elicitCompleted(e.Key)
		return
	case event.NoticeArrived:
		if e.Terminal != "" {
			e.Description += " (the full screen can take it over)"
		}
		if t.broken.Coming != nil { // which takes the thread's place
			t.broken.Coming.Apply(e)
		}
		items := t.thread.Apply(e)
		if t != c.talk || t.loading {
			c.say("%s", notice(t.thread.Items[items[0]]))
		}
		c.changed(t, items)
		return
	}
	if t.comes(e) {
		return
	}
	switch e := e.(type) {
	case event.HistoryBegan:
		t.loading = true
	case event.TurnStarted:
		c.watch(t, true)
		if !e.Told {
			t.broken.Cut = reopen.Cut{}
		}
	case event.PromptHeld:
		t.broken.Cut = reopen.Cut{}
	case event.TurnEnded:
		turn = c.watch(t, false)
		if t == c.talk && !t.loading { // what was said comes before what becomes of the rest
			c.finish(t, len(t.thread.Items))
		}
	}
	c.changed(t, t.thread.Apply(e))
	switch e := e.(type) {
	case event.TerminalStarted:
		if e.Attended {
			c.lend(t, e)
		}
	case event.PlanChanged:
		if t == c.talk && !t.loading {
			c.finish(t, len(t.thread.Items))
			c.tellPlan(t)
		}
	case event.PromptFailed:
		c.promptFailed(t, e)
	case event.TurnEnded:
		t.cutOff(e.Err)
		c.unsaid(t, turn)
		c.turnEnded(t, e)
		if t != c.talk {
			t.done = true
			c.say("Notice: another session is done: %s. /sessions lists them.", t.title())
		}
	}
}

// skip leaves everything that is there unsaid: it is an earlier conversation.
func (t *talk) skip() {
	t.mute, t.open, t.slow = len(t.thread.Items), nil, nil
	for _, it := range t.thread.Items {
		if it.Kind == thread.ToolCall {
			if t.told[it.Index] == nil {
				t.told[it.Index] = &told{line: "skipped"}
			}
			t.numbered(it, t.told[it.Index])
		}
	}
	t.plan = ""
}

// lastExchange writes the end of a conversation: the last prompt and what follows
// it.
func (c *chat) lastExchange(t *talk) {
	from := -1
	prompts := 0
	for i, it := range t.thread.Items {
		if it.Kind == thread.UserMessage && !it.Blank() {
			from, prompts = i, prompts+1
		}
	}
	if prompts == 0 {
		return
	}
	if prompts > 1 {
		c.say("Notice: %s before; /transcript writes all of it. The last one:", count(prompts-1, "earlier prompt"))
	}
	c.write(t, from)
}

// write writes a conversation again, from an item on.
func (c *chat) write(t *talk, from int) {
	numbers, told1, open, slow := t.numbers, t.told, t.open, t.slow
	echoed := t.echoed
	t.told, t.open, t.slow, t.echoed = map[int]*told{}, nil, nil, ""
	for i, s := range told1 { // tools keep their numbers
		t.told[i] = nil
		if s.number > 0 {
			t.told[i] = &told{number: s.number}
		} else {
			delete(t.told, i)
		}
	}
	for _, it := range t.thread.Items[from:] {
		c.finish(t, it.Index)
		c.tell(t, it)
	}
	c.finish(t, len(t.thread.Items))
	t.numbers, t.told, t.open, t.slow, t.echoed = numbers, told1, open, slow, echoed
}

// front brings a session to the front and says where it stands.
func (c *chat) front(t *talk) {
	c.finish(c.talk, len(c.talk.thread.Items))
	c.talk.mute = len(c.talk.thread.Items)
	c.talk = t
	t.done = false
	c.say("Now in session: %s.", t.title())
	from := t.mute
	t.skip()
	if from == 0 || slices.ContainsFunc(t.thread.Items[min(from, len(t.thread.Items)):], func(it *thread.Item) bool { return it.Kind == thread.AgentMessage }) {
		c.lastExchange(t)
	}
}

// prompts are those of a conversation, in order.
func prompts(t *thread.Thread) []string {
	var out []string
	for _, it := range t.Items {
		if it.Kind == thread.UserMessage && !it.Blank() {
			_, own := chatview.SplitCarried(string(it.Text))
			out = append(out, own)
		}
	}
	return out
}
