package join

import (
	"maps"
	"slices"

	"parley/acpclient/thread"
	"parley/internal/words"
)

// cursor is how much of a session was sent.
type cursor struct {
	items []sent
	slots map[string]string // the last update of each
	turns int               // ends of turns
	state string            // the last state_update
}

// sent is how much of an item was sent.
type sent struct {
	seen     bool
	version  int // of the item, as it was sent
	revision int
	bytes    int // of its text
	fields   hashes
}

// update is an update that was written. item is the index of a user's message, else -1.
type update struct {
	data []byte
	item int
}

// writer writes updates until a cursor has all of a session.
type writer struct {
	feed    *feed
	dialect dialect
	cursor  *cursor
	live    bool // clients are up to date: they get notices, too
	out     []update
	size    int
}

func (w *writer) write(u any) { w.writeOf(-1, u) }

func (w *writer) writeOf(item int, u any) {
	if data := encode(w.feed.id, u); data != nil {
		w.out = append(w.out, update{data, item})
		w.size += len(data)
	}
}

// begin says that a turn runs before it sends what happens in it.
func (w *writer) begin() {
	if w.dialect.version < 2 {
		return
	}
	s := state(w.feed.thread, w.feed.last)
	if w.cursor.turns != w.feed.turns || s["state"] == "idle" {
		s = object{"sessionUpdate": "state_update", "state": "running"}
		if w.cursor.turns == w.feed.turns {
			return
		}
	}
	w.state(s)
}

func (w *writer) state(s object) {
	text := jsonText(s)
	if text == w.cursor.state {
		return
	}
	w.cursor.state = text
	w.write(s)
}

// end sends what describes the session as a whole, and its state.
func (w *writer) end(slotsToo bool) {
	c := w.cursor
	if slotsToo {
		keys, updates := slots(w.feed.session, w.dialect)
		if c.slots == nil {
			c.slots = map[string]string{}
		}
		for _, key := range slices.Sorted(maps.Keys(c.slots)) {
			if updates[key] != nil {
				continue
			}
			delete(c.slots, key)
			if u := cleared(key, w.dialect); u != nil {
				w.write(u)
			}
		}
		for _, key := range keys {
			if text := jsonText(updates[key]); c.slots[key] != text {
				c.slots[key] = text
				w.write(updates[key])
			}
		}
	}
	if w.dialect.version >= 2 {
		if c.turns != w.feed.turns && c.state != "" && w.live {
			c.state = "" // the end of a turn is told, whatever was told before
		}
		w.state(state(w.feed.thread, w.feed.last))
	}
	c.turns = w.feed.turns
}

// item sends what is new of an item.
func (w *writer) item(i int) {
	for len(w.cursor.items) <= i {
		w.cursor.items = append(w.cursor.items, sent{})
	}
	it, k, s := w.feed.thread.Items[i], &w.feed.items[i], &w.cursor.items[i]
	first := !s.seen
	s.seen, s.version = true, it.Version
	switch it.Kind {
	case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage:
		w.message(it, k, s, first)
	case thread.ToolCall, thread.ShellCommand:
		w.call(it, k, s, first)
	case thread.Attachment:
		if link := attachment(it.Attachment); first && link != nil {
			w.write(chunk{messageKinds[w.author(i)] + "_chunk", k.id, link})
		}
	case thread.Notice:
		switch {
		case it.Subagent != nil:
			w.call(it, k, s, first)
		case first && w.notices():
			w.write(notice(it.Severity, string(it.Text), ""))
		}
	case thread.Decision:
		if first && w.notices() {
			w.write(notice("info", words.Sentence(it.Answer.Outcome()), it.Answer.Subject))
		}
	case thread.TurnEnd:
		if first && w.notices() && it.End.Err != nil && w.dialect.version < 2 {
			w.write(notice("error", "The turn has failed", it.End.Err.Error()))
		}
	}
}

func (w *writer) notices() bool { return w.live && w.dialect.notices }

// author returns the kind of the message that an attachment belongs to.
func (w *writer) author(i int) thread.Kind {
	for i--; i >= 0; i-- {
		if _, ok := messageKinds[w.feed.thread.Items[i].Kind]; ok {
			return w.feed.thread.Items[i].Kind
		}
	}
	return thread.AgentMessage
}

// message sends what is new of a message. In version 1 a text cannot be replaced: the new one is another message.
func (w *writer) message(it *thread.Item, k *identity, s *sent, first bool) {
	item, kind, id, text := -1, messageKinds[it.Kind], k.id, it.Text
	if it.Kind == thread.UserMessage {
		item = it.Index
	}
	if w.dialect.version < 2 && k.revision > 0 {
		id += "-" + jsonText(k.revision+1)
	}
	replaced := s.revision != k.revision
	if s.revision = k.revision; replaced {
		s.bytes = 0
	}
	if s.bytes > len(text) {
		s.bytes, replaced = 0, true
	}
	rest := text[s.bytes:]
	if w.dialect.version >= 2 && (replaced || first && (len(text) == 0 || it.Kind == thread.UserMessage)) && len(text) <= maxPiece {
		content := []any{}
		if len(text) > 0 {
			content = append(content, object{"type": "text", "text": string(text)})
		}
		s.bytes = len(text)
		w.writeOf(item, object{"sessionUpdate": kind, "messageId": id, "content": content})
		return
	}
	if w.dialect.version >= 2 && replaced {
		w.writeOf(item, object{"sessionUpdate": kind, "messageId": id, "content": []any{}})
	}
	if s.bytes = len(text); len(rest) == 0 {
		return
	}
	for _, piece := range pieces(rest) {
		w.writeOf(item, chunk{kind + "_chunk", id, object{"type": "text", "text": piece}})
	}
}

func (w *writer) call(it *thread.Item, k *identity, s *sent, first bool) {
	u, now := toolUpdate(k.id, call(w.feed.thread, it, w.dialect), s.fields, first, w.dialect)
	if s.fields = now; u != nil {
		w.write(u)
	}
}
