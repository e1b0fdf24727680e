package acpclient

import (
	"slices"

	"parley/acpclient/event"
	"parley/internal/safetext"
)

// textStream makes the text of one message safe across its chunks, whatever arrives
// between them.
type textStream struct {
	role  event.Role
	id    string
	clean safetext.Stream
}

// The roles in textStreams of texts that are no messages of the conversation: compaction summaries and messages
// between sessions.
const (
	summaryText event.Role = -1 - iota
	peerText
)

// textStreams are the streams of a session's messages. Reader goroutine only.
type textStreams struct {
	all  []*textStream // most recently used first
	post func(*textStream, string)
}

// Bounds of the state kept between the chunks of messages: the number of messages that
// may still grow, and the length of their ids. A message beyond them starts again, which
// is as safe but loses what its last chunk was cut in.
const (
	maxTextStreams = 64
	maxTextID      = 1 << 10
)

// stream returns the stream of a message.
func (t *textStreams) stream(role event.Role, id string) *textStream {
	if len(t.all) > 0 && t.all[0].is(role, id) {
		return t.all[0]
	}
	i := slices.IndexFunc(t.all, func(st *textStream) bool { return st.is(role, id) })
	if i < 0 {
		t.end(func(i int, st *textStream) bool { return i >= maxTextStreams-1 || len(st.id) > maxTextID })
		i = len(t.all)
		t.all = append(t.all, &textStream{role: role, id: id})
	}
	st := t.all[i]
	copy(t.all[1:i+1], t.all[:i])
	t.all[0] = st
	return st
}

func (st *textStream) is(role event.Role, id string) bool { return st.role == role && st.id == id }

// end removes streams and posts the text that they held back.
func (t *textStreams) end(which func(i int, st *textStream) bool) {
	kept := t.all[:0]
	for i, st := range t.all {
		if !which(i, st) {
			kept = append(kept, st)
			continue
		}
		if text := st.clean.Flush(); text != "" && st.role >= 0 {
			t.post(st, text)
		}
	}
	clear(t.all[len(kept):])
	t.all = kept
}

// endUnnamed ends the messages without an id, which end with their turn.
func (t *textStreams) endUnnamed() {
	t.end(func(_ int, st *textStream) bool { return st.id == "" })
}

// write posts a piece of a message's text.
func (t *textStreams) write(role event.Role, messageID, text string) {
	st := t.stream(role, messageID)
	if text = st.clean.Write(text); text != "" {
		t.post(st, text)
	}
}

func (s *Session) postText(st *textStream, text string) {
	e := event.TextArrived{For: s.wireContext(), Role: st.role, MessageID: st.id, Text: text}
	if st.role == event.Thought {
		e.At = s.client.clock()
	}
	s.post(e)
}
