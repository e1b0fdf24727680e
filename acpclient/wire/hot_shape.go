package wire

import (
	"cmp"
	"slices"

	"parley/internal/jsonscan"
)

// HotReader finds what is hot in the messages of a stream. One goroutine may use
// it.
//
// Messages of a stream differ in little but some values: the text of a chunk, the
// id, the title and the result of a tool call. So it remembers what messages were
// like, and compares: where a message is the same but for those values, a pass over
// it would find what the pass over the other one did, but for them. It would do so
// whatever they are, since it goes from left to right, and looks at none of them
// but to find its end.
//
// Chunks of text and of output differ in that alone, and most messages are such. In
// them its end is not looked for: it is what is left of the message. Whether that is
// one string is left to who decodes it, and must: one with a quote inside is none,
// and the message goes the plain way.
type HotReader struct {
	found Hot
	known [8]hotShape
	last  int // which was like the message before
	next  int // which is to be forgotten
}

// hotShape is what a message was like: bytes holds what stands between the values,
// end to end.
type hotShape struct {
	bytes  []byte
	holes  []hole
	hot    Hot // Kind, Session, and which lists there are
	texts  int // how long they are
	places int
	start  int // of the update in the message
	behind int // bytes that follow it
	next   int // which shape the message behind the last of this one had
}

// hole is a value that messages of a shape differ in. With index it says of which
// item of a list it is; end is where the bytes before it do.
type hole struct {
	of         holeOf
	index, end int
}

type holeOf int

const (
	ofChunk holeOf = iota // strings, which are left to who decodes them
	ofData
	ofTool // a string without escapes
	ofTitle
	ofName
	ofKind
	ofStatus
	ofText
	ofPath
	ofInput // sound, and not null
	ofOutput
	ofLine // any value
)

const (
	maxShape = 4096 // bytes between the values of a message that is remembered
	maxHoles = 64
)

// Read finds what one message holds; nil where it must go the plain way. It is
// valid until the next Read, and until the message changes.
func (r *HotReader) Read(message []byte) *Hot {
	before := &r.known[r.last]
	for i := range r.known {
		k := (before.next + i) % len(r.known)
		if r.known[k].read(message, &r.found) {
			before.next, r.last = k, k
			return &r.found
		}
	}
	if !scanHot(message, &r.found) {
		return nil
	}
	if r.known[r.next].learn(message, &r.found) {
		before.next, r.last = r.next, r.next
		r.next = (r.next + 1) % len(r.known)
	}
	return &r.found
}

// read fills h from a message of this shape; false where it has another one.
func (k *hotShape) read(message []byte, h *Hot) bool {
	if len(k.holes) == 0 {
		return false
	}
	at, from := 0, 0
	for i := range k.holes {
		o := &k.holes[i]
		part := k.bytes[from:o.end]
		if len(message)-at < len(part) || string(message[at:at+len(part)]) != string(part) {
			return false
		}
		if i == 0 {
			k.begin(h)
		}
		at, from = at+len(part), o.end
		end := 0
		if o.of <= ofData {
			end = len(message) - (len(k.bytes) - from)
		} else {
			end = o.of.end(message, at)
		}
		if end-at < 1 || !h.put(o, message[at:end]) {
			return false
		}
		at = end
	}
	if string(message[at:]) != string(k.bytes[from:]) {
		return false
	}
	h.Update = message[k.start : len(message)-k.behind]
	return true
}

// end is the index behind the value that starts at i; -1 where there is none.
func (of holeOf) end(message []byte, i int) int {
	switch of {
	case ofInput, ofOutput:
		return jsonscan.SoundEnd(message, i)
	case ofLine:
		return jsonscan.ValueEnd(message, i)
	}
	return jsonscan.StringEnd(message, i)
}

// begin is before the values: h is what all messages of this shape have.
func (k *hotShape) begin(h *Hot) {
	texts, places := h.Call.Texts[:0], h.Call.Places[:0]
	*h = k.hot
	if k.texts > 0 {
		texts = slices.Grow(texts, k.texts)[:k.texts]
	}
	if k.places > 0 {
		places = slices.Grow(places, k.places)[:k.places]
		clear(places) // their lines may be none
	}
	h.Call.Texts, h.Call.Places = texts, places
}

// put takes a value; false where it is not of its sort.
func (h *Hot) put(o *hole, raw []byte) (ok bool) {
	if o.of < ofInput && (len(raw) < 2 || raw[0] != '"') {
		return false
	}
	switch o.of {
	case ofTool:
		h.ToolID, ok = jsonscan.Plain(raw)
		return ok
	case ofChunk:
		h.Chunk = raw
	case ofData:
		h.Data = raw
	case ofTitle:
		h.Call.Title = raw
	case ofName:
		h.Call.Name = raw
	case ofKind:
		h.Call.Kind = raw
	case ofStatus:
		h.Call.Status = raw
	case ofText:
		h.Call.Texts[o.index] = raw
	case ofPath:
		h.Call.Places[o.index].Path = raw
		return len(raw) > len(`""`)
	case ofLine:
		h.Call.Places[o.index].take(raw)
	case ofInput:
		h.Call.RawInput = raw
		return raw[0] != 'n'
	case ofOutput:
		h.Call.RawOutput = raw
		return raw[0] != 'n'
	}
	return true
}

// found is a value in a message, with the quotes of one that is a string.
type found struct {
	hole
	raw []byte
}

// learn remembers what a message is like that h was found in; false where it is no
// use, and nothing is remembered.
func (k *hotShape) learn(message []byte, h *Hot) bool {
	values, ok := h.values(message)
	size := len(message)
	for _, v := range values {
		size -= len(v.raw)
	}
	if !ok || size > maxShape || len(values) == 0 || len(values) > maxHoles {
		return false
	}
	place := func(raw []byte) int { return cap(message) - cap(raw) }
	slices.SortFunc(values, func(a, b found) int { return cmp.Compare(place(a.raw), place(b.raw)) })
	k.bytes, k.holes = k.bytes[:0], k.holes[:0]
	from := 0
	for _, v := range values {
		k.bytes = append(k.bytes, message[from:place(v.raw)]...)
		v.end = len(k.bytes)
		k.holes = append(k.holes, v.hole)
		from = place(v.raw) + len(v.raw)
	}
	k.bytes = append(k.bytes, message[from:]...)
	k.start = place(h.Update)
	k.behind = len(message) - k.start - len(h.Update)
	k.texts, k.places = len(h.Call.Texts), len(h.Call.Places)
	k.hot = Hot{Kind: h.Kind, Session: slices.Clone(h.Session), Call: HotCall{Filled: h.Call.Filled, Located: h.Call.Located}}
	if h.Kind != HotToolStarted && h.Kind != HotToolUpdate {
		k.hot.MessageID, k.hot.ToolID, k.hot.TerminalID = slices.Clone(h.MessageID), slices.Clone(h.ToolID), slices.Clone(h.TerminalID)
	}
	k.next = 0
	return true
}

// values are what is to be a hole; false where one is of another sort than it mostly
// is.
func (h *Hot) values(message []byte) (out []found, ok bool) {
	ok = true
	add := func(of holeOf, index int, raw []byte) {
		if raw != nil {
			out = append(out, found{hole{of: of, index: index}, raw})
			ok = ok && (of >= ofInput || len(raw) >= 2 && raw[0] == '"')
		}
	}
	if h.Kind != HotToolStarted && h.Kind != HotToolUpdate {
		add(ofChunk, 0, h.Chunk)
		add(ofData, 0, h.Data)
		return out, ok
	}
	id := cap(message) - cap(h.ToolID)
	add(ofTool, 0, message[id-1:id+len(h.ToolID)+1])
	c := &h.Call
	add(ofTitle, 0, c.Title)
	add(ofName, 0, c.Name)
	add(ofKind, 0, c.Kind)
	add(ofStatus, 0, c.Status)
	add(ofInput, 0, c.RawInput)
	add(ofOutput, 0, c.RawOutput)
	for i, raw := range c.Texts {
		add(ofText, i, raw)
	}
	for i, p := range c.Places {
		add(ofPath, i, p.Path)
		add(ofLine, i, p.line)
	}
	return out, ok
}
