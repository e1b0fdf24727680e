package wire

import "parley/internal/jsonscan"

// Hot is a session/update of a kind that comes in floods, found in one pass over
// its message. The slices point into that.
//
// This is a short cut, for messages as agents write them; whatever is odd, or
// rare, goes the plain way: the envelope, SessionNotification, DecodeUpdate. A Hot
// says of a message only what those say of it.
type Hot struct {
	Session []byte // the params' sessionId
	Kind    HotKind
	Update  []byte // the whole update

	// Chunk and Data are raw JSON strings: where one cannot be decoded, the message
	// is no Hot after all.
	Chunk     []byte // HotMessage, HotThought: the text
	MessageID []byte // the same: "" where there is none

	ToolID     []byte // HotToolStarted, HotToolUpdate, HotCallOutput
	Call       HotCall
	TerminalID []byte // HotCallOutput, HotOutput
	Data       []byte // the same: text of a HotCallOutput, base64 of a HotOutput
}

// HotKind is what a Hot holds.
type HotKind int

// The kinds that a Hot can hold.
const (
	HotMessage     HotKind = iota // text of an agent_message_chunk
	HotThought                    // text of an agent_thought_chunk
	HotToolStarted                // tool_call
	HotToolUpdate                 // tool_call_update
	HotCallOutput                 // a tool_call_update that has nothing but a terminal_output under _meta
	HotOutput                     // terminal_output_chunk
)

// hotScan is what the pass finds: raw values, nil where there is none. A member
// that counts and comes twice ends the pass.
type hotScan struct {
	at                                     jsonscan.Cursor
	version, method, session               []byte
	update, kind, message, tool, term, out []byte
	blockType, text                        []byte // of an object content
	metaTerm, metaOut                      []byte // of _meta.terminal_output
	params, block, meta                    bool   // was there
	rare                                   bool   // a member of a tool call that is left to its decoder
	start                                  int    // of the update
	call                                   *HotCall
}

// Read fills h from one message, in one pass; false where the message must go the
// plain way. What h holds is valid until the next Read, and until the message changes.
func (h *Hot) Read(message []byte) bool {
	h.clear()
	s := hotScan{at: jsonscan.CursorOf(message), call: &h.Call}
	return s.at.Enter() && s.envelope() && s.fill(h)
}

// clear keeps the memory of lists.
func (h *Hot) clear() {
	*h = Hot{Call: HotCall{Texts: h.Call.Texts[:0], Places: h.Call.Places[:0]}}
}

// once takes the next value, which must be the first for this place.
func (s *hotScan) once(into *[]byte) bool {
	if *into != nil {
		return false
	}
	*into = s.at.Value()
	return *into != nil
}

func first(seen *bool) bool {
	was := *seen
	*seen = true
	return !was
}

func (s *hotScan) envelope() bool {
	for s.at.Key() {
		ok := true
		switch string(s.at.Name) {
		case "jsonrpc":
			ok = s.once(&s.version)
		case "method":
			ok = s.once(&s.method) && jsonscan.Is(s.method, "session/update")
		case "params":
			ok = first(&s.params) && s.at.Enter() && s.notification()
		case "id", "result", "error":
			ok = false
		default:
			s.at.Value()
		}
		if !ok {
			return false
		}
	}
	return s.method != nil
}

func (s *hotScan) notification() bool {
	for s.at.Key() {
		ok := true
		switch string(s.at.Name) {
		case "sessionId":
			ok = s.once(&s.session)
		case "update":
			s.start = s.at.Pos()
			ok = s.update == nil && s.at.Enter() && s.members()
			s.update = s.at.From(s.start)
		default:
			s.at.Value()
		}
		if !ok {
			return false
		}
	}
	return true
}

// members looks at the update itself.
func (s *hotScan) members() bool {
	for s.at.Key() {
		ok := true
		switch string(s.at.Name) {
		case "sessionUpdate":
			ok = s.once(&s.kind)
		case "messageId":
			ok = s.once(&s.message)
		case "toolCallId":
			ok = s.once(&s.tool)
		case "terminalId":
			ok = s.once(&s.term)
		case "data":
			ok = s.once(&s.out)
		case "title":
			ok = s.once(&s.call.Title)
		case "name":
			ok = s.once(&s.call.Name)
		case "kind":
			ok = s.once(&s.call.Kind)
		case "status":
			ok = s.once(&s.call.Status)
		case "locations":
			ok = first(&s.call.Located) && s.places()
		case "rawInput":
			ok = s.raw(&s.call.RawInput)
		case "rawOutput":
			ok = s.raw(&s.call.RawOutput)
		case "content":
			if ok = !s.block && !s.call.Filled; !ok {
				break
			}
			if s.at.Enter() {
				ok, s.block = s.two("type", &s.blockType, "text", &s.text), true
			} else {
				ok, s.call.Filled = s.texts(), true
			}
		case "_meta":
			if ok = first(&s.meta); ok && s.at.Enter() {
				ok = s.output()
			} else {
				s.at.Value()
			}
		case "capabilities":
			s.rare = true
			s.at.Value()
		default:
			s.at.Value()
		}
		if !ok {
			return false
		}
	}
	return true
}

// two looks at an object of which two members count.
func (s *hotScan) two(nameA string, a *[]byte, nameB string, b *[]byte) bool {
	for s.at.Key() {
		ok := true
		switch string(s.at.Name) {
		case nameA:
			ok = s.once(a)
		case nameB:
			ok = s.once(b)
		default:
			s.at.Value()
		}
		if !ok {
			return false
		}
	}
	return true
}

// output looks at the _meta of a tool call.
func (s *hotScan) output() bool {
	for s.at.Key() {
		ok := true
		switch string(s.at.Name) {
		case "terminal_output":
			ok = s.metaOut == nil && s.metaTerm == nil && s.at.Enter() && s.two("terminal_id", &s.metaTerm, "data", &s.metaOut)
		case "terminal_info", "terminal_output_delta", "terminal_exit":
			s.rare = true
			s.at.Value()
		default:
			s.at.Value()
		}
		if !ok {
			return false
		}
	}
	return true
}

// fill makes a Hot of what was found, where that is one.
func (s *hotScan) fill(h *Hot) bool {
	if !s.at.End() || !jsonscan.Is(s.version, "2.0") {
		return false
	}
	var ok bool
	h.Update = s.update
	if h.Session, ok = jsonscan.Plain(s.session); !ok {
		return false
	}
	kind, ok := jsonscan.Plain(s.kind)
	if !ok {
		return false
	}
	switch string(kind) {
	case AgentMessageChunk:
		return s.chunk(h, HotMessage)
	case AgentThoughtChunk:
		return s.chunk(h, HotThought)
	case ToolCallUpdate:
		if s.metaOut != nil {
			return s.callOutput(h)
		}
		return s.toolCall(h, HotToolUpdate)
	case ToolCallStarted:
		return s.metaOut == nil && s.toolCall(h, HotToolStarted)
	case TerminalOutputChunk:
		h.Kind, h.Data = HotOutput, s.out
		h.TerminalID, ok = jsonscan.Plain(s.term)
		return ok && s.out != nil
	}
	return false
}

func (s *hotScan) chunk(h *Hot, kind HotKind) bool {
	h.Kind, h.Chunk = kind, s.text
	ok := true
	if s.message != nil {
		h.MessageID, ok = jsonscan.Plain(s.message)
	}
	return ok && s.text != nil && jsonscan.Is(s.blockType, "text")
}

func (s *hotScan) toolCall(h *Hot, kind HotKind) (ok bool) {
	h.Kind = kind
	h.ToolID, ok = jsonscan.Plain(s.tool)
	return ok && !s.rare && !s.block
}

func (s *hotScan) callOutput(h *Hot) bool {
	h.Kind, h.Data = HotCallOutput, s.metaOut
	var ok, named bool
	h.ToolID, ok = jsonscan.Plain(s.tool)
	h.TerminalID, named = jsonscan.Plain(s.metaTerm)
	return ok && named && len(h.TerminalID) > 0 && !s.rare && !s.call.Says()
}
