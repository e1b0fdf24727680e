package acpclient

import (
	"encoding/base64"
	"slices"
	"time"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
)

// This file is the short way of the updates that come in floods: from a message
// to the sink in one pass and without an event of its own for each. It does what
// the long way does (Notification and surface.update), or leaves a message to it.
// Reader goroutine.

// floods is what the short way works in.
type floods struct {
	found    wire.Hot
	decoded  []byte // a string without its escapes
	cleaned  []byte // made safe
	call     callRoom
	tool     string // the names used last: they repeat
	terminal string
}

// maxFloodRoom bounds the memory that is kept for the next message.
const maxFloodRoom = 1 << 20

// Take implements jsonrpc.Eager.
func (h *handler) Take(data []byte) bool {
	c := (*Client)(h)
	found := &c.floods.found
	if !found.Read(data) {
		return false
	}
	s := c.session(string(found.Session))
	return s != nil && c.surface.hot(s, found)
}

// now is when the message came that is being handled. Those that come together
// share the time: to look at the clock takes longer than to take a chunk.
func (c *Client) now() time.Time {
	if c.in.came.IsZero() {
		c.in.came = c.clock()
	}
	return c.in.came
}

func (v1) hot(s *Session, h *wire.Hot) bool {
	switch h.Kind {
	case wire.HotMessage:
		return s.hotText(Agent, h)
	case wire.HotThought:
		return s.hotText(Thought, h)
	case wire.HotToolStarted, wire.HotToolUpdate:
		return s.hotTool(h)
	case wire.HotCallOutput:
		return s.hotCallOutput(h)
	}
	return false
}

func (v2) hot(s *Session, h *wire.Hot) bool {
	switch h.Kind {
	case wire.HotMessage:
		return s.hotText(Agent, h)
	case wire.HotThought:
		return s.hotText(Thought, h)
	case wire.HotToolUpdate:
		return s.hotTool(h)
	case wire.HotOutput:
		return s.hotOutput(h)
	}
	return false
}

func (s *Session) hotText(role Role, h *wire.Hot) bool {
	f := &s.client.floods
	if len(h.Chunk) > giant {
		text, ok := jsonscan.Piece(h.Chunk)
		if ok {
			s.sayWhole(role, h.MessageID, text)
		}
		return ok
	}
	text, ok := f.piece(h.Chunk)
	if !ok {
		return false
	}
	s.say(role, h.MessageID, text)
	return true
}

// hotCallOutput is of v1: that the call goes on is told, and its output.
func (s *Session) hotCallOutput(h *wire.Hot) bool {
	f := &s.client.floods
	data, ok := f.text(h.Data)
	if !ok {
		return false
	}
	in := s.for_()
	s.client.sink.PostTool(ToolChanged{For: in, ID: same(&f.tool, h.ToolID), At: s.client.now()})
	if len(data) > 0 {
		s.client.sink.PostOutput(TerminalOutput{For: in, ID: same(&f.terminal, h.TerminalID)}, data)
	}
	return true
}

// hotOutput is of v2.
func (s *Session) hotOutput(h *wire.Hot) bool {
	f := &s.client.floods
	encoded, ok := jsonscan.Plain(h.Data)
	if !ok {
		return false
	}
	f.decoded = slices.Grow(f.decoded[:0], base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Decode(f.decoded[:cap(f.decoded)], encoded)
	if err != nil {
		return false
	}
	if n > 0 {
		s.client.sink.PostOutput(TerminalOutput{For: s.for_(), ID: same(&f.terminal, h.TerminalID)}, f.decoded[:n])
	}
	f.shrink()
	return true
}

// text decodes a raw JSON string. It is valid until the next call.
func (f *floods) text(raw []byte) ([]byte, bool) { return f.decode(raw, jsonscan.AppendText) }

// piece is text for a chunk of a message, which may have been cut anywhere.
func (f *floods) piece(raw []byte) ([]byte, bool) { return f.decode(raw, jsonscan.AppendPiece) }

func (f *floods) decode(raw []byte, decode func(dst, raw []byte) ([]byte, bool)) ([]byte, bool) {
	if body, ok := jsonscan.Plain(raw); ok {
		return body, true
	}
	f.shrink()
	var ok bool
	f.decoded, ok = decode(f.decoded[:0], raw)
	return f.decoded, ok
}

// shrink lets go of what a huge message has left behind.
func (f *floods) shrink() {
	if cap(f.decoded) > maxFloodRoom {
		f.decoded = nil
	}
	if cap(f.cleaned) > maxFloodRoom {
		f.cleaned = nil
	}
	if cap(f.call.words) > maxFloodRoom {
		f.call.words = nil
	}
}

// same is name as a string: the one used last where that is the same.
func same(last *string, name []byte) string {
	if *last != string(name) {
		*last = string(name)
	}
	return *last
}
