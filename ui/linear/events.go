package linear

import (
	"slices"

	"parley/acpclient/thread"
	"parley/ui/transcript"
)

// skip leaves everything that is there unsaid: it is an earlier conversation.
func (t *talk) skip() {
	t.mute, t.open, t.slow = len(t.Thread.Items), nil, nil
	for _, it := range t.Thread.Items {
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
	for i, it := range t.Thread.Items {
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
	for _, it := range t.Thread.Items[from:] {
		c.finish(t, it.Index)
		c.tell(t, it)
	}
	c.finish(t, len(t.Thread.Items))
	t.numbers, t.told, t.open, t.slow, t.echoed = numbers, told1, open, slow, echoed
}

// show brings a session to the front: the one before says nothing more.
func (c *chat) show(t *talk) {
	c.finish(c.talk, len(c.talk.Thread.Items))
	c.talk.mute = len(c.talk.Thread.Items)
	c.talk = t
	t.done = false
}

// introduce says what session is in front, and the end of its conversation.
func (c *chat) introduce(t *talk) {
	c.say("Now in session: %s.", t.title())
	from := t.mute
	t.skip()
	if from == 0 || slices.ContainsFunc(t.Thread.Items[min(from, len(t.Thread.Items)):], func(it *thread.Item) bool { return it.Kind == thread.AgentMessage }) {
		c.lastExchange(t)
	}
}

// prompts are those of a conversation, in order.
func prompts(t *thread.Thread) []string {
	var out []string
	for _, it := range t.Items {
		if it.Kind == thread.UserMessage && !it.Blank() {
			_, own := transcript.SplitCarried(string(it.Text))
			out = append(out, own)
		}
	}
	return out
}
