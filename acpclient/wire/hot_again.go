package wire

import "bytes"

// HotReader finds what is hot in the messages of a stream. One goroutine may use
// it.
//
// Chunks of one message differ in nothing but their text. So it remembers the last
// message that had one, and compares: where a message begins and ends with the
// same bytes, and what lies between is one string to its end, a pass over it would
// find what the pass over the last one did, but for the string. It would do so
// whatever the bytes are, since it goes from left to right and knows nothing of
// what is inside of a string. Whether it is one string is left to who decodes it,
// and must: one with a quote inside is none, and the message goes the plain way.
//
// Messages about tool calls have little in common but how they begin. A pass over
// one that begins as one before did goes on where that had come to the call's name.
type HotReader struct {
	found Hot

	last       []byte // a copy of the message
	hot        Hot    // what it holds: slices of last
	head, tail []byte // of last: up to the string with its quote, and from the quote that ends it

	calls [4]begun // how messages about tool calls begin
	next  int      // of calls: to be forgotten
	mark  hotScan  // of the pass that was made last
}

// begun is how messages about tool calls begin, up to the call's name: a pass over
// one that begins so finds the same up to there, and goes on from there.
type begun struct {
	head []byte
	scan hotScan // what the pass was there: slices of head
}

// maxLast bounds the messages that are remembered: of a longer one the pass is
// the smallest part.
const maxLast = 4096

// Read finds what one message holds; nil where it must go the plain way. It is
// valid until the next Read, and until the message changes.
func (r *HotReader) Read(message []byte) *Hot {
	if r.again(message) {
		return &r.found
	}
	begins := r.begins(message)
	if begins != nil {
		if !begins.resume(message, &r.found) {
			return nil
		}
		if r.found.text() == nil { // what has one is worth a whole pass, to be remembered
			return &r.found
		}
	}
	r.mark = hotScan{}
	if !scanHot(message, &r.found, &r.mark) {
		return nil
	}
	if at := r.mark.at.Pos(); at > 0 && at <= maxLast && begins == nil && (r.found.Kind == HotToolStarted || r.found.Kind == HotToolUpdate) {
		r.calls[r.next].remember(message, r.mark)
		r.next = (r.next + 1) % len(r.calls)
	}
	if text := r.found.text(); text != nil && len(message)-len(text) <= maxLast {
		r.remember(message, text)
	}
	return &r.found
}

// begins finds how a message about a tool call begins; nil where it is none, or
// begins in a new way.
func (r *HotReader) begins(message []byte) *begun {
	for i := range r.calls {
		if b := &r.calls[i]; len(b.head) > 0 && bytes.HasPrefix(message, b.head) {
			return b
		}
	}
	return nil
}

// text is the string that chunks differ in, with its quotes; nil where there is
// none.
func (h *Hot) text() []byte {
	if h.Chunk != nil {
		return h.Chunk
	}
	return h.Data
}

// again takes a message that is like the last one.
func (r *HotReader) again(message []byte) bool {
	if len(r.head) == 0 || !bytes.HasPrefix(message, r.head) || !bytes.HasSuffix(message, r.tail) || len(message) < len(r.head)+len(r.tail) {
		return false
	}
	text := message[len(r.head)-1 : len(message)-len(r.tail)+1]
	r.hot.Call.Texts, r.hot.Call.Places = r.found.Call.Texts, r.found.Call.Places // their memory
	r.found = r.hot
	if r.hot.Chunk != nil {
		r.found.Chunk = text
	} else {
		r.found.Data = text
	}
	return true
}

// remember makes message the last one; text is of it.
func (r *HotReader) remember(message, text []byte) {
	at := cap(message) - cap(text)
	r.last = append(append(append(r.last[:0], message[:at]...), '"', '"'), message[at+len(text):]...)
	r.head, r.tail = r.last[:at+1], r.last[at+1:]
	r.hot = Hot{Kind: r.found.Kind}
	moved := func(part []byte) []byte {
		if part == nil {
			return nil
		}
		i := cap(message) - cap(part)
		if i > at { // behind the string, which is empty here
			i -= len(text) - 2
		}
		return r.last[i : i+len(part)]
	}
	r.hot.Session, r.hot.MessageID = moved(r.found.Session), moved(r.found.MessageID)
	r.hot.ToolID, r.hot.TerminalID = moved(r.found.ToolID), moved(r.found.TerminalID)
	if r.found.Chunk != nil {
		r.hot.Chunk = r.last[at : at+2]
	} else {
		r.hot.Data = r.last[at : at+2]
	}
}

// remember keeps how a message begins, and what the pass was there. It must have
// found nothing else than what is told of each message.
func (b *begun) remember(message []byte, scan hotScan) {
	b.head, b.scan = append(b.head[:0], message[:scan.at.Pos()]...), scan
	s := &b.scan
	s.call, s.mark = nil, nil
	for _, part := range [...]*[]byte{&s.version, &s.method, &s.session, &s.kind} {
		if *part != nil {
			i := cap(message) - cap(*part)
			*part = b.head[i : i+len(*part)]
		}
	}
}

// resume goes on from there.
func (b *begun) resume(message []byte, h *Hot) bool {
	h.clear()
	s := b.scan
	s.at, s.call = s.at.Of(message), &h.Call
	if !s.once(&s.tool) || !s.members() {
		return false
	}
	s.update = s.at.From(s.start)
	return s.notification() && s.envelope() && s.fill(h)
}
