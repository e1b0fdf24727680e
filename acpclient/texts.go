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

// summaryText is the role of compaction summaries in textStreams.
const summaryText event.Role = -1

// textStreams are the streams of a session's messages, most recently used first.
type textStreams []*textStream

// Bounds of the state kept between the chunks of messages: the number of messages that
// may still grow, and the length of their ids. A message beyond them starts again, which
// is as safe but loses what its last chunk was cut in.
const (
	maxTextStreams = 64
	maxTextID      = 1 << 10
)

// stream returns the stream of a message. Reader goroutine only.
func (s *Session) stream(role event.Role, id string) *textStream {
	if len(s.texts) > 0 && s.texts[0].is(role, id) {
		return s.texts[0]
	}
	i := slices.IndexFunc(s.texts, func(st *textStream) bool { return st.is(role, id) })
	if i < 0 {
		s.endTexts(func(i int, st *textStream) bool { return i >= maxTextStreams-1 || len(st.id) > maxTextID })
		i = len(s.texts)
		s.texts = append(s.texts, &textStream{role: role, id: id})
	}
	st := s.texts[i]
	copy(s.texts[1:i+1], s.texts[:i])
	s.texts[0] = st
	return st
}

func (st *textStream) is(role event.Role, id string) bool { return st.role == role && st.id == id }

// endTexts removes streams and posts the text that they held back.
func (s *Session) endTexts(which func(i int, st *textStream) bool) {
	kept := s.texts[:0]
	for i, st := range s.texts {
		if !which(i, st) {
			kept = append(kept, st)
			continue
		}
		if text := st.clean.Flush(); text != "" && st.role != summaryText {
			s.postText(st, text)
		}
	}
	clear(s.texts[len(kept):])
	s.texts = kept
}

// endUnnamedTexts ends the messages without an id, which end with their turn.
func (s *Session) endUnnamedTexts() {
	s.endTexts(func(_ int, st *textStream) bool { return st.id == "" })
}

// writeText posts a piece of a message's text.
func (s *Session) writeText(role event.Role, messageID, text string) {
	st := s.stream(role, messageID)
	if text = st.clean.Write(text); text != "" {
		s.postText(st, text)
	}
}

func (s *Session) postText(st *textStream, text string) {
	e := event.TextArrived{For: s.wireContext(), Role: st.role, MessageID: st.id, Text: text}
	if st.role == event.Thought {
		e.At = s.client.clock()
	}
	s.post(e)
}
